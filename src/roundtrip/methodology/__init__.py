"""Rules of good measurement, and what sources, campaigns and editions come to by them."""
