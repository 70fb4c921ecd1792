// Answers a workload as `roundtrip size` does: what roundtrip.sizing computes, with the same
// coefficients and in the same words. What differs from the start is kept in the address.
(() => {
  "use strict";
  const { models, groups, sizes, separators } = JSON.parse(
    document.getElementById("calculator-data").textContent,
  );
  const root = document.getElementById("calculator");
  const fields = groups.flatMap(([, those]) => those);
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, separators[1] ?? "");

  // ---- what roundtrip.sizing computes ----
  const { steps } = models;
  const widths = new Map(
    models.widths.map((row) => [`${row.what}/${row.kind}/${row.source}`, row.width ?? Infinity]),
  );
  const at = (demand, size, delay = 0) =>
    demand.each + demand.per_byte * size + delay * (demand.per_ms + demand.per_byte_ms * size);

  const needs = (asked, rate) => {
    const payload = rate * asked.size;
    const logged = asked.delivery !== "nonpersistent";
    const replicated = asked.ha !== "none" || asked.replication !== "none";
    return {
      log: logged ? (2 * payload) / 1e6 : 0,
      writes: logged ? rate * asked.log.writes : 0,
      client: (models.crossings[asked.workload] * payload * 8) / 1e9,
      replica: logged && replicated ? (2 * payload * 8) / 1e9 : 0,
    };
  };
  const allowed = (asked) => {
    const one = needs(asked, 1);
    return [
      ["log bandwidth", asked.log.mb_per_second, one.log],
      ["client link", asked.client_gbps, one.client],
      ["HA link", asked.ha_link.gbps, one.replica],
      ["replication link", asked.replication_link.gbps, one.replica],
    ].flatMap(([name, has, takes]) => (has !== null && takes > 0 ? [[name, has / takes]] : []));
  };

  const meant = ({ factors }, asked) =>
    ["ha", "replication"].every((key) => {
      const has = factors[key] ?? "none";
      return has === asked[key] || (asked[key] === "any" && has !== "none");
    }) &&
    (asked.syncpoint === null || (factors.syncpoint ?? asked.syncpoint) === asked.syncpoint) &&
    factors.workload === asked.workload &&
    factors.delivery === asked.delivery;

  const refusal = (system, asked) => {
    const [least, most] = [system.sizes[0], system.sizes.at(-1)];
    const further = "no test of the models reaches further than";
    if (asked.least < least / steps.size || asked.most > most * steps.size) {
      return `measured from ${system.ranges.size}; ${further} ${steps.size} times beyond`;
    }
    if (asked.compression !== "none") {
      return `no highest rate with ${asked.compression} is printed with CPU time`;
    }
    if (asked.tls !== "none") {
      const extra = system.protections[asked.tls];
      if (!extra) return `its source measured no ${asked.tls}`;
      if (asked.least < extra.size / steps.size || asked.most > extra.size * steps.size) {
        const size = grouped(String(extra.size));
        return `its source measured ${asked.tls} at ${size} B only; no answer reaches further than ${steps.size} times beyond`;
      }
    }
    if (asked.delay > system.delays.at(-1) * steps.delay) {
      return `measured with ${system.ranges.delay}; ${further} ${steps.delay} times beyond`;
    }
    return "";
  };

  const spacing = (throughput, asked, extra, cores) => {
    const processors = (at(throughput.cpu, asked.size) + extra) / (cores * throughput.busy);
    const other = at(throughput.other, asked.size);
    const wait = at(throughput.window, asked.size, asked.delay);
    const added = wait ? Math.max(processors, other) + wait : 0;
    return { processors, other, delay: throughput.joined === "slowest" ? wait : added };
  };

  // Which errors an answer has to reckon with, and what was measured where it reaches beyond that.
  const reach = (system, asked, extra) => {
    const { ranges, sizes: measured } = system;
    const own = system.throughput.cores;
    const cores = asked.cores ?? own;
    const kinds = new Set(["within"]);
    const beyond = [];
    if (asked.least < measured[0] || asked.most > measured.at(-1)) {
      beyond.push(ranges.size);
      kinds.add("beyond");
    }
    if (asked.delay > system.delays.at(-1)) {
      beyond.push(ranges.delay);
      kinds.add("beyond");
    }
    if (cores !== own || asked.core_speed !== 1) {
      beyond.push(ranges.cores);
      kinds.add("other machine");
    }
    if (cores / own < 1 / steps.cores || cores / own > steps.cores) beyond.push(ranges.machine);
    const elsewhere = asked.messages.some((message) => message.bytes !== extra?.size);
    if (extra && (extra.carried || elsewhere)) {
      beyond.push(extra.words);
      kinds.add("protected");
    }
    return [[...kinds], beyond];
  };

  const answer = (system, asked) => {
    const { throughput, response } = system;
    const extra = system.protections[asked.tls];
    const ends = extra ? [extra.seconds, (extra.seconds * asked.size) / extra.size] : [0, 0];
    const added = {
      value: (ends[0] + ends[1]) / 2, low: Math.min(...ends), high: Math.max(...ends),
    };
    const [kinds, beyond] = reach(system, asked, extra);
    const spread = (what, those = kinds) =>
      Math.exp(
        Math.max(...those.map((kind) => widths.get(`${what}/${kind}/${system.source}`) ?? Infinity)),
      );
    const scaled = (estimate, by) => ({
      value: estimate.value * by, low: estimate.low * by, high: estimate.high * by,
    });

    const machine = (asked.cores || throughput.cores) * asked.core_speed;
    const used = at(throughput.cpu, asked.size);
    const cores = scaled(
      {
        value: used + added.value,
        low: (used + added.low) / spread("cores"),
        high: (used + added.high) * spread("cores"),
      },
      asked.later / (asked.core_speed * throughput.busy * asked.target_utilisation),
    );

    const fastest = (seconds) =>
      1 / Math.max(...Object.values(spacing(throughput, asked, seconds, machine)));
    const own = Object.entries(spacing(throughput, asked, added.value, machine))
      .filter(([, seconds]) => seconds)
      .map(([name, seconds]) => [name, 1 / seconds]);
    const given = allowed(asked);
    const most = Math.min(Infinity, ...given.map(([, rate]) => rate));

    const knows =
      response.sizes.length > 0 &&
      response.sizes[0] <= asked.size && asked.size <= response.sizes[1];
    const part = (name) => at(response[name], asked.size, asked.delay);
    const waits = (asked.log.writes * asked.log.write_ms) / 1000;
    const slower = Math.max(spread("response", ["curve"]), spread("rate"));
    const number = asked.connections;
    const copied = asked.delivery !== "nonpersistent" && asked.ha !== "none";
    const link = copied ? (2 * asked.ha_link.rtt_ms) / 1000 : 0;
    const seconds = Math.max(
      knows ? part("alone") + (number - 1) * part("contention") : part("loaded"), link,
    );
    const shortest = Math.max(knows ? seconds / slower : 0, link) + added.low + waits;
    const elsewhere = kinds.includes("other machine");
    const together = elsewhere ? { value: Infinity, low: Infinity, high: Infinity } : {
      value: number / (seconds + added.value + waits),
      low: number / (seconds * slower + added.high + waits),
      high: number / shortest,
    };
    const highest = {
      value: Math.min(most, together.value, ...own.map(([, rate]) => rate)),
      low: Math.min(most, together.low, fastest(added.high) / spread("rate")),
      high: Math.min(most, together.high, fastest(added.low) * spread("rate")),
    };
    const byNumber = [knows ? "requesters" : "requesters, with the response time at the peak", together.value];
    const limits = [...own, ...given, ...(elsewhere ? [] : [byNumber])].sort(
      (one, other) => one[1] - other[1],
    );

    const trip = () => {
      if (!knows) return part("loaded");
      const left = 1 - asked.later * part("contention");
      const [alone, more] = [part("alone"), part("contention")];
      return left > 0 ? Math.max(alone, (alone - more) / left) : Infinity;
    };
    const reached = asked.later <= highest.value ? "" : "not reached";
    const noResponse = elsewhere ? "other machine" : reached;
    const time = noResponse ? 0 : trip();
    return {
      system, cores, highest, beyond, noResponse, atPeak: !knows, limit: limits[0][0],
      headroom: scaled(highest, asked.target_utilisation / asked.later),
      response: noResponse ? null : {
        value: time + added.value + waits,
        low: knows ? time / slower + added.low + waits : 0,
        high: time * slower + added.high + waits,
      },
    };
  };

  const answers = (asked) => {
    const found = [];
    const unanswered = [];
    const told = new Set();
    for (const system of models.systems.filter((each) => meant(each, asked))) {
      const why = refusal(system, asked);
      told.add(system.source);
      if (why) unanswered.push([why, `${system.source}: ${system.label}`]);
      else found.push(answer(system, asked));
    }
    for (const [source, why] of models.silent) if (!told.has(source)) unanswered.push([why, source]);
    found.sort((one, other) => other.headroom.value - one.headroom.value);
    return [found, unanswered];
  };

  // ---- numbers as the report writes them ----
  const write = (value) => {
    if (!Number.isFinite(value)) return "?";
    const rounded = Number(value.toPrecision(3));
    const magnitude = rounded ? 2 - Math.floor(Math.log10(Math.abs(rounded))) : 0;
    const [whole, rest] = rounded.toFixed(Math.max(0, Math.min(4, magnitude))).split(".");
    return grouped(whole) + (rest ? separators[0] + rest : "");
  };
  const written = (estimate) =>
    `${write(estimate.value)} (${write(estimate.low)}–${write(estimate.high)})`;
  const inMilliseconds = (one) => ({
    value: one.value * 1000, low: one.low * 1000, high: one.high * 1000,
  });

  // ---- fields ----
  const NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const SIZE = /^(\d{1,10})(?:\s+(\d+(?:\.\d+)?)\s*%)?$/;

  // What is wrong with a text, or the value that it stands for.
  const parsed = (field, text) => {
    if (field.key === "messages") return parsedSizes(text);
    if (field.names) {
      const known = field.names.includes(text) || (text === "" && field.empty);
      return known ? { value: text === "" ? null : text } : { wrong: "an unknown name" };
    }
    if (text === "" && field.empty) return { value: null };
    const value = NUMBER.test(text) ? Number(text) : NaN;
    return inBounds(field, value) ?? (value > field.measured
      ? { wrong: `${text} ${field.unit} are above every rate that was measured` }
      : { value });
  };
  const inBounds = (field, value) => {
    const fits =
      Number.isFinite(value) &&
      (!field.whole || Number.isInteger(value)) &&
      value >= (field.minimum ?? -Infinity) &&
      value > (field.exclusiveMinimum ?? -Infinity) &&
      value <= (field.maximum ?? Infinity);
    if (fits) return null;
    const told = (end) => (Number.isInteger(end) ? grouped(String(end)) : end);
    const bounds = [
      field.exclusiveMinimum === undefined ? "" : `above ${told(field.exclusiveMinimum)}`,
      field.minimum === undefined ? "" : `of ${told(field.minimum)} at least`,
      field.maximum === undefined ? "" : `of ${told(field.maximum)} at most`,
    ].filter(Boolean);
    return { wrong: `a ${field.whole ? "whole " : ""}number ${bounds.join(" and ")} is needed` };
  };
  const parsedSizes = (text) => {
    const found = text.trim().split(/\s*,\s*/).map((one) => SIZE.exec(one));
    if (found.includes(null)) return { wrong: "sizes are needed, such as 2048 60%, 12288 40%" };
    const value = found.map(([, size, share]) => ({
      bytes: Number(size), share: share === undefined ? 1 : Number(share) / 100,
    }));
    const problem = value.map((one) => inBounds(sizes, one.bytes)).find(Boolean);
    if (problem) return problem;
    if (value.some((one) => !(one.share > 0))) return { wrong: "a share must be above 0" };
    const total = value.reduce((sum, one) => sum + one.share, 0);
    if (Math.abs(total - 1) > 0.001) {
      return { wrong: `the shares add up to ${Number((100 * total).toPrecision(6))} %, not to 100 %` };
    }
    const twice = new Set(value.map((one) => one.bytes)).size < value.length;
    return twice ? { wrong: "a size is given twice" } : { value };
  };

  const startOf = (field) => (field.start === null ? "" : String(field.start));
  const made = new Map();
  const LONG_NAME = 20; // letters that a field of one column shows
  const drawn = (field) => {
    const id = `calculator-${field.key}`;
    const start = startOf(field);
    let input;
    if (field.names) {
      const options = field.names.map((name) => new Option(name, name, name === start, name === start));
      if (field.empty) options.unshift(new Option(field.empty, "", start === "", start === ""));
      input = element("select", { id }, ...options);
    } else {
      const text = field.key === "messages";
      input = element("input", {
        id, type: "text", inputMode: text ? "text" : "decimal", autocomplete: "off",
        defaultValue: start, placeholder: field.empty, spellcheck: false,
      });
    }
    made.set(field.key, input);
    const name = field.unit ? `${field.label} (${field.unit})` : field.label;
    const label = element("label", { htmlFor: id }, element("span", { textContent: name }), input);
    const className = field.names?.some((name) => name.length > LONG_NAME) ? "wide" : "";
    return element("div", { className }, label, element("p", { className: "wrong", id: `${id}-wrong` }));
  };

  // ---- the page ----
  const status = element("p", { className: "calculator-status" });
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  status.id = "calculator-status";
  const results = element("div", { className: "calculator-results" });
  const form = element(
    "form",
    {},
    ...groups.map(([title, those]) =>
      element("fieldset", {}, element("legend", { textContent: title }), ...those.map(drawn)),
    ),
    element("button", { type: "reset", className: "action", textContent: "Start again" }),
  );
  form.setAttribute("aria-label", "Calculator");
  root.replaceChildren(form, status, results);

  let said = ""; // of what was asked, and is not as it was asked
  const tell = (text) => {
    status.textContent = [said, text].filter(Boolean).join(" ");
  };

  // The workload of the form, or null after saying what is wrong.
  const workload = () => {
    const asked = { log: {}, ha_link: {}, replication_link: {} };
    let problem = null;
    for (const field of fields) {
      const input = made.get(field.key);
      const idle = field.idle && made.get(field.idle[0]).value === field.idle[1];
      input.disabled = Boolean(idle);
      const [part, name] = field.key.split(".");
      // What means nothing is taken as a workload file leaves it out.
      const usual = models.defaults[part];
      const found = idle ? { value: name ? usual[name] : usual } : parsed(field, input.value.trim());
      if (field.key === "rate_in_two_years" && found.value && found.value < asked.rate) {
        found.wrong = "below the rate now; leave it empty if the load falls, to size for now";
      }
      const wrong = document.getElementById(`${input.id}-wrong`);
      wrong.textContent = found.wrong ?? "";
      if (found.wrong) {
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", wrong.id);
        problem ??= `${field.label}: ${found.wrong}.`;
      } else {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
      }
      if (name) asked[part][name] = found.value;
      else asked[part] = found.value;
    }
    status.classList.toggle("refused", problem !== null);
    if (problem !== null) {
      tell(problem);
      return null;
    }
    const { messages } = asked;
    const total = messages.reduce((sum, one) => sum + one.share, 0);
    asked.size = messages.reduce((sum, one) => sum + one.share * one.bytes, 0) / total;
    asked.least = Math.min(...messages.map((one) => one.bytes));
    asked.most = Math.max(...messages.map((one) => one.bytes));
    asked.later = asked.rate_in_two_years || asked.rate;
    asked.delay = asked.ha_link.rtt_ms + asked.replication_link.rtt_ms;
    return asked;
  };

  const HEADS = [
    "Cores", "Highest rate (round trips/s)", "Headroom", "Response time (ms)", "Limited by",
  ];
  // A range stays whole; a name breaks after an underscore.
  const number = (text) => {
    const [value, range] = text.split(/ (?=\()/);
    const rest = range ? [" ", element("span", { className: "range", textContent: range })] : [];
    return element("td", { className: "right" }, value, ...rest);
  };
  const breaking = (text) => text.split(/(?<=_)/).flatMap((part) => [part, element("wbr")]);
  const rows = (one, asked) => {
    const name = element("th", {
      scope: "rowgroup", colSpan: HEADS.length, textContent: one.system.label,
    });
    const note = (text) =>
      name.append(element("span", { className: "note" }, ...breaking(text)));
    if (one.beyond.length) note(`beyond what was measured, which is ${one.beyond.join("; ")}`);
    const kilobytes = one.system.client_kb;
    if (kilobytes.length) {
      const [least, most] = [Math.min(...kilobytes), Math.max(...kilobytes)].map((each) =>
        write((each * asked.connections * 1024) / 1e6),
      );
      note(`memory for ${asked.connections} connections: ${least}–${most} MB`);
    }
    const time = one.response && inMilliseconds(one.response);
    const response = !time ? one.noResponse : one.atPeak ? `${write(time.value)} at peak` : written(time);
    const numbers = [written(one.cores), written(one.highest), written(one.headroom), response];
    const line = element(
      "tr", {}, ...numbers.map(number), element("td", { className: "left", textContent: one.limit }),
    );
    [...line.cells].forEach((cell, at) => (cell.dataset.label = HEADS[at]));
    return element("tbody", {}, element("tr", { className: "group" }, name), line);
  };
  const table = (found, asked) => {
    const heads = HEADS.map((text, column) =>
      element("th", {
        scope: "col", className: column < HEADS.length - 1 ? "right" : "", textContent: text,
      }),
    );
    const region = element(
      "div",
      { className: "table-scroll", tabIndex: 0 },
      element(
        "table", { className: "many-columns stacked" }, element("thead", {}, element("tr", {}, ...heads)),
        ...found.map((one) => rows(one, asked)),
      ),
    );
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", "Answers, the most headroom first");
    return region;
  };
  const paragraph = (textContent) => element("p", { className: "table-note", textContent });
  const list = (unanswered) => {
    const reasons = new Map();
    for (const [why, name] of unanswered) reasons.set(why, [...(reasons.get(why) ?? []), name]);
    return element(
      "details",
      {},
      element("summary", { textContent: `No answer from ${unanswered.length} systems and sources` }),
      element(
        "dl", {},
        ...[...reasons].flatMap(([why, names]) => [
          element("dt", { textContent: why }),
          ...names.map((name) => element("dd", { textContent: name })),
        ]),
      ),
    );
  };

  const compute = () => {
    const asked = workload();
    results.replaceChildren();
    if (asked === null) return false;
    const inputs = fields.filter((field) => !made.get(field.key).disabled).map((field) => {
      const input = made.get(field.key);
      const value = input.value || field.empty;
      return `${field.label}: ${value}${field.unit && input.value ? ` ${field.unit}` : ""}`;
    });
    results.append(element("p", { className: "asked", textContent: `Asked: ${inputs.join("; ")}.` }));
    const [found, unanswered] = answers(asked);
    const [first] = found;
    tell(first
      ? `Systems with an answer: ${found.length}. ` +
        `The most headroom: ${first.system.label}, ${written(first.headroom)}, limited by ${first.limit}.`
      : "No source supports an answer.");
    if (first) {
      results.append(
        table(found, asked),
        paragraph(
          "In brackets: 90 % intervals. Cores are those for the rate in two years at the target " +
            "utilisation; headroom is the highest rate at that utilisation over the rate in two years. At " +
            "peak: only the response time at the peak is known; below the peak it is shorter. " +
            "Requesters, with the response time at the peak: they reach at least this rate. " +
            "Other: what limited the source other than its processors.",
        ),
      );
      if (found.some((one) => one.noResponse === "other machine")) {
        results.append(paragraph(models.other_machine));
      }
    }
    const takes = needs(asked, asked.later);
    const payload = [
      [takes.log, "MB/s to the recovery log"],
      [takes.writes, "log writes/s before any are combined"],
      [takes.client, "Gb/s in each direction between applications and queue manager"],
      [takes.replica, "Gb/s to each replica"],
    ].filter(([amount]) => amount);
    if (payload.length) {
      const words = payload.map(([amount, unit]) => `${write(amount)} ${unit}`).join(", ");
      results.append(paragraph(`Payload only, at the rate in two years, for any system: ${words}.`));
    }
    results.append(list(unanswered));
    return true;
  };

  // ---- state, kept in the address ----
  const stated = () => new URLSearchParams(location.hash.slice(1));
  // The later rate of the example says nothing of a workload whose rate is above it already.
  const asNow = () => {
    const [now, later] = ["rate", "rate_in_two_years"].map((key) =>
      fields.find((field) => field.key === key),
    );
    const [rate, input] = [made.get(now.key).value.trim(), made.get(later.key)];
    const isExample = input.value !== "" && input.value === startOf(later);
    if (!isExample || parsed(now, rate).wrong || Number(rate) <= Number(input.value)) return "";
    input.value = "";
    return `${later.label}: as now, because the example’s is below the rate now.`;
  };
  const read = () => {
    const state = stated();
    const ignored = [...state]
      .filter(([key]) => !made.has(key))
      .map(([key, text]) => [key, text, "an unknown name"]);
    for (const field of fields) {
      const text = state.get(field.key);
      const { wrong } = text === null ? {} : parsed(field, text);
      made.get(field.key).value = text === null || wrong ? startOf(field) : text;
      if (wrong) ignored.push([field.key, text, wrong]);
    }
    const words = ignored.map(([key, text, wrong]) => `‘${`${key}=${text}`.slice(0, 40)}’ (${wrong.slice(0, 80)})`);
    const told = words.length
      ? `Ignored in the address: ${words.join("; ")}. The example’s values stand instead.`
      : "";
    said = [told, state.has("rate_in_two_years") ? "" : asNow()].filter(Boolean).join(" ");
    if (said) keep();
    else compute();
  };
  const keep = () => {
    if (!compute()) return;
    const state = new URLSearchParams();
    for (const field of fields) {
      const input = made.get(field.key);
      if (!input.disabled && input.value !== startOf(field)) state.set(field.key, input.value);
    }
    history.replaceState(null, "", `#${state.size ? state : root.id}`);
  };
  const open = () => {
    if (!location.hash.includes("=")) return; // a place on the page
    read();
    root.scrollIntoView();
  };
  form.addEventListener("input", ({ target }) => {
    said = target === made.get("rate") ? asNow() : "";
    keep();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const field of fields) made.get(field.key).value = startOf(field);
    said = "";
    keep();
  });
  addEventListener("hashchange", open);
  compute();
  open();
})();
