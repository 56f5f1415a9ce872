"""What stands in a typed message and is no fact or rule: pastes, words of others, wishes, irony."""
