"""Literal references: every encoding as its formula reads, in plain Python, slow and obvious.

They are what the fast encodings are compared with on short inputs, and share no code with them.
"""
