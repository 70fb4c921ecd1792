"""Campaigns: a plan becomes runs against a real broker, their raw output, and points.

What is to be run
    `plan` and `method` are the schema of a plan; `resolve` makes one of a file, a profile and the
    command line, `rerun` one with somebody's own levels. `settable` and `products` say what can be
    set and what does not go together, `points` which operating points and runs that gives,
    `estimate` how long they take, `feasible` what this machine lacks for them.
What it is run on
    `brokers` is all that the runner asks of a broker, `broker_choice` the embedded one and one that
    a URL names, `shared_queues` two queues of a broker that others use. Of the embedded one,
    `arrangements` puts brokers and links together for a point, on the `bench` of a run, with
    `links`, `tls` and what `machine` has. `harness` is the Java side: brokers, links and drivers.
How it is run
    `runner` carries a plan out, in the order of `search`: each run by `run`, in one of the
    `courses` of events that follow a `live_run`. `drivers` says how requesters and responders are
    started, `processes` starts them, `leftovers` finds what a killed runner has left.
What is kept
    `folder` is where, `names` how it is called, `raw` every line of a run. From that alone `derive`
    computes the `values`, `results` the points and the account of the runs in the `manifest`.
"""
