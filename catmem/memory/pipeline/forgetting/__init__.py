"""Forgetting for good: what was forgotten goes out of this session and is not learned again."""
