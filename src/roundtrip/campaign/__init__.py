"""Campaigns: a plan becomes runs against a real broker, their raw output, and points."""
