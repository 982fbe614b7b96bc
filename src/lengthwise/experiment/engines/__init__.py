"""Where stacks are trained. An engine yields events; the driver alone writes the store."""
