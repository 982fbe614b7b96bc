"""C-RASP programs as weights: as a limit transformer, and as an ordinary causal transformer of :mod:`lengthwise.model`."""
