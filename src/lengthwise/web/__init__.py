"""The site: a playground that runs in the browser, and a server for it and for stores of results.

``answers`` is what the playground asks: JSON in, JSON out. ``build`` writes the static folder. ``server``, ``stores`` and
``http`` are behind ``lengthwise serve``.
"""
