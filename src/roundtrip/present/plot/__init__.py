"""One composition for every chart: rows, what stands where, and a mark."""
