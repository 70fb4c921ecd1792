"""From parameters to a versioned report: execute, draw, render, bundle."""
