"""The theory of fixed precision: logics of the past that bound transformers whose numbers form a finite set."""
