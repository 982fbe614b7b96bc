"""Which problems a class of programs can solve, with proofs that can be checked."""
