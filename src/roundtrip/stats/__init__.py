"""Statistics of measurements: intervals over repetitions, steady state, merged histograms.

The unit of repetition is a whole run (broker and drivers started anew), never an interval of one
run: intervals of one run share its JIT compilation, memory layout and placement, and an interval
over them says nothing of what the next run will give (Kalibera and Jones, *Rigorous benchmarking
in reasonable time*, ISMM 2013, https://doi.org/10.1145/2464157.2464160).
"""
