"""What the chapter on compression needs of its own."""
