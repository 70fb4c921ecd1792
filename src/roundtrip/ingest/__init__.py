"""Raw output of load drivers and system tools, read into observations."""
