"""Work spread over processes and hosts, and what the hosts must be for it.

`inventory` names the hosts, `check` looks whether they are fit, both for people and before a
campaign. Hosts are asked by a `contact`; `station` is what then runs there.

By Dask
    `workers` gives workers that were found fit, `cluster` those that are started on the inventory's
    hosts. `reading` has them read logs, `chapters` has them run chapters.
A campaign, without Dask
    `placement` says which host has which role, and what cannot be run so; `placed_broker` is the
    broker of such a campaign. It starts processes on hosts through their stations.
"""
