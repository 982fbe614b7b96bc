from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("lengthwise", deadline=None)  # a loaded machine is slow; that is no failure of a law
settings.load_profile("lengthwise")

# a shell that starts the tests in the background lets them and all their processes ignore Ctrl-C, which some tests send
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests, and the processes they start, keep nothing in the cache of whoever runs them."""
    os.environ["LENGTHWISE_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Torch on one thread: small tensors are no faster on more, and tests run beside each other."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
