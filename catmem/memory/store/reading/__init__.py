"""How entries stand in files: finding, taking apart and putting together."""
