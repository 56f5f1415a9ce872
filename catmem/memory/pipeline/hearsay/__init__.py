"""What stands in a typed message and is no fact or rule: pastes, irony, texts to be written."""
