// Long tables: sorted by a click on a header, within their groups, and filtered by words. Without
// this script they stand in the order of the report.
(() => {
  "use strict";
  const UNITS = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

  const keyOf = (row, column) => {
    const text = row.cells[column]?.textContent.trim() ?? "";
    const found = text.match(/^[~<>≤≥−+-]*\s*([\d.,\u00a0\u202f]*\d)\s*([KMG]?B\b)?/);
    if (!found) return text;
    const sign = /^[−-]/.test(text) ? -1 : 1;
    return sign * Number(found[1].replace(/[,\u00a0\u202f]/g, "")) * (UNITS[found[2]] ?? 1);
  };
  // Numbers before words, nothing last, whichever the direction.
  const compared = (one, other, direction) => {
    if (one === "" || other === "") return (one === "") - (other === "");
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
    return direction * (typeof one === "number" ? one - other : one.localeCompare(other));
  };

  const sortable = (table) => {
    const heads = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
    const sections = [...table.tBodies].map((body) => [body, [...body.rows]]);
    const sort = (column, direction) => {
      sections.forEach(([body, rows]) => {
        const sorted = rows.filter((row) => !row.classList.contains("group"));
        if (direction) {
          const keys = new Map(sorted.map((row) => [row, keyOf(row, column)]));
          sorted.sort((one, other) => compared(keys.get(one), keys.get(other), direction));
        }
        body.append(...rows.filter((row) => row.classList.contains("group")), ...sorted);
      });
    };
    heads.forEach((head, column) => {
      if (head.tagName !== "TH" || head.colSpan > 1) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        const next = { null: "ascending", ascending: "descending" }[before];
        if (next) head.setAttribute("aria-sort", next);
        sort(column, { ascending: 1, descending: -1 }[next]);
      });
    });
  };

  const filterable = (region, table) => {
    const rows = [...table.querySelectorAll("tbody tr:not(.group)")];
    const bar = document.createElement("div");
    bar.className = "rows-filter";
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "search" });
    const status = document.createElement("p");
    status.setAttribute("role", "status");
    label.append("Rows with", input);
    bar.append(label, status);
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row) => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      });
      const shown = rows.filter((row) => !row.hidden).length;
      status.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    };
    input.addEventListener("input", apply);
    // Whoever follows a link to a row gets to see it.
    addEventListener("hashchange", () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target?.closest("tr")?.hidden || !table.contains(target)) return;
      input.value = "";
      apply();
      target.scrollIntoView({ block: "center" });
    });
    region.before(bar);
  };

  document.querySelectorAll("figure.table > .table-scroll.long").forEach((region) => {
    const table = region.querySelector("table");
    sortable(table);
    if (!region.parentElement.dataset.filter) filterable(region, table);
  });
})();
