"""What campaigns have measured, as chapters show it: beside what was published.

`means` gives the values; `variants` and `limits` show them and say what follows; `agreement` judges
them against published ones; `words` and `exceptions` say how they were measured; `tables` lists
every run.
"""
