"""The memory for people: /memory in the session, and ``catmem memory …`` for scripts."""
