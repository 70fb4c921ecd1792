"""What the chapter on one's own workload needs of its own."""
