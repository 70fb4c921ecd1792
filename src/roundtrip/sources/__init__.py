"""Readers of what others printed or measured, each yielding observations."""
