"""The same book rendered by Quarto."""
