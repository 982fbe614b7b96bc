"""arXiv 2207.02098: fifteen tasks on levels of the Chomsky hierarchy, the transformers among its models."""
