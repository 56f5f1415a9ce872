"""What code decides about candidates: quotes, explicit requests, refusals."""
