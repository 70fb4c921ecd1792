"""What campaigns have measured, as chapters show it: beside what was published.

`shown` says which campaigns an edition shows, `means` gives their values; `variants` and `limits`
show them and say what follows; `agreement` judges them against published ones; `words` and
`exceptions` say how they were measured; `tables` lists every run.
"""
