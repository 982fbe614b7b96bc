"""Words: ordered alphabets, canonical automata, regular expressions, sampling."""
