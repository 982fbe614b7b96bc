"""Encodings of your own: one Python file each, outside of the package.

The card is read from the file without running it. The code runs when a module is made: in training, in ``Attention`` and
``attach``, and when the file is checked. It runs in this process, with all your rights.
"""
