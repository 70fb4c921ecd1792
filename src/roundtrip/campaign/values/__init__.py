"""What a raw file says, one module for each kind of value."""

Values = dict[tuple[str, str], float]
"""By metric and statistic."""
