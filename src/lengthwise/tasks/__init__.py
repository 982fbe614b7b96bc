"""Problems: a plain-Python oracle, a vectorised sampler and the facts that theory needs."""
