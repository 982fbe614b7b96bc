"""The methods: what each encoding computes."""
