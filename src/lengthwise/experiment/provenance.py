"""Where a result comes from: versions, hardware and time."""

from __future__ import annotations

import platform
from datetime import UTC, datetime

from .._version import __version__


def provenance(device: str) -> dict[str, object]:
    """Return what made a result, as JSON data."""
    import numpy
    import torch

    hardware = torch.cuda.get_device_name(device) if device.startswith("cuda") else processor()
    return {
        "lengthwise": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "device": device,
        "hardware": hardware,
        "vector_instructions": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def processor() -> str:
    """Return the name of the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
