"""Work spread over processes and hosts by Dask, and what the hosts must be for it."""
