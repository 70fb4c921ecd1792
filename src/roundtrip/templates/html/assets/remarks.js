// Remarks of a reviewer: written beside the report, kept by the browser, handed on as one file in
// the form of W3C Web Annotations. Loaded when a reader asks for it; nothing leaves the machine.
(() => {
  "use strict";
  const MOST_BYTES = 5_000_000;
  const MOST_TEXT = 10_000;
  const MOST_QUOTE = 2_000;
  const AROUND = 64; // characters before and after a quote that tell it from others
  const CONTEXT = ["http://www.w3.org/ns/anno.jsonld", { schema: "https://schema.org/" }];
  const FRAGMENT = "http://tools.ietf.org/rfc/rfc3236";
  const PAGE = /^[\w.%~-]+\.html$/;
  // `roundtrip remarks` reads pages with the same two lists.
  const INLINE = /^(a|abbr|b|bdi|bdo|cite|code|em|i|kbd|mark|q|s|small|span|strong|sub|sup|time|u|wbr)$/;
  const APART =
    "script, style, svg, nav, details, button:not(.sort), input, select, a.anchor, .actions, " +
    ".eyebrow, .chapter-files, .rows-filter, .table-filter, .figure-live";
  // `roundtrip remarks` refuses these too: what steers a terminal or the direction of text, and halves
  // of characters that a quote cuts.
  const HIDDEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/gu;
  const SCOPE = "tr, p, li, dt, dd, figcaption, h1, h2, h3, h4, h5, h6";
  const PLACES = "td, th, p, li, dt, dd, figcaption, h1, h2, h3, h4, h5, h6";

  const toggle = document.querySelector(".remarks-toggle");
  const main = document.querySelector("main");
  const edition = { name: toggle.dataset.title, version: toggle.dataset.version };
  // Some servers leave the end of an address out.
  const here = (location.pathname.split("/").pop() || "index").replace(/(\.html)?$/, ".html");
  // Pages opened from folders may share one storage, whatever report they belong to.
  const key = `roundtrip-remarks:${JSON.stringify([edition.name, edition.version, toggle.dataset.commit])}`;

  const plain = (text) => text.replace(HIDDEN, "");

  // ---- text of the page, each character with its place ----

  const read = (root) => {
    let text = "";
    const places = [];
    const add = (char, place) => {
      const space = /\s/.test(char);
      if (space && (!text || text.endsWith(" "))) return;
      text += space ? " " : char;
      places.push(place);
    };
    const visit = (node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        for (let at = 0; at < node.data.length; at += 1) add(node.data[at], [node, at]);
      } else if (node.nodeType === Node.ELEMENT_NODE && !node.matches(APART)) {
        const block = !INLINE.test(node.localName);
        if (block) add(" ", [node, 0]);
        node.childNodes.forEach(visit);
        if (block) add(" ", [node, 0]);
      }
    };
    visit(root);
    return { text: text.trimEnd(), places };
  };

  const rangeOf = (places, from, until) => {
    const range = document.createRange();
    range.setStart(...places[from]);
    const [node, at] = places[until - 1];
    range.setEnd(node, at + 1);
    return range;
  };

  const anchorOf = (element) => {
    const row = element.closest("tr");
    const own = element.closest("td[id], th[id]") ?? row?.querySelector("[id]");
    if (own) return own.id;
    for (let each = element; each && each !== main; each = each.parentElement) {
      if (each.id && !each.id.endsWith("-caption")) return each.id;
    }
    const before = [...main.querySelectorAll(":is(h1, h2, h3, h4, h5, h6)[id]")].filter(
      (heading) =>
        heading.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    return before.at(-1)?.id ?? main.id;
  };

  const targetOf = (range) => {
    const shared = range.commonAncestorContainer;
    const element = shared.nodeType === Node.ELEMENT_NODE ? shared : shared.parentElement;
    if (!main.contains(element) || element.closest(APART)) return null;
    const { text, places } = read(element.closest(SCOPE) ?? element);
    const chosen = ([node, at]) =>
      node.nodeType === Node.TEXT_NODE &&
      range.comparePoint(node, at) >= 0 &&
      range.comparePoint(node, at + 1) <= 0;
    let from = places.findIndex(chosen);
    if (from < 0) return null;
    let until = places.findLastIndex(chosen) + 1;
    while (text[from] === " ") from += 1;
    while (until > from && (text[until - 1] ?? " ") === " ") until -= 1;
    if (until <= from) return null;
    return {
      source: {
        id: here,
        "schema:name": edition.name,
        "schema:version": edition.version,
      },
      selector: {
        type: "FragmentSelector",
        conformsTo: FRAGMENT,
        value: anchorOf(places[from][0].parentElement),
        refinedBy: {
          type: "TextQuoteSelector",
          exact: text.slice(from, until),
          prefix: plain(text.slice(Math.max(0, from - AROUND), from)),
          suffix: plain(text.slice(until, until + AROUND)),
        },
      },
    };
  };

  const rangeFor = (target) => {
    const { exact, prefix, suffix } = target.selector.refinedBy;
    const { text, places } = read(main);
    for (const [before, after] of [[prefix, suffix], [prefix, ""], ["", suffix], ["", ""]]) {
      const at = text.indexOf(before + exact + after);
      if (at >= 0) return rangeOf(places, at + before.length, at + before.length + exact.length);
    }
    return null;
  };

  // ---- what is kept ----

  let remarks = [];
  let author = "";

  // Of remarks with the same id the last counts.
  const take = (others) => {
    remarks = [...new Map([...remarks, ...others].map((remark) => [remark.id, remark])).values()];
  };
  const readable = (found) => {
    try {
      return [understood(found)];
    } catch {
      return []; // damaged: the others stay
    }
  };
  const load = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key) ?? "{}");
      remarks = [];
      if (Array.isArray(kept.remarks)) take(kept.remarks.flatMap(readable));
      author = typeof kept.author === "string" ? kept.author : "";
    } catch {
      // forbidden or damaged: what is written now can still be exported
    }
  };
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ remarks, author }));
      return "";
    } catch {
      return " This browser does not keep it: export before you leave the page.";
    }
  };

  const identifier = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")}`;
  };

  const collection = () => ({
    "@context": CONTEXT,
    id: identifier(),
    type: "AnnotationCollection",
    label: `Remarks on ${edition.name}, version ${edition.version}`,
    total: remarks.length,
    first: { id: identifier(), type: "AnnotationPage", startIndex: 0, items: remarks },
  });

  // ---- files of others: only what is understood is taken, and shown as text ----

  const text = (value, what, most) => {
    if (typeof value !== "string" || value.length > most) throw new Error(`${what} is no text`);
    return plain(value);
  };
  const understood = (found) => {
    const { source, selector } = found.target;
    const quote = selector.refinedBy;
    if (!/^urn:uuid:[0-9a-f-]{36}$/.test(found.id)) throw new Error("a remark has no id");
    if (!PAGE.test(source.id)) throw new Error("a remark names no page");
    if (source["schema:name"] !== edition.name) {
      throw new Error(`it is about another report: ${text(source["schema:name"], "a title", 200)}`);
    }
    if (source["schema:version"] !== edition.version) {
      const version = text(source["schema:version"], "a version", 40);
      throw new Error(
        `it is about version ${version}; ‘roundtrip remarks’ finds its places in this one`,
      );
    }
    if (!Array.isArray(found.body) || !found.body.length) throw new Error("a remark says nothing");
    return {
      id: found.id,
      type: "Annotation",
      motivation: "commenting",
      created: text(found.created, "a date", 40),
      ...(found.creator && {
        creator: { type: "Person", name: text(found.creator.name, "a name", 200) },
      }),
      body: found.body.map((body, position) => ({
        type: "TextualBody",
        format: "text/plain",
        purpose: position ? "replying" : "commenting",
        value: text(body.value, "a remark", MOST_TEXT),
      })),
      target: {
        source: { id: source.id, "schema:name": edition.name, "schema:version": edition.version },
        selector: {
          type: "FragmentSelector",
          conformsTo: FRAGMENT,
          value: text(selector.value, "an anchor", 300),
          refinedBy: {
            type: "TextQuoteSelector",
            exact: text(quote.exact, "a quote", MOST_QUOTE),
            prefix: text(quote.prefix, "a quote", AROUND),
            suffix: text(quote.suffix, "a quote", AROUND),
          },
        },
      },
    };
  };

  const importFile = async (file) => {
    if (file.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 1e6} MB`);
    let content;
    try {
      content = JSON.parse(await file.text());
    } catch {
      throw new Error("it is no JSON");
    }
    if (content?.type !== "AnnotationCollection" || !Array.isArray(content.first?.items)) {
      throw new Error("it is no collection of remarks");
    }
    let taken;
    try {
      taken = content.first.items.map(understood);
    } catch (problem) {
      throw problem instanceof TypeError ? new Error("a remark lacks a part") : problem;
    }
    take(taken);
    return taken.length;
  };

  // ---- the panel ----

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const button = (label, act) => {
    const made = make("button", { type: "button", textContent: label });
    made.addEventListener("click", act);
    return made;
  };

  let target = null;
  let edited = null; // the id of the remark
  const status = make("p", { className: "remarks-status" });
  status.setAttribute("role", "status");
  const quoted = make("blockquote");
  const words = make("textarea", { rows: 3, maxLength: MOST_TEXT });
  const name = make("input", { type: "text", maxLength: 200, autocomplete: "name" });
  const list = make("ol", { className: "remarks-list" });
  const file = make("input", { type: "file", accept: ".json,application/json" });
  const choose = button("Choose with the arrow keys", () => {
    if (target) return words.focus();
    choose.focus();
    step(1);
    follow();
  });
  choose.setAttribute("aria-describedby", "remarks-keys");
  const panel = make(
    "aside",
    { className: "remarks", hidden: true },
    make(
      "div",
      { className: "remarks-head" },
      make("h2", { textContent: "Remarks" }),
      button("Close", () => show(false)),
    ),
    make(
      "p",
      { id: "remarks-keys" },
      "Select words in the report",
      make("span", {
        className: "remarks-keys",
        textContent:
          ", or choose: ↓ ↑ by sentence and cell, → ← by heading, figure and table, then Enter",
      }),
      ".",
    ),
    choose,
    quoted,
    make("label", {}, "Remark", words),
    make("label", {}, "Your name, if you like", name),
    button("Save the remark", () => save()),
    status,
    list,
    make(
      "div",
      { className: "remarks-files" },
      button("Export", () => exportFile()),
      make("label", {}, "Import", file),
    ),
  );
  panel.setAttribute("aria-label", "Remarks");

  const say = (message) => {
    status.textContent = message;
  };
  const aim = (next) => {
    target = next;
    const quote = target?.selector.refinedBy.exact ?? "";
    quoted.textContent = quote.length > 300 ? `${quote.slice(0, 300)}…` : quote;
  };

  const save = () => {
    const value = plain(words.value).trim();
    if (!target) return say("Choose first what the remark is about.");
    if (target.selector.refinedBy.exact.length > MOST_QUOTE) {
      return say(`Choose less: at most ${MOST_QUOTE} characters.`);
    }
    if (!value) return say("Write the remark first.");
    author = plain(name.value).trim();
    const before = remarks.find((each) => each.id === edited);
    const body = { type: "TextualBody", format: "text/plain", purpose: "commenting", value };
    const remark = {
      id: before?.id ?? identifier(),
      type: "Annotation",
      motivation: "commenting",
      created: new Date().toISOString(),
      ...(author && { creator: { type: "Person", name: author } }),
      body: [body, ...(before?.body.slice(1) ?? [])],
      target,
    };
    take([remark]);
    edited = null;
    words.value = "";
    aim(null);
    say(`Saved.${keep()}`);
    draw();
  };

  const exportFile = () => {
    if (!remarks.length) return say("There is nothing to export yet.");
    const content = `${JSON.stringify(collection(), null, 2)}\n`;
    const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    make("a", { href: address, download: `remarks-${edition.version}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(`Exported ${remarks.length}.`);
  };

  file.addEventListener("change", async () => {
    try {
      const count = await importFile(file.files[0]);
      say(`Imported ${count}.${keep()}`);
      draw();
    } catch (problem) {
      say(`Not imported: ${problem.message}.`);
    }
    file.value = "";
  });

  const entry = (remark) => {
    const { source, selector } = remark.target;
    const quote = selector.refinedBy.exact;
    const link = make("a", {
      href: `${source.id}#${encodeURIComponent(selector.value)}`,
      textContent: quote.length > 120 ? `${quote.slice(0, 120)}…` : quote,
    });
    link.addEventListener("click", (event) => {
      const range = source.id === here && rangeFor(remark.target);
      if (!range || range.startContainer.parentElement.closest("[hidden]")) return;
      event.preventDefault();
      select(range);
    });
    const [said, ...answers] = remark.body.map((body) => body.value);
    return make(
      "li",
      {},
      make("p", { className: "remarks-place" }, link),
      make("p", { className: "remarks-text", textContent: said }),
      ...answers.map((answer) =>
        make("p", { className: "remarks-text", textContent: `Answer: ${answer}` }),
      ),
      button("Edit", () => {
        edited = remark.id;
        words.value = said;
        aim(remark.target);
        say("Saving replaces this remark.");
        words.focus();
      }),
      button("Delete", () => {
        remarks = remarks.filter((each) => each !== remark);
        say(`Deleted.${keep()}`);
        draw();
        choose.focus();
      }),
    );
  };
  const draw = () => {
    remarks.sort((one, other) =>
      `${one.target.source.id} ${one.created}` < `${other.target.source.id} ${other.created}` ? -1 : 1,
    );
    list.replaceChildren(...remarks.map(entry));
  };

  // ---- choosing ----

  const select = (range) => {
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    const beside = innerWidth > 640; // otherwise the panel is below
    range.startContainer.parentElement.scrollIntoView({ block: beside ? "center" : "start" });
  };
  const leaves = () =>
    [...main.querySelectorAll(PLACES)].filter(
      (each) =>
        !each.querySelector(PLACES) && !each.closest(APART) && each.getClientRects().length &&
        read(each).text,
    );
  const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
  const pieces = (block) => {
    const { text, places } = read(block);
    const whole = [{ index: 0, segment: text }];
    const parts = block.matches("p, li, dd") ? [...sentences.segment(text)] : whole;
    return parts
      .filter(({ segment }) => segment.trim())
      .map(({ index, segment }) => rangeOf(places, index, index + segment.trimEnd().length));
  };
  const step = (direction, far) => {
    const blocks = leaves();
    const selection = getSelection();
    const current = selection.rangeCount ? selection.getRangeAt(0) : null;
    let at = current ? blocks.findIndex((block) => block.contains(current.startContainer)) : -1;
    if (at < 0) {
      at = blocks.findIndex((block) => block.getBoundingClientRect().top >= toggle.offsetHeight);
      return select(pieces(blocks[Math.max(at, 0)])[0]);
    }
    if (!far) {
      const parts = pieces(blocks[at]);
      const inside = parts.findLastIndex(
        (part) => part.compareBoundaryPoints(Range.START_TO_START, current) <= 0,
      );
      const next = parts[inside + direction];
      if (next) return select(next);
    }
    const heads = (block) => block.matches("figcaption, figcaption *, h1, h2, h3, h4, h5, h6");
    do at += direction;
    while (far && blocks[at] && !heads(blocks[at]));
    if (blocks[at]) select(pieces(blocks[at]).at(direction > 0 || far ? 0 : -1));
  };
  const follow = () => {
    const selection = getSelection();
    if (panel.hidden || selection.isCollapsed || !selection.rangeCount) return;
    const found = targetOf(selection.getRangeAt(0));
    if (!found) return;
    aim(found);
    if (document.activeElement === choose) say(found.selector.refinedBy.exact.slice(0, 300));
  };
  document.addEventListener("selectionchange", follow);
  choose.addEventListener("keydown", (event) => {
    const move = { ArrowDown: [1], ArrowUp: [-1], ArrowRight: [1, true], ArrowLeft: [-1, true] };
    if (!move[event.key]) return;
    event.preventDefault();
    step(...move[event.key]);
    follow(); // now: the event of a changed selection comes later than the next key may
  });
  main.addEventListener("click", (event) => {
    const figure = event.target.closest("figure.figure");
    const caption = figure?.querySelector(".caption");
    if (panel.hidden || !caption || event.target.closest("a, button, figcaption")) return;
    select(pieces(caption)[0]);
  });

  // ---- open and closed ----

  const show = (open, focus = true) => {
    panel.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
    try {
      if (open) sessionStorage.setItem("roundtrip-remarks", "open");
      else sessionStorage.removeItem("roundtrip-remarks");
    } catch {
      // not remembered on the next page
    }
    if (focus) (open ? choose : toggle).focus({ preventScroll: true });
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(false);
  });
  toggle.addEventListener("click", () => show(panel.hidden));
  addEventListener("storage", (event) => {
    if (event.key !== key) return;
    load(); // written in another tab
    draw();
  });

  load();
  name.value = author;
  draw();
  const sheet = make("link", { rel: "stylesheet", href: "assets/css/remarks.css" });
  sheet.addEventListener("load", () => {
    toggle.closest("header").after(panel); // the next stop of the Tab key, on each page; not before
    // its style is there: it would push the page down
    show(true, document.activeElement === toggle);
  });
  document.head.append(sheet);
})();
