"""What the chapter on persistent messages needs of its own."""
