"""Chapters: from a notebook to one that was run, with pictures and captions."""
