"""One composition for every chart: rows, what stands where, and a mark.

`chart` is the way in: `rows` makes marks of a table, `panels` sets them on a `canvas` with `axes`,
`traces` draws them, and `labels` keeps texts clear of each other. `own` takes Plotly figures that
chapters made themselves.
"""
