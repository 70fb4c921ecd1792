"""Reproducible messaging-performance reports from parameterised Jupyter notebooks.

Data flows one way through the package, and imports only go backwards along it:
``params`` → ``dictionary`` → ``sources`` → ``observations`` → ``checks`` →
``claims`` → ``present`` → ``build`` → ``cli``.
"""

__version__ = "0.1.0"
