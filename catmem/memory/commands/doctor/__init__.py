"""``doctor``: what is wrong with the memory's files, and putting right what can be put right."""
