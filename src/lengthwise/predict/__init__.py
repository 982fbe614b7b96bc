"""From what a user writes to a verdict for an encoding."""
