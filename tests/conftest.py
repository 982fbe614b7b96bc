from __future__ import annotations

from hypothesis import settings

settings.register_profile("lengthwise", deadline=None)  # a loaded machine is slow; that is no failure of a law
settings.load_profile("lengthwise")
