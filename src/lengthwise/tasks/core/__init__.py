"""The framework of tasks: what a task is, families and their names, and what samplers are made of."""
