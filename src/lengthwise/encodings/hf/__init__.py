"""Encodings within decoders of the Hugging Face library."""
