// Where a number comes from, said beside it: when it is pointed at or reached by keyboard, and on the
// first tap. The second tap, a click or Enter follows the link to the cell.
(() => {
  "use strict";
  const note = document.createElement("p");
  note.className = "origin";
  note.id = "origin";
  note.setAttribute("role", "tooltip");
  note.hidden = true;
  document.body.append(note);
  let shown = null;
  let touched = false;

  // Runs of one point are told in one go: "campaign a, Round trips/s: runs p-c1-r1, r2; q-c1-r1".
  const NAMED = /^campaign (\S+), run (\S+)-(r\d+), (.+)$/;
  const grouped = (text) => {
    const found = text.split("; ").map((part) => NAMED.exec(part));
    if (found.length < 2 || found.includes(null)) return text;
    const told = new Map();
    found.forEach(([, campaign, point, repetition, column]) => {
      const head = `campaign ${campaign}, ${column}`;
      if (!told.has(head)) told.set(head, new Map());
      const points = told.get(head);
      points.set(point, [...(points.get(point) ?? []), repetition]);
    });
    return [...told].map(([head, points]) => {
      const runs = [...points].map(([point, repetitions]) => `${point}-${repetitions.join(", ")}`);
      return `${head}: runs ${runs.join("; ")}`;
    }).join(". ");
  };

  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    note.hidden = true;
  };
  const show = (link) => {
    hide();
    shown = link;
    note.textContent = link.dataset.origin + (touched ? " – tap again to go there" : "");
    link.setAttribute("aria-describedby", note.id);
    note.hidden = false;
    const box = link.getBoundingClientRect();
    const room = document.documentElement.clientWidth - note.offsetWidth - 8;
    const above = box.top - note.offsetHeight - 6;
    note.style.left = `${scrollX + Math.max(8, Math.min(box.left, room))}px`;
    note.style.top = `${scrollY + (above > 0 ? above : box.bottom + 6)}px`;
  };

  document.querySelectorAll("main a.cell[title]").forEach((link) => {
    link.dataset.origin = grouped(link.title);
    link.removeAttribute("title"); // the browser's own would cover this one
    link.addEventListener("pointerenter", (event) => {
      if (event.pointerType !== "touch") show(link);
    });
    link.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") hide();
    });
    link.addEventListener("focus", () => {
      if (!touched) show(link);
    });
    link.addEventListener("blur", hide);
    link.addEventListener("click", (event) => {
      if (!touched || shown === link) return;
      event.preventDefault();
      show(link);
    });
  });
  document.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch";
    if (shown && event.target.closest?.("a") !== shown) hide();
  });
  document.addEventListener("keydown", (event) => {
    touched = false;
    if (event.key === "Escape") hide();
  });
})();
