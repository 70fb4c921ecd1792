// Search over sections, figures and tables. Index and library are loaded when first needed,
// as scripts, because a page opened from a folder may not fetch.
(() => {
  "use strict";
  const scripts = document.currentScript.dataset.scripts.split(" ");
  const box = document.querySelector(".site-search");
  const input = document.getElementById("search");
  const panel = box.querySelector(".search-panel");
  const status = box.querySelector(".search-status");
  const list = document.getElementById("search-results");
  const shown = 12;
  const snippetLength = 150;
  let ready = null;
  let active = -1;
  let answered = "";

  // A number is one word, with its separators or without; its unit and the name before it are others.
  const [mark, group] = document.body.dataset.numbers.at(-2) === "," ? [",", "."] : [".", ","];
  const separator = `[${group}\u00a0\u202f]`;
  const POINT = "\ue000"; // stands for the decimal mark, at which words are parted
  const grouped = new RegExp(`(?<![\\d${mark}])\\d{1,3}(?:${separator}\\d{3})+(?!\\d)`, "g");
  const decimal = new RegExp(`(\\p{L}?)(?<![\\d${mark}])(\\d+(?:[${mark}]\\d+)+)`, "gu");
  const joined = (text) =>
    text
      .replace(grouped, (number) => number.replace(/[^\d]/g, ""))
      .replace(decimal, (_, letter, number) => `${letter} ${number.replaceAll(mark, POINT)}`)
      .replace(/(\d)(?=(?:[KMG]B|Gb|ms)\b)/gi, "$1 ");
  // A reader may write 370 602, 370.602 or 1,65 in any edition.
  const wholes = new RegExp(`^\\d{1,3}(?:[${mark}]\\d{3})+$`);
  const decimals = new RegExp(`(\\d)[${group}](?=\\d{1,2}(?!\\d))`, "g");
  const typed = (words) =>
    joined(words.replace(/(\d) (?=\d{3}(?!\d))/g, `$1${group}`).replace(decimals, `$1${mark}`));

  // What is asked for by its name comes first: a term; a section, a figure, a table by its number.
  const bare = (name) => name.replace(/[\s-]/g, "").replace(/s$/, "");
  const named = (asked) => {
    const words = asked.toLowerCase();
    const [, kind = "", number = ""] =
      words.match(/^(?:(fig|tab|chapter|appendix|section)\w*\.?\s*)?([a-z]|[a-z]?[\d.]*\d)$/) ?? [];
    const isMeant = (entry, name) => {
      if (!kind && !number.includes(".")) return false;
      if (entry !== "section") return name.startsWith(`${entry} ${number}:`) && entry.startsWith(kind);
      return !/^(fig|tab)/.test(kind) && name.startsWith(`${number} `);
    };
    return window.roundtripSearchIndex
      .filter(({ kind: entry, title, chapter }) => {
        const name = title.toLowerCase();
        if (entry === "term") return bare(name) === bare(words);
        const isChapter = /^[cas]/.test(kind) && chapter.toLowerCase() === `${number} ${name}`;
        return number && (isMeant(entry, name) || isChapter);
      })
      .map((entry) => ({ ...entry, match: {} }));
  };
  // "filesystem" is looked for as "file system" too, where the report writes it so.
  const apart = (word) => {
    const number = word.replaceAll(POINT, mark);
    if (wholes.test(number)) return number.replaceAll(mark, "");
    if (!/^\p{L}{6,}$/u.test(word)) return "";
    const ends = Array.from({ length: word.length - 5 }, (_, at) => at + 3);
    const pairs = ends.map((end) => `${word.slice(0, end)} ${word.slice(end)}`).join("|");
    const written = new RegExp(`(?<!\\p{L})(?:${pairs})`, "iu");
    const found = window.roundtripSearchIndex.find(({ title, text }) => written.test(`${title} ${text}`));
    return found ? `${found.title} ${found.text}`.match(written)[0] : "";
  };
  const either = (word) => {
    const other = apart(word);
    return other ? { combineWith: "OR", queries: [word, { combineWith: "AND", queries: [other] }] } : word;
  };
  // "cipher specs" is looked for as "CipherSpec" too, where the report writes it so.
  const together = (words) =>
    words.slice(1).flatMap((word, at) => {
      const one = `${words[at]}${word}`.replace(/s$/, "");
      if (!/^\p{L}{6,}$/u.test(one)) return [];
      const written = new RegExp(`(?<!\\p{L})${one}`, "iu");
      const isWritten = window.roundtripSearchIndex.some(({ title, text }) => written.test(`${title} ${text}`));
      return isWritten ? [[...words.slice(0, at), one, ...words.slice(at + 2)]] : [];
    });
  // "42 %" is no number of a table or a section: it counts most where it stands with its sign.
  const share = (number) => {
    const written = new RegExp(`${shownAs(number)}[\\s\u00a0\u202f]?%`, "u");
    return {
      queries: [number], prefix: false, boost: { title: 0.1, chapter: 0.1 },
      boostDocument: (_id, _term, { title, text }) => (written.test(`${title} ${text}`) ? 10 : 0.3),
    };
  };
  const FILLERS = new Set("and are does for from how in is it of on the to what which with".split(" "));
  const find = (engine, asked) => {
    const first = named(asked);
    const places = new Set(first.map((entry) => entry.href));
    const text = typed(asked);
    const shares = new Set([...text.matchAll(/([\d\ue000]+)\s*%/gu)].map(([, number]) => number));
    const all = wordsOf(text).filter(Boolean);
    const telling = all.filter((word) => !FILLERS.has(word.toLowerCase()));
    const words = telling.length ? telling : all;
    const queries = [words, ...together(words)].map((those) => ({
      combineWith: "AND", queries: those.map((word) => (shares.has(word) ? share(word) : either(word))),
    }));
    const others = engine.search({ combineWith: "OR", queries }).filter((found) => !places.has(found.href));
    // A source's own table or figure is asked for by its number, among other words.
    const [, item] = asked.match(/(?:^|\s)((?:figure|table)\s+\w?[\d.]*\d)(?!\S)/i) ?? [];
    const meant = item && new RegExp(`\\b${escaped(item).replace(/\s+/, "\\s+")}(?![\\d.]*\\d)`, "i");
    const isMeant = (found) => Boolean(meant?.test(found.title));
    return [...first, ...others.filter(isMeant), ...others.filter((found) => !isMeant(found))];
  };

  const load = (source) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = resolve;
      script.onerror = () => reject(new Error(source));
      document.head.append(script);
    });

  const wordsOf = (text) => window.MiniSearch.getDefault("tokenize")(joined(text));
  // What is written "non-persistent" is found as "nonpersistent" too.
  const unhyphenated = (text) =>
    (text.match(/\p{L}+(?:[-\u2010\u2011]\p{L}+)+/gu) ?? []).map((word) => word.replace(/[^\p{L}]/gu, ""));

  const prepare = () => {
    ready ??= Promise.all(scripts.map(load)).then(() => {
      const engine = new window.MiniSearch({
        fields: ["title", "chapter", "text"],
        storeFields: ["href", "title", "chapter", "kind", "text"],
        tokenize: (text) => [...wordsOf(text), ...unhyphenated(text)],
        searchOptions: {
          tokenize: wordsOf,
          combineWith: "AND",
          boost: { title: 4, chapter: 1.5 },
          // Appendices list what chapters tell; among other words "1.3" is rarely section 1.3.
          boostDocument: (_id, term, { kind, title, chapter }) => {
            if (/^\d/.test(term) && title.startsWith(`${term.replaceAll(POINT, mark)} `)) return 0.1;
            return kind === "table" && /^[A-Z] /.test(chapter) ? 0.3 : 1;
          },
          prefix: (term) => !/^\d{1,2}$/.test(term),
          fuzzy: (term) => (term.length > 5 && !/\d/.test(term) ? 0.2 : false),
        },
      });
      engine.addAll(window.roundtripSearchIndex.map((entry, id) => ({ id, ...entry })));
      return engine;
    });
    return ready;
  };

  const escaped = (term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const shownAs = (term) => {
    const text = /^\d+$/.test(term) ? [...term].join(`${separator}?`) : escaped(term);
    const start = /^\d/.test(term) ? `(?<![\\d${mark}${group}])` : "(?<!\\p{L})";
    return start + text.replaceAll(POINT, `[${mark}]`);
  };

  const highlighted = (text, terms) => {
    const parts = document.createDocumentFragment();
    if (!terms.length) {
      parts.append(text);
      return parts;
    }
    const pattern = new RegExp(`(${terms.map(shownAs).join("|")})`, "giu");
    text.split(pattern).forEach((piece, index) => {
      if (index % 2) {
        const mark = document.createElement("mark");
        mark.textContent = piece;
        parts.append(mark);
      } else if (piece) {
        parts.append(piece);
      }
    });
    return parts;
  };

  // Begins where most of the words stand closest together: in a long table, at the row that is meant.
  const snippet = (text, terms) => {
    const found = terms.length ? [...text.matchAll(new RegExp(terms.map(shownAs).join("|"), "giu"))] : [];
    const together = found.map(({ index }, at) => {
      const near = new Map();
      found.slice(at, at + 30).forEach(({ 0: word, index: place }) => {
        const name = word.toLowerCase();
        if (place - index < snippetLength - 40 && !near.has(name)) near.set(name, place);
      });
      return near.size - (Math.max(...near.values()) - index) / snippetLength;
    });
    const best = together.reduce((most, each) => Math.max(most, each), 0);
    let start = Math.max(0, (found[together.indexOf(best)]?.index ?? 0) - 40);
    if (start) start = text.indexOf(" ", start) + 1;
    const last = start + snippetLength;
    const end = last < text.length ? text.lastIndexOf(" ", last) : last;
    return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? "\u00a0…" : ""}`;
  };

  const option = (result, index) => {
    const terms = [...new Set(Object.keys(result.match))].sort((a, b) => b.length - a.length);
    const item = document.createElement("li");
    item.id = `search-result-${index}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    const link = document.createElement("a");
    link.href = result.href;
    link.tabIndex = -1;
    const place = document.createElement("span");
    place.className = "search-place";
    place.textContent = result.chapter;
    const title = document.createElement("span");
    title.className = "search-title";
    title.append(highlighted(result.title, terms));
    const text = document.createElement("span");
    text.className = "search-snippet";
    text.append(highlighted(snippet(result.text, terms), terms));
    link.append(place, title, text);
    item.append(link);
    return item;
  };

  const close = () => {
    panel.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const activate = (index) => {
    const items = [...list.children];
    if (!items.length) return;
    active = (index + items.length) % items.length;
    items.forEach((item, at) => item.setAttribute("aria-selected", String(at === active)));
    items[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[active].id);
  };

  const show = (results, words) => {
    answered = words;
    list.replaceChildren(...results.slice(0, shown).map(option));
    const count = results.length;
    status.textContent = !count
      ? "Nothing found"
      : count > shown
        ? `The best ${shown} of ${count} results`
        : `${count} ${count === 1 ? "result" : "results"}`;
    panel.hidden = false;
    active = -1;
    input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-expanded", String(count > 0));
  };

  const search = async () => {
    const words = input.value.trim();
    if (!words) {
      close();
      return;
    }
    try {
      const engine = await prepare();
      if (input.value.trim() === words) show(find(engine, words), words);
    } catch {
      ready = null;
      answered = "";
      status.textContent = "The search index could not be loaded.";
      list.replaceChildren();
      panel.hidden = false;
    }
  };

  // Enter may come before the index is loaded: it leads to a result of the words in the box, never
  // to one of the words that stood there before.
  const follow = async () => {
    if (answered !== input.value.trim()) await search();
    if (answered !== input.value.trim()) return;
    const link = list.children[Math.max(active, 0)]?.querySelector("a");
    if (!link) return;
    close();
    input.blur();
    link.click();
  };

  input.addEventListener("focus", () => prepare().then(search, () => {}));
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const open = !panel.hidden;
    if (event.key === "ArrowDown" && open) activate(active + 1);
    else if (event.key === "ArrowUp" && open) activate(active < 0 ? -1 : active - 1);
    else if (event.key === "Enter") follow();
    else if (event.key === "Escape") {
      if (open) close();
      else input.blur();
    } else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest("a")) close();
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) close();
  });
  box.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !box.contains(event.relatedTarget)) close();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
