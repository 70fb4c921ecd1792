"""The works that the report and its rules of method cite."""

from __future__ import annotations

from roundtrip.present import Text

WORKS = (
    "ACM: *Artifact Review and Badging, Version 1.1*, 2020.",
    "Bailey, D. H.: *Twelve Ways to Fool the Masses When Giving Performance Results on Parallel "
    "Computers*, Supercomputing Review, 1991.",
    "Barrett, E., et al.: *Virtual Machine Warmup Blows Hot and Cold*, OOPSLA 2017.",
    "Denning, P. J., Buzen, J. P.: *The Operational Analysis of Queueing Network Models*, ACM "
    "Computing Surveys 10, 1978, doi:10.1145/356733.356735.",
    "Georges, A., Buytaert, D., Eeckhout, L.: *Statistically Rigorous Java Performance "
    "Evaluation*, OOPSLA 2007, doi:10.1145/1297027.1297033.",
    "Glass, D. J.: *Experimental Design for Biologists*, Cold Spring Harbor, 2014.",
    "Gregg, B.: *Thinking Methodically about Performance*, ACM Queue 10, 2012.",
    "Hoefler, T., Belli, R.: *Scientific Benchmarking of Parallel Computing Systems*, SC 2015.",
    "Holm, S.: *A Simple Sequentially Rejective Multiple Test Procedure*, Scandinavian Journal of "
    "Statistics 6, 1979.",
    "ISO 5725-3:2023 (intermediate precision).",
    "Jain, R.: *The Art of Computer Systems Performance Analysis*, 1991.",
    "Kalibera, T., Jones, R.: *Rigorous Benchmarking in Reasonable Time*, ISMM 2013, "
    "doi:10.1145/2464157.2464160.",
    "MLPerf Inference rules.",
    "Mytkowicz, T., Diwan, A., Hauswirth, M., Sweeney, P. F.: *Producing Wrong Data Without Doing "
    "Anything Obviously Wrong*, ASPLOS 2009.",
    "Schroeder, B., Wierman, A., Harchol-Balter, M.: *Open Versus Closed*, NSDI 2006.",
    "Schuirmann, D. J.: *A Comparison of the Two One-Sided Tests Procedure and the Power "
    "Approach*, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987, "
    "doi:10.1007/BF01068419.",
    "SPECjms2007 run and reporting rules.",
    "Tene, G.: *How Not to Measure Latency*, 2013.",
    "von Neumann, J.: *Distribution of the Ratio of the Mean Square Successive Difference to the "
    "Variance*, Annals of Mathematical Statistics 12, 1941.",
    "White, K. P.: *An Effective Truncation Heuristic for Bias Reduction in Simulation Output*, "
    "Simulation 69, 1997.",
)
"""By author, with venue and year; a DOI where the code that uses a work has it."""


def references_list() -> Text:
    """List the works."""
    return Text("\n".join(f"- {work}" for work in WORKS))
