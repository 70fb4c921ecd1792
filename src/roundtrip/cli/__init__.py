"""The command line: thin commands over the package, plain errors, no tracebacks."""

from roundtrip.cli.main import app, main

__all__ = ["app", "main"]
