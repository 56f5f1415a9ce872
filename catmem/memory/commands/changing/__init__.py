"""What a person does to single entries: edit, move, pin."""
