"""What a run asks of the machine, what the machine is, and how quiet it is."""
