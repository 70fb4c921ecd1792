"""Drawings of test topologies, described in ``templates/diagrams`` and written as SVG."""
