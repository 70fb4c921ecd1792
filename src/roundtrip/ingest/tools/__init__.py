"""One reader for each tool of the field."""
