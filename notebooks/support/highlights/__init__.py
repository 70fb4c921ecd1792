"""What the chapter on highlights needs of its own."""
