"""What was: the versions of an entry, and taking back what was done last."""
