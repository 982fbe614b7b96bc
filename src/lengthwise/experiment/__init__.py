"""Experiments: specs, plans, the store of results, and the engines that train."""
