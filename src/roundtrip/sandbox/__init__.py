"""SQL of a data file: one SELECT over the observations, in a process of its own with limits.

What a query may say is decided by its syntax (`statement`); that it reaches nothing else, by the
locks of the connection (`worker`); what it may use, by the limits of the process (`process`).
"""
