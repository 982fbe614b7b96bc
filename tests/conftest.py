from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("lengthwise", deadline=None)  # a loaded machine is slow; that is no failure of a law
settings.load_profile("lengthwise")

# a shell that starts the tests in the background lets them and all their processes ignore Ctrl-C, which some tests send
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
