# ruff: noqa: B015, B018, F405 - cells whose last line is what they show
"""One cell for each name of roundtrip.present: the reference shows it, and a test runs it."""

# %% setup
from roundtrip.present import *  # noqa: F403

# %% Chapter
chapter = Chapter("ibm-mq-v9.4-linux")
points = chapter.points("table-03", "table-04")
points[["workload", "message_bytes", "round_trip_rate", "cpu"]]

# %% Quantity
small = chapter.quantity(points, workload="RR-CC", message_bytes=2048)
large = chapter.quantity(points, workload="RR-CC", message_bytes=20480)
chapter.write(small), chapter.write(large.percent_of(small)), large.cells

# %% Text
chapter.text("At 2 KB it gives {rate}.", rate=small).markdown

# %% smallest
chapter.write(smallest([small, large]))

# %% largest
chapter.write(largest([small, large]))

# %% size_label
size_label(2048), size_label(2 * 1024 * 1024), size_label(100)

# %% style_of
style_of("persistent")

# %% chart
chart(
    chapter,
    points,
    x="message_bytes",
    y="round_trip_rate",
    series="workload",
    mark="line",
    log={"message_bytes", "round_trip_rate"},
    varied={"api"},
    title="Local bindings over two queue managers give more than one gives to clients",
    caption="Peak rate by message size.",
)

# %% relative
storage = chapter.points("table-08")
chart(
    chapter,
    relative(chapter, storage, of="log_storage", baseline="SSD"),
    x="message_bytes",
    y="share",
    series="log_storage",
    reference=(100, "SSD = 100 %"),
    y_title="Rate relative to SSD (%)",
    title="Logs away from the host leave at most two thirds of the rate",
    caption="Peak rate relative to a recovery log on SSD.",
)

# %% Figure
figure = chapter.topology("rr-cc")
figure.title, figure.caption

# %% plotly_figure
import plotly.graph_objects as go  # noqa: E402

drawn = go.Figure()
for place, (workload, rows) in enumerate(points.groupby("workload")):
    style = style_of(workload, place)
    drawn.add_scatter(
        x=rows["cpu"],
        y=rows["round_trip_rate"],
        mode="markers",
        name=workload,
        marker={"color": style.color, "symbol": style.symbol, "size": 9},
    )
drawn.update_xaxes(title_text="CPU (%)", range=[0, 100])
drawn.update_yaxes(title_text="Round trips/s (logarithmic)", type="log", dtick=1)
plotly_figure(
    chapter,
    drawn,
    points,
    title="Peaks of large messages leave processors idle",
    caption="Rate and processor use at the peak of each message size.",
    alt="Scatter chart of rate over CPU, a point for each peak: low rates go with low CPU.",
)

# %% results_table
results_table(
    chapter,
    storage,
    caption="Peaks by storage of the recovery log",
    row="message_bytes",
    columns="log_storage",
    baseline="SSD",
    metrics=("round_trip_rate",),
)

# %% compare
found = compare(
    chapter,
    "base-quick",
    "base-apart-quick",
    delivery="persistent",
    title="A broker beside its drivers, and one with a processor of its own",
    caption="Persistent messages, means with 95 % intervals.",
)
found.left_out, found.table.caption
found.figure

# %% plain_table
plain_table("Terms", ["Term", "Meaning"], [["peak", "the highest rate of a sweep"]])

# %% Table
results_table(chapter, points, caption="Peaks", row="message_bytes", columns="workload").csv[:95]

# %% cpu_cost
cpu_cost(chapter, points[points["workload"] == "RR-CC"], "set1", "workload")[0]

# %% Measured
here = Measured(chapter, "compression", link_limit_gbps=0.1)
here.levels("compression"), here.levels("message_bytes")

# %% means_of
measured = means_of(here, "compression", "message_bytes")
chart(
    chapter,
    measured,
    x="message_bytes",
    y="round_trip_rate",
    series="compression",
    title="Over a slow link compression pays from 20 KB on",
    caption="Means over the runs of a campaign, with 95 % intervals.",
)

# %% Mean
(mean,) = measured.loc[measured["compression"] == "none", "round_trip_rate"]
chapter.write(mean.quantity), mean.ends, len(mean.values)

# %% variants_figure
variants_figure(
    here,
    "compression",
    message_bytes=20480,
    title="Over a slow link every way of compression pays at 20 KB",
    caption="Means over the runs of a campaign, with 95 % intervals.",
)

# %% measured_lines
measured_lines(
    Measured(chapter, "ha", ha="replicated pair", link_encrypted=False),
    "ha_link_rtt_ms",
    split="message_bytes",
    title="Each millisecond between the two costs small messages more",
    caption="Means over the runs of a campaign, with 95 % intervals.",
)

# %% variants_table
variants_table(
    here, "compression", baseline="none", caption="Rate by compression", message_bytes=20480
)

# %% variants_title
variants_title(
    Measured(chapter, "compression", link_limit_gbps=0, link="proxy", payload="json"),
    "compression",
    what="20 KB over a fast link",
    baseline="none",
    otherwise="Not measured",
    message_bytes=20480,
)

# %% variants_answer
variants_answer(here, "compression", baseline="none", message_bytes=20480).markdown[:160]

# %% variants_agreement
variants_agreement(
    here,
    "compression",
    head="Rate at 20 KB, of that without compression",
    baseline="none",
    published={"LZ4FAST": large.percent_of(small)},
    message_bytes=20480,
).markdown[:160]

# %% disclosure
disclosure(here).markdown[:160]

# %% measured_limits
measured_limits(Measured(chapter, "base", delivery="nonpersistent")).markdown[:160]

# %% claims_table
claims_table(chapter, "50-tls").caption

# %% ingested_table
ingested_table(chapter, "", caption="Ingested") is None

# %% ingested_peaks
ingested_peaks(chapter, "") is None
