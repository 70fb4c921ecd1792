"""The HTML site, its search, and the pages for reviewers."""
