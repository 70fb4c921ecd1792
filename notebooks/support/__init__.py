"""What single chapters need: wrangling, tables and figures of their own."""
