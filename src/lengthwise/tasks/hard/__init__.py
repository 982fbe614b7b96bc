"""Hard test sets: instances of a task on which a model that only looks right on random ones fails."""
