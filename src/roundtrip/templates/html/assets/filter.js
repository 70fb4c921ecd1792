// Tables that are filtered together: by table, by verdict, by words. Without this script every row
// is in sight.
(() => {
  "use strict";

  const state = window.roundtripAddress;
  const TONES = ["bad", "mixed", "good", "open"];
  const TONED = TONES.map((tone) => `.tone-${tone}`).join();

  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  const choice = (text, all, names) => {
    const select = element("select", {}, new Option(all, ""));
    names.forEach((name) => select.append(new Option(name, name)));
    return [select, element("label", {}, element("span", { textContent: text }), select)];
  };

  // What is chosen from is named as the column that it stands in: Verdict, Confidence.
  const headOf = (mark) => {
    const heads = [...(mark.closest("table").tHead?.rows ?? [])].at(-1);
    return heads?.cells[mark.closest("td, th").cellIndex]?.textContent.trim() ?? "";
  };

  // The heading of a group stands for its rows, and is in sight with them.
  const headingOf = (row) => row.parentElement.querySelector("tr.group")?.textContent ?? "";
  const bodiesOf = (figure) => [...figure.querySelectorAll("tbody")];

  const filterOf = (group, figures) => {
    const rows = figures.flatMap((figure) =>
      [...figure.querySelectorAll("tbody tr:not(.group)")].map((row) => ({
        row,
        figure,
        text: `${headingOf(row)} ${row.textContent}`.toLowerCase(),
        mark: row.querySelector(TONED),
        verdict: row.querySelector(TONED)?.textContent.trim() ?? "",
        order: TONES.findIndex((tone) => row.querySelector(`.tone-${tone}`)),
      })),
    );
    const [table, tables] = choice("Report", "all", figures.map((f) => f.dataset.filterName));
    const sorted = [...rows].sort((one, other) => one.order - other.order);
    const kinds = [...new Set(sorted.map((each) => each.verdict))].filter(Boolean);
    const mark = rows.find((each) => each.mark)?.mark;
    const [verdict, verdicts] = choice(mark ? headOf(mark) : "", "any", kinds);
    const search = element("input", { type: "search", autocomplete: "off", spellcheck: false });
    const status = element("p", { className: "filter-status" });
    status.setAttribute("role", "status");
    const bar = element(
      "div",
      { className: "table-filter" },
      ...(figures.length > 1 ? [tables] : []),
      ...(kinds.length ? [verdicts] : []),
      element("label", {}, element("span", { textContent: "Words" }), search),
      status,
    );
    bar.setAttribute("role", "search");
    bar.setAttribute("aria-label", `Filter the ${group}`);

    const apply = () => {
      const wanted = words(search.value);
      let count = 0;
      figures.forEach((figure) => (figure.hidden = true));
      rows.forEach((each) => {
        const shown =
          (!table.value || each.figure.dataset.filterName === table.value) &&
          (!verdict.value || each.verdict === verdict.value) &&
          wanted.every((word) => each.text.includes(word));
        each.row.hidden = !shown;
        if (shown) {
          each.figure.hidden = false;
          count += 1;
        }
      });
      figures.flatMap(bodiesOf).forEach((body) => {
        body.hidden = !body.querySelector("tr:not(.group, [hidden])");
      });
      status.textContent = `${count} of ${rows.length} ${group}`;
    };
    const inputs = { report: table, verdict, words: search };
    const keep = () => {
      apply();
      Object.entries(inputs).forEach(([name, input]) =>
        state.set(`${group}.${name}`, input.value.trim()),
      );
    };
    Object.entries(inputs).forEach(([name, input]) => {
      input.value = state.get(`${group}.${name}`);
      if (input.selectedIndex === -1) input.value = ""; // such as a verdict of another edition
      input.addEventListener("input", keep);
    });
    figures[0].before(bar);
    apply();
    state.reveal(figures, () => {
      table.value = verdict.value = search.value = "";
      keep();
    });
  };

  const groups = new Map();
  document.querySelectorAll("figure.table[data-filter]").forEach((figure) => {
    const group = figure.dataset.filter;
    groups.set(group, [...(groups.get(group) ?? []), figure]);
  });
  groups.forEach((figures, group) => filterOf(group, figures));
})();
