"""From executed chapters to a report: HTML site, PDF and what goes with them."""
