"""What training was measured to find, as data that ships with the package; torch-free and quick to look up."""
