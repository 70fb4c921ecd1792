"""From a PDF to the draft of a published report: two readings of each table, compared."""
