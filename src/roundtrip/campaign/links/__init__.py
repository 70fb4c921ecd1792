"""Links with a delay and a bandwidth of their own, each measured before the load."""
