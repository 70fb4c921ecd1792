"""Names that a report must not tell: aliases take their place, and what is built is searched."""
