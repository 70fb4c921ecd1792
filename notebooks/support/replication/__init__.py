"""What the chapter on replication needs of its own."""
