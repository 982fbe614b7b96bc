"""Experiments: specs, plans, the store of results, and the engines that train."""

DEFAULT_STORE = "lengthwise-runs.sqlite"
