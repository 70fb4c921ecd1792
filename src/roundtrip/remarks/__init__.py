"""Remarks of reviewers: read, found again in another edition, answered, made a page."""
