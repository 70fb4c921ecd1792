"""What the chapter on high availability needs of its own."""
