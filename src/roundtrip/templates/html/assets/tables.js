// Long tables: sorted by a click on a header, within their groups, and filtered by words. Without
// this script they stand in the order of the report.
(() => {
  "use strict";
  const state = window.roundtripAddress;
  const WAYS = { up: "ascending", down: "descending" };
  const UNITS = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

  // A number, with what follows it without a space (20ms), a unit of bytes or the other end of an
  // interval; no version, no date.
  const NUMBERS = new Map([[".", ","], [",", "."]].map(([mark, group]) => {
    const whole = `\\d{1,3}(?:[${group}\\u00a0\\u202f]\\d{3})+|\\d+`;
    const rest = "(?:\\s*([KMG]?B)\\b)?[^\\s\\d–-]*(?:(?!\\S)|(?=–\\d))";
    return [mark, new RegExp(`^\\(?([~<>≤≥−+-]*)\\s*(${whole})(?:[${mark}](\\d+))?${rest}`)];
  }));
  const keyOf = (text, format) => {
    const found = text.match(format);
    if (!found) return text;
    const [, signs, whole, rest = "", unit] = found;
    const number = Number(`${whole.replace(/\D/g, "")}.${rest}`) * (UNITS[unit] ?? 1);
    return /[−-]/.test(signs) ? -number : number;
  };
  // Beside 4.1.1, 4.10 is no number either.
  const keysOf = (texts, format) =>
    texts.some((text) => /^\d+(\.\d+){2}/.test(text) && !format.test(text))
      ? texts
      : texts.map((text) => keyOf(text, format));
  const words = new Intl.Collator(undefined, { numeric: true });
  // Numbers before words, nothing last, whichever the direction.
  const compared = (one, other, direction) => {
    if (one === "" || other === "") return (one === "") - (other === "");
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
    return direction * (typeof one === "number" ? one - other : words.compare(one, other));
  };

  const sortable = (table, name) => {
    // The edition's format of numbers, or that of the source, as which the table stands.
    const format = NUMBERS.get(table.closest("[data-numbers]").dataset.numbers.at(-2));
    const heads = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
    const sections = [...table.tBodies].map((body) => [body, [...body.rows]]);
    const all = sections.flatMap(([, rows]) => rows);
    const sort = (column, direction) => {
      const found = keysOf(all.map((row) => row.cells[column]?.textContent.trim() ?? ""), format);
      const keys = new Map(all.map((row, at) => [row, found[at]]));
      sections.forEach(([body, rows]) => {
        const sorted = rows.filter((row) => !row.classList.contains("group"));
        if (direction) {
          sorted.sort((one, other) => compared(keys.get(one), keys.get(other), direction));
        }
        body.append(...rows.filter((row) => row.classList.contains("group")), ...sorted);
      });
    };
    const show = (column, way) => {
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      if (way) heads[column].setAttribute("aria-sort", WAYS[way]);
      sort(column, { up: 1, down: -1 }[way]);
    };
    const [, asked, order] = state.get(`${name}.sort`).match(/^(\d{1,3})-(up|down)$/) ?? [];
    heads.forEach((head, column) => {
      if (head.tagName !== "TH" || head.colSpan > 1) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { null: "up", ascending: "down" }[head.getAttribute("aria-sort")];
        show(column, next);
        state.set(`${name}.sort`, next && `${column + 1}-${next}`);
      });
      if (Number(asked) === column + 1) show(column, order);
    });
  };

  const filterable = (region, table, name) => {
    const rows = [...table.querySelectorAll("tbody tr:not(.group)")];
    const bar = document.createElement("div");
    bar.className = "rows-filter";
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "search" });
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    label.append("Show rows containing", input);
    bar.append(label, status);
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      [...table.tBodies].forEach((body) => {
        // Names of rows go on where that of their group ends: nonpersistent-256b, c1-r1.
        const [group] = body.getElementsByClassName("group");
        const inside = [...body.rows].filter((row) => row !== group);
        inside.forEach((row) => {
          const text = `${group ? `${group.textContent.trim()}-` : ""}${row.textContent.trim()}`;
          row.hidden = !words.every((word) => text.toLowerCase().includes(word));
        });
        if (group) group.hidden = inside.every((row) => row.hidden);
      });
      const shown = rows.filter((row) => !row.hidden).length;
      status.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    };
    const keep = () => {
      apply();
      state.set(`${name}.rows`, input.value.trim());
    };
    input.addEventListener("input", keep);
    region.before(bar);
    input.value = state.get(`${name}.rows`);
    apply();
    state.reveal([table], () => {
      input.value = "";
      keep();
    });
  };

  document.querySelectorAll("figure.table > .table-scroll.long").forEach((region) => {
    const table = region.querySelector("table");
    const figure = region.parentElement;
    sortable(table, figure.id);
    if (!figure.dataset.filter) filterable(region, table, figure.id);
  });
})();
