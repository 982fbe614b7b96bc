"""How many layers a YES needs: bounds on the depth of the counts in the shallowest program, with certificates."""
