"""What the chapter on method says."""
