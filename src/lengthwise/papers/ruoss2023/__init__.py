"""arXiv 2305.16843: the tasks of arXiv 2207.02098 with randomized positions."""
