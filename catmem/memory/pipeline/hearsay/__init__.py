"""What stands in a typed message and is not the person's own word: pastes, quotes, wishes, irony."""
