"""arXiv 2608.13433: state prediction, and two languages on which its claim can be settled."""
