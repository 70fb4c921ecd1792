"""A report as one archive that another person can open, check, build again and compare."""
