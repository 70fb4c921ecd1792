"""Reproducible messaging-performance reports from parameterised Jupyter notebooks.

Data flow one way through the package, and imports only go backwards along it: see
``docs/architecture.md``.
"""

__version__ = "0.1.0"
