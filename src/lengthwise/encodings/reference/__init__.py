"""Literal references: every encoding as its formula reads, in plain Python, slow and obvious.

They are what the fast encodings are compared with on short inputs, and share no code with them. ``Case`` and ``attend``
are for the reference of an encoding of your own.
"""

from .case import Case, attend

__all__ = ["Case", "attend"]
