// Sets points of reports and campaigns side by side. What is chosen is kept in the address; without
// anything there, the page opens with an example. The gate is the report's own: what it calls not
// comparable is refused here too, with the reason.
(() => {
  "use strict";
  const { separators, measured, metrics, sizes, factors, sources, series, colors } =
    window.roundtripComparison;
  const MOST = 7; // as many as can be told apart
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star"];
  const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "5px 2px"];
  const EXAMPLE =
    "An example to begin with: a series with the most message sizes, beside the one that shares most " +
    "of them and differs from it in the fewest factors.";
  const NO_PAIR =
    "No two series of this report may be compared. Choose two, and the page says why.";
  const root = document.getElementById("compare");
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const byId = new Map(series.map((each) => [each.id, each]));
  const levelOf = (one, at) => (at in one.factors ? factors[at].levels[one.factors[at]] : null);
  const distinct = (values) => [...new Set(values)];

  // ---- numbers and names ----
  const write = (value, decimals) => {
    const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, separators[1] ?? "");
    return (value < 0 ? "−" : "") + grouped + (rest ? separators[0] + rest : "");
  };
  const withUnit = (label, unit) => {
    const word = `(?<![\\p{L}\\d’])${unit.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\d])`;
    return new RegExp(word, "iu").test(label) ? label : `${label} (${unit})`;
  };
  const decimalsOf = (value) => (value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
  const placeOf = (one) =>
    one.kind === "table" ? `${sources[one.source].label}, ${one.place}` : sources[one.source].label;
  // What tells a series from others: the levels in which they differ.
  const telling = (ones) =>
    factors
      .map((_, at) => at)
      .filter((at) => !factors[at].machine && distinct(ones.map((one) => levelOf(one, at))).length > 1);
  const nameOf = (one, among, ats = telling(among)) => {
    const words = ats.filter((at) => levelOf(one, at)).map((at) => {
      const level = levelOf(one, at);
      return /^\d/.test(level) ? `${inside(factors[at].label)} ${level}` : level;
    });
    if (one.requesters && distinct(among.map((each) => each.requesters)).length > 1) {
      words.push(`${one.requesters} requester${one.requesters === 1 ? "" : "s"}`);
    }
    if (distinct(among.map((each) => each.how)).length > 1) words.push(one.how);
    return distinct(words).join(", ");
  };

  // ---- the gate ----
  const refusal = (chosen) => {
    const kinds = chosen.map((one) => one.kind === measured);
    if (kinds.includes(true) && kinds.includes(false)) {
      return "Published and measured points are not compared with each other: product, machine and driver differ all at once.";
    }
    for (const [at, factor] of factors.entries()) {
      const stated = distinct(chosen.map((one) => levelOf(one, at))).filter((level) => level !== null);
      if (factor.must && factor.examined && stated.length > 1) {
        return `Points with different ${inside(factor.label)} are not compared: ${stated.join(", ")}.`;
      }
    }
    return "";
  };
  const inside = (label) => {
    const first = label.split(" ")[0];
    return /[A-Z]/.test(first.slice(1)) ? label : label[0].toLowerCase() + label.slice(1);
  };
  // Of machines, what neither of two sources states is not known to be the same.
  const differences = (chosen) => {
    const several = distinct(chosen.map((one) => one.source)).length > 1;
    return factors
      .map((factor, at) => [factor, distinct(chosen.map((one) => levelOf(one, at)))])
      .filter(([factor]) => factor.examined)
      .filter(([factor, levels]) =>
        levels.length > 1 || (factor.machine && several && levels.includes(null)))
      .map(([factor, levels]) => {
        const label = inside(factor.label);
        if (!factor.told) return levels.includes(null) ? `${label} (not always stated)` : label;
        const words = levels.map((level) => level ?? "not stated");
        return `${label} (${words.join(words.some((word) => word.includes(",")) ? "; " : ", ")})`;
      });
  };
  const sharedBy = (chosen) => {
    const alike = (at) => distinct(chosen.map((one) => levelOf(one, at))).length === 1;
    const held = factors
      .map((factor, at) => [factor, levelOf(chosen[0], at), at])
      .filter(([factor, level, at]) => factor.examined && !factor.machine && level && alike(at))
      .map(([factor, level]) => (level.startsWith("no ") ? level : `${inside(factor.label)} ${level}`));
    return distinct(held).join(", ");
  };
  // As the report's captions: the gate leaves requesters out, as they follow from the search for a peak.
  const loadsOf = (seen) => {
    if (seen.length < 2 || seen.some((one) => !one.ends.length)) return "";
    const ends = seen.flatMap((one) => one.ends);
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    const told = distinct([least, most]).map((count) => write(count, 0)).join(" to ");
    if (seen[0].kind === measured) return ` Measured with ${told} requester${most === 1 ? "" : "s"}.`;
    const peaks = seen.every((one) => one.how === "peak") ? "each at its peak, " : "";
    return ` Requesters: ${peaks}${told}.`;
  };
  // A ratio carries how far its sources' own repeated rates differ.
  const marginOf = (seen) =>
    state.as === "ratio" && seen.length > 1 && metrics[metricAt()].margin
      ? distinct(seen.map((one) => sources[one.source].margin).filter(Boolean)).map((text) => ` ${text}`).join("")
      : "";

  // ---- state, kept in the address ----
  const state = { metric: metrics[0].id, unit: "", as: "absolute", base: "", chosen: [], log: false };
  const KEYS = ["metric", "as", "base", "axis", "unit", "series"];
  // A place on the page, such as the one to skip to, is no state.
  const isPlace = () => /^#[^=]+$/.test(location.hash);
  const stated = () => new URLSearchParams(isPlace() ? "" : location.hash.slice(1));
  // What is not understood is told, and then taken out of the address.
  const read = () => {
    const given = stated();
    const asked = distinct((given.get("series") ?? "").split(",").filter(Boolean));
    const known = asked.filter((id) => byId.has(id));
    state.chosen = known.slice(0, MOST);
    const unknown = [...given.keys()].filter((key) => !KEYS.includes(key));
    const valueOf = (key, values) => {
      const value = given.get(key);
      if (value === null || values.includes(value)) return value ?? values[0];
      unknown.push(`${key}=${value}`);
      return values[0];
    };
    state.metric = valueOf("metric", metrics.map((metric) => metric.id));
    state.as = valueOf("as", ["absolute", "core", "ratio"]);
    state.log = valueOf("axis", ["", "log"]) === "log";
    state.unit = valueOf("unit", metrics[metricAt()].units.map(({ unit }) => unit));
    state.base = valueOf("base", ["", ...state.chosen]);
    const [lost, many] = [asked.length - known.length, known.length - state.chosen.length];
    const said = [];
    if (lost) said.push(`${lost} of the series in the address ${lost === 1 ? "is" : "are"} not in this edition.`);
    if (many) said.push(`Of the series in the address, ${many} ${many === 1 ? "is" : "are"} left out: at most ${MOST} can be told apart.`);
    if (unknown.length) said.push(`Not understood in the address: ${distinct(unknown).map((text) => `‘${text.slice(0, 40)}’`).join(", ")}.`);
    state.said = said.join(" ");
  };
  const keep = () => {
    if (!state.chosen.includes(state.base)) state.base = "";
    const kept = new URLSearchParams({ metric: state.metric });
    if (state.as !== "absolute") kept.set("as", state.as);
    if (state.base) kept.set("base", state.base);
    if (state.log) kept.set("axis", "log");
    if (unitAt() !== metrics[metricAt()].units[0]) kept.set("unit", state.unit);
    if (state.chosen.length) kept.set("series", state.chosen.join(","));
    history.replaceState(null, "", `#${kept.toString().replaceAll("%2C", ",")}`);
  };

  // ---- the example that the page opens with ----
  // Beside a series the one that shares most sizes with it and, of these, differs in fewest factors.
  const partnerOf = (one, among, at) => {
    const own = new Set(one.values[at].map(([size]) => size));
    const shared = (other) => other.values[at].filter(([size]) => own.has(size)).length;
    const [found] = among
      .filter((other) => shared(other) && telling([one, other]).length && !refusal([one, other]))
      .map((other) => ({ other, shared: shared(other), differ: differences([one, other]).length }))
      .sort((a, b) => b.shared - a.shared || a.differ - b.differ);
    return found?.other;
  };
  const example = () => {
    for (const [at, { id: metric }] of metrics.entries()) {
      const among = series.filter((one) => one.values[at]);
      const longest = [...among].sort((a, b) => b.values[at].length - a.values[at].length);
      for (const one of longest) {
        const other = partnerOf(one, among, at);
        if (other) return { metric, chosen: [one.id, other.id] };
      }
    }
    return null;
  };

  // ---- values ----
  const metricAt = () => metrics.findIndex((metric) => metric.id === state.metric);
  const unitAt = () => {
    const { units } = metrics[metricAt()];
    return units.find(({ unit }) => unit === state.unit) ?? units[0];
  };
  const pointsOf = (one) =>
    (one.values[metricAt()] ?? []).map(([size, value, decimals, anchor, doubt, low, high]) => ({
      size, value, decimals, doubt, low, high, href: one.page && `${one.page}#${one.prefix}${anchor}`,
    }));
  const shown = (one, base) => {
    const points = pointsOf(one);
    if (state.as !== "ratio") {
      const by = unitAt().factor / (state.as === "core" ? one.cores : 1);
      return by === 1 ? points : points.map((point) => scaled(point, by));
    }
    const whole = new Map(pointsOf(base).map((point) => [point.size, point]));
    return points
      .filter((point) => whole.get(point.size)?.value)
      .map((point) => {
        const by = whole.get(point.size);
        const ratio = scaled(point, 1 / by.value, 3);
        if (one === base) return { ...ratio, low: undefined, high: undefined };
        // From the lowest run over the baseline's highest to the highest over its lowest.
        const [low, high] = [by.low ?? by.value, by.high ?? by.value];
        const spread = point.low !== undefined || by.low !== undefined;
        if (!spread || !(low > 0)) return { ...ratio, low: undefined, high: undefined };
        const ends = [(point.low ?? point.value) / high, (point.high ?? point.value) / low];
        return { ...ratio, low: ends[0], high: ends[1] };
      });
  };
  const scaled = (point, by, decimals) => {
    const value = point.value * by;
    const times = (end) => (end === undefined ? end : end * by);
    return {
      ...point, value, low: times(point.low), high: times(point.high),
      decimals: decimals ?? decimalsOf(value),
    };
  };

  // ---- choice ----
  const select = (name, options) => {
    const made = part(name);
    made.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    return made;
  };
  const deliveryAt = factors.findIndex((factor) => factor.delivery);
  const list = () => {
    const among = series.filter((one) => one.values[metricAt()]);
    // A source without the metric has nothing to choose from.
    const offered = part("source");
    [...offered.options].slice(1).forEach((option) => {
      option.disabled = !among.some((one) => String(one.source) === option.value);
    });
    if (offered.selectedOptions[0].disabled) offered.value = "";
    const source = offered.value;
    const delivery = part("delivery").value;
    const words = part("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = sources.map((each, at) => {
      const own = among.filter((one) => one.source === at);
      const ats = telling(own);
      const rows = own
        .filter((one) => source === "" || Number(source) === at)
        .filter((one) => delivery === "" || String(one.factors[deliveryAt] ?? "") === delivery)
        .map((one) => {
          const place = one.kind === "table" ? one.place : "";
          const name = [place, nameOf(one, own, ats)].filter(Boolean).join(": ") || each.label;
          const at = pointsOf(one).map((point) => sizes[point.size]).join(", ");
          return [one, `${name} – ${at}`];
        })
        .filter(([, name]) => {
          const text = `${each.label} ${name}`.toLowerCase();
          return words.every((word) => text.includes(word));
        });
      return [each, rows];
    });
    const full = state.chosen.length >= MOST;
    const fields = groups
      .filter(([, rows]) => rows.length)
      .map(([each, rows]) =>
        element(
          "fieldset",
          {},
          element("legend", {}, each.label),
          ...rows.map(([one, name]) => {
            const box = element("input", { type: "checkbox", value: one.id });
            box.checked = state.chosen.includes(one.id);
            box.disabled = full && !box.checked;
            return element("label", {}, box, element("span", {}, name));
          }),
        ),
      );
    const place = part("list").scrollTop;
    const focused = document.activeElement?.value;
    part("list").replaceChildren(...fields);
    part("list").scrollTop = place;
    if (focused) part("list").querySelector(`[value="${CSS.escape(focused)}"]`)?.focus();
    const count = groups.reduce((sum, [, rows]) => sum + rows.length, 0);
    part("listed").textContent = `${count} series`;
    part("count").textContent = `Choose series: ${state.chosen.length} of at most ${MOST} chosen`;
  };
  // In sight also where the list is closed or a comparison refused, so that one can be taken out.
  const fullName = (one, among) => [placeOf(one), nameOf(one, among)].filter(Boolean).join(": ");
  const without = (one) => {
    state.chosen = state.chosen.filter((id) => id !== one.id);
    changed();
    const next = part("chosen").querySelector("button") ?? part("count");
    next.focus();
  };
  const listChosen = (chosen) => {
    const items = chosen.map((one) => {
      const name = fullName(one, chosen);
      const button = element("button", { type: "button", className: "action" }, "Remove");
      button.setAttribute("aria-label", `Remove ${name}`);
      button.addEventListener("click", () => without(one));
      return element("li", {}, element("span", {}, name), button);
    });
    part("chosen").replaceChildren(...items);
  };

  // ---- result ----
  const cell = (point) => {
    if (!point) return element("td", { className: "right" }, "–");
    const text = write(point.value, point.decimals) + (point.doubt ? "*" : "");
    const link = point.href ? element("a", { href: point.href }, text) : text;
    const range = element("span", { className: "compare-range" }, rangeOf(point).replace(/[()]/g, ""));
    return element("td", { className: "right" }, link, ...(point.low === undefined ? [] : [range]));
  };
  const csv = (rows, unit) => {
    // As in the other downloads: no spreadsheet takes a text for a formula.
    const plain = (each) => (typeof each === "string" && /^[=+@\t\r-](?!$)/.test(each) ? `'${each}` : `${each}`);
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = rows.flatMap(({ name, one, points }) =>
      points.map((point) => [
        name, placeOf(one), point.size, point.value, point.low ?? "", point.high ?? "", unit, point.doubt,
      ]),
    );
    const head = ["series", "source", "message_bytes", "value", "lowest", "highest", "unit", "doubt"];
    const text = [head, ...lines].map((line) => `${line.map((each) => quoted(plain(each))).join(",")}\n`);
    const link = part("csv");
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob(text, { type: "text/csv" }));
  };
  const table = (rows, columns) => {
    const heads = ["Series", ...columns.map((size) => sizes[size])];
    const head = heads.map((text, at) =>
      element("th", { scope: "col", className: at ? "right" : "left" }, text),
    );
    const body = rows.map(({ name, one, points }) => {
      const place = name.startsWith(placeOf(one)) ? "" : placeOf(one);
      const first = element("th", { scope: "row", className: "left" }, name, element("span", { className: "compare-range" }, place));
      return element(
        "tr",
        {},
        first,
        ...columns.map((size) => cell(points.find((point) => point.size === size))),
      );
    });
    part("table").replaceChildren(
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...body),
    );
  };
  // Variants that the theme names keep their colours where these tell the series apart.
  const colorsOf = (ones) => {
    const named = (ones.length > 1 ? telling(ones) : Object.keys(factors))
      .map((at) => ones.map((one) => factors[at].named[one.factors[at]]))
      .map((found) => [found, found.filter(Boolean)])
      .find(([, known]) => known.length && distinct(known).length === known.length);
    const [kept, known] = named ?? [ones.map(() => null), []];
    const free = colors.filter((color) => !known.includes(color));
    const rest = free.length ? free : colors;
    let next = 0;
    return kept.map((color) => color ?? rest[next++ % rest.length]);
  };
  const chart = (rows, columns, title) => {
    const given = colorsOf(rows.map(({ one }) => one));
    const data = rows.map(({ name, one, points }, at) => {
      const hollow = one.kind === measured;
      const color = given[at];
      const bars = points.map(({ value, low, high }) =>
        low === undefined ? [null, null] : [high - value, value - low],
      );
      return {
        type: "scatter", mode: "lines+markers", name: escape(name), cliponaxis: false,
        x: points.map((point) => sizes[point.size]),
        y: points.map((point) => point.value),
        error_y: {
          type: "data", symmetric: false, thickness: 1.2, visible: bars.some(([up]) => up),
          array: bars.map(([up]) => up), arrayminus: bars.map(([, down]) => down),
        },
        text: points.map((point) => [write(point.value, point.decimals), rangeOf(point)].join("")),
        hovertemplate: `%{text}<br>${title.axis}<br>%{x}<extra>${escape(name)}</extra>`,
        line: { color, width: 2, dash: DASHES[at] },
        marker: { color, size: 9, symbol: SYMBOLS[at] + (hollow ? "-open" : ""), line: { width: 2, color } },
      };
    });
    const axis = { gridcolor: "#e0e0e0", linecolor: "#161616", ticks: "outside", tickcolor: "#8d8d8d" };
    const layout = {
      width: 760, height: 380 + 20 * rows.length, separators,
      margin: { t: 44 + 20 * rows.length, r: 24, b: 56, l: 88 },
      title: { text: title.text, x: 0, xref: "container", xanchor: "left", y: 0.98, yanchor: "top", font: { size: 15, weight: 600 } },
      legend: { orientation: "v", x: 0, y: 1.02, yanchor: "bottom" }, showlegend: true,
      xaxis: { ...axis, type: "category", categoryarray: columns.map((size) => sizes[size]), title: { text: "Message size" } },
      yaxis: { ...axis, title: { text: title.axis, standoff: 8 }, rangemode: "tozero", exponentformat: "none", separatethousands: true, ...decades(rows) },
    };
    const figure = document.getElementById("fig-compare");
    figure.querySelector(".figure-spec").textContent = JSON.stringify({ data, layout });
    figure.querySelector(".figure-live").setAttribute("aria-label", `${title.text}. The table below holds every value.`);
    window.roundtripFigures.show(figure);
  };
  // Ticks at 1, 2 and 5, or at decades where there are many; as on the other charts of the report.
  const decades = (rows) => {
    const ends = rows.flatMap(({ points }) => points.flatMap((point) => [point.value, point.low, point.high]));
    const logs = ends.filter((end) => end > 0).map(Math.log10);
    if (!state.log || !logs.length) return {};
    const [low, high] = [Math.min(...logs) - 0.12, Math.max(...logs) + 0.12];
    const exponents = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, at) => Math.floor(low) + at);
    const ticks = exponents
      .flatMap((exponent) => (high - low < 3.2 ? [1, 2, 5] : [1]).map((step) => [step, exponent]))
      .filter(([step, exponent]) => low <= Math.log10(step) + exponent && Math.log10(step) + exponent <= high);
    return {
      type: "log", range: [low, high],
      tickvals: ticks.map(([step, exponent]) => step * 10 ** exponent),
      ticktext: ticks.map(([step, exponent]) => write(step * 10 ** exponent, Math.max(0, -exponent))),
    };
  };
  const rangeOf = ({ low, high, decimals }) =>
    low === undefined ? "" : ` (${write(low, decimals)}–${write(high, decimals)})`;
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

  const result = () => {
    const chosen = state.chosen.map((id) => byId.get(id));
    const metric = metrics[metricAt()];
    const seen = chosen.filter((one) => one.values[metricAt()]);
    const base = seen.find((one) => one.id === state.base) ?? seen[0];
    listChosen(chosen);
    select("base", seen.map((one) => [one.id, fullName(one, chosen)])).value = base?.id ?? "";
    part("base-field").hidden = state.as !== "ratio";
    select("unit", metric.units.map(({ unit }) => [unit, unit])).value = unitAt().unit;
    part("unit-field").hidden = state.as === "ratio" || metric.units.length < 2;
    const lacking = chosen.filter((one) => !seen.includes(one));
    const coreless = chosen.filter((one) => !one.cores);
    let refused = chosen.length ? refusal(chosen) : "";
    if (!refused && state.as === "core" && !metric.rate) {
      refused = `${metric.units[0].label} is no rate: there is nothing to divide by cores.`;
    }
    if (!refused && state.as === "core" && coreless.length) {
      refused = `The cores that share the work are not known: ${distinct(coreless.map(placeOf)).join("; ")}.`;
    }
    if (!refused && chosen.length && !seen.length) {
      refused = "None of the series chosen has this metric.";
    }
    part("verdict").classList.toggle("refused", Boolean(refused));
    part("result").hidden = !chosen.length || Boolean(refused);
    part("verdict").textContent = [refused || begun(), state.said].filter(Boolean).join(" ");
    if (part("result").hidden) return;
    const rows = seen.map((one) => ({
      one, name: nameOf(one, seen) || placeOf(one), points: shown(one, base),
    }));
    const named = rows.map((row) => row.name);
    rows.forEach((row) => {
      if (named.filter((name) => name === row.name).length > 1) row.name = `${placeOf(row.one)}: ${row.name}`;
    });
    const columns = Object.keys(sizes).map(Number).filter((size) => rows.some(({ points }) => points.some((point) => point.size === size)));
    const ratio = state.as === "ratio";
    const unit = ratio ? "× the baseline" : state.as === "core" ? `${unitAt().unit} per core` : unitAt().unit;
    const baseName = ratio ? `, relative to ${rows.find((row) => row.one === base)?.name ?? placeOf(base)}` : "";
    const what = state.as === "core" ? `${unitAt().label} per core` : unitAt().label;
    const axis = withUnit(what, unit);
    chart(rows, columns, { text: escape(`${what} by message size${baseName}`), axis: escape(state.log ? logarithmic(axis) : axis) });
    table(rows, columns);
    csv(rows, unit);
    part("caption").textContent = axis + baseName;
    const differ = differences(seen);
    const loads = loadsOf(seen);
    const other = loads.includes(" to ") ? "other " : "";
    const held = differ.length
      ? ` Not held constant: ${differ.join(", ")}.`
      : seen.length > 1 ? ` No ${other}factor that the sources state differs.` : "";
    const alike = seen.length > 1 ? sharedBy(seen) : "";
    part("about").textContent =
      `${what} by message size${baseName}.${loads}${held}${alike && ` Held constant: ${alike}.`}${marginOf(seen)}`;
    const places = new Map(rows.map(({ one }) => [placeOf(one), pointsOf(one)[0].href]));
    const links = [...places].flatMap(([place, href]) => ["; ", href ? element("a", { href }, place) : place]);
    part("sources").replaceChildren("Source: ", ...links.slice(1));
    const notes = [];
    if (rows.some(({ points }) => points.some((point) => point.low !== undefined))) notes.push("Values of several runs are their means; bars and ranges are no intervals: they reach from the lowest to the highest run" + (ratio ? ", of ratios from the lowest over the baseline’s highest to the highest over its lowest." : "."));
    if (state.as === "core") notes.push("Per core: divided by all physical cores of the host under test, busy or not.");
    if (lacking.length) notes.push(`Without this metric: ${lacking.map((one) => fullName(one, chosen)).join("; ")}.`);
    if (rows.some(({ points }) => points.some((point) => point.doubt))) notes.push("* The report doubts or corrects this value: see its cell.");
    part("notes").replaceChildren(...notes.map((text) => element("li", {}, text)));
  };

  const logarithmic = (axis) =>
    axis.endsWith(")") ? `${axis.slice(0, -1)}, logarithmic)` : `${axis} (logarithmic)`;
  // What is said before a reader has chosen anything.
  const begun = () => {
    if (state.example) return EXAMPLE;
    if (state.chosen.length) return "";
    return example() ? "Choose series to compare." : NO_PAIR;
  };

  const update = () => {
    part("metric").value = state.metric;
    part("as").value = state.as;
    part("log").checked = state.log;
    list();
    result();
  };
  const changed = () => {
    Object.assign(state, { example: false, said: "" });
    keep();
    update();
  };
  select("metric", metrics.map((metric) => [metric.id, withUnit(metric.units[0].label, metric.units[0].unit)]));
  select("as", [["absolute", "as observed"], ["core", "per core"], ["ratio", "as a ratio"]]);
  select("source", [["", "all"], ...sources.map((each, at) => [String(at), each.label])]);
  const deliveries = factors[deliveryAt]?.levels ?? [];
  select("delivery", [["", "all"], ...deliveries.map((name, at) => [String(at), name])]);
  part("metric").addEventListener("change", (event) => {
    state.metric = event.target.value;
    changed();
  });
  part("unit").addEventListener("change", (event) => {
    state.unit = event.target.value;
    changed();
  });
  part("as").addEventListener("change", (event) => {
    state.as = event.target.value;
    changed();
  });
  part("base").addEventListener("change", (event) => {
    state.base = event.target.value;
    changed();
  });
  part("log").addEventListener("change", (event) => {
    state.log = event.target.checked;
    changed();
  });
  part("clear").addEventListener("click", () => {
    state.chosen = [];
    changed();
  });
  ["source", "delivery"].forEach((name) => part(name).addEventListener("change", list));
  part("words").addEventListener("input", list);
  part("list").addEventListener("change", ({ target }) => {
    state.chosen = target.checked
      ? [...state.chosen, target.value]
      : state.chosen.filter((id) => id !== target.value);
    changed();
  });
  const open = () => {
    read();
    const found = ["metric", "series"].some((key) => stated().has(key)) ? null : example();
    Object.assign(state, found);
    if (found || state.said) keep();
    state.example = Boolean(found);
    update();
    part("choice").open = part("result").hidden;
  };
  addEventListener("hashchange", () => (isPlace() ? keep() : open()));
  part("page").hidden = false;
  open();
})();
