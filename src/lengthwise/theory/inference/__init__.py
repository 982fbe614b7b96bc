"""Idealized inference: of everything that agrees with a target on short inputs, what is simplest. Torch-free."""
