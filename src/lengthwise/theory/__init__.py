"""Answers, each with a theorem, a certificate and an independent checker."""
