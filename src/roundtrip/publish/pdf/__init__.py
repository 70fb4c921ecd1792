"""The PDF, typeset by Typst."""
