"""Set-up of a checkout or an installation, and its diagnosis: part of no report."""
