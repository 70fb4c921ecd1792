"""What charts of single chapters are drawn with, where one call does not suffice."""
