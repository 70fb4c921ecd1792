// The tools under each figure and table: its address and citation, its picture with its source, and
// the whole screen for it.
(() => {
  "use strict";
  const { edition, authors } = document.body.dataset;
  const fontsSource = document.currentScript.dataset.fonts;
  const svgName = "http://www.w3.org/2000/svg";

  const nameOf = (item) => item.querySelector(".caption .number").textContent;
  const captionOf = (item) => {
    const copy = item.querySelector(".caption").cloneNode(true);
    copy.querySelectorAll(".number, .anchor").forEach((part) => part.remove());
    return copy.textContent.trim().replace(/\.$/, "");
  };
  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // ---- address and citation ----
  const status = element("p", { className: "cite-status" });
  status.setAttribute("role", "status");
  const copy = async (field) => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "Selected: copy it with the keyboard or the menu.";
    }
  };
  const copied = (text, tag) => {
    const field = element(tag, { readOnly: true });
    const button = element("button", { type: "button", className: "action" }, `Copy ${text}`);
    button.addEventListener("click", () => copy(field));
    return [field, element("label", {}, text[0].toUpperCase() + text.slice(1), field), button];
  };
  const [address, addressLabel, copyAddress] = copied("address", "input");
  const [citation, citationLabel, copyCitation] = copied("citation", "textarea");
  citation.rows = 5;
  const title = element("h2", { id: "cite-title" });
  const close = element("button", { type: "button", className: "action" }, "Close");
  const dialog = element(
    "dialog",
    { className: "cite" },
    title,
    ...[addressLabel, copyAddress, citationLabel, copyCitation, status, close],
  );
  dialog.setAttribute("aria-labelledby", title.id);
  close.addEventListener("click", () => dialog.close());
  document.body.append(dialog);

  const cite = (item) => {
    const page = location.href.split(/[?#]/)[0];
    // A place on the reader's own disk is nothing that others could look up.
    const name = location.protocol === "file:" ? page.slice(page.lastIndexOf("/") + 1) : page;
    title.textContent = nameOf(item);
    status.textContent = "";
    // What a reader has chosen is a part of the address.
    const place = "stateful" in item.dataset ? location.hash : `#${item.id}`;
    address.value = page + place;
    citation.value = `${authors}: ${edition}. ${nameOf(item)}: ${captionOf(item)}. ${name}${place}`;
    dialog.showModal();
  };

  // ---- picture ----
  let fonts = null;
  const loadFonts = () => {
    fonts ??= new Promise((resolve) => {
      const script = element("script", { src: fontsSource });
      script.onload = () => resolve(window.roundtripFonts);
      script.onerror = () => resolve("");
      document.head.append(script);
    });
    return fonts;
  };
  const svg = (tag, attributes, text = "") => {
    const made = document.createElementNS(svgName, tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    made.textContent = text;
    return made;
  };
  const SIZE = 12;
  const LINE = 17;
  // As on the page, what stands beside marks is read through lines behind it.
  const READABLE =
    ".textpoint text,.bartext-outside,.annotation-text" +
    "{paint-order:stroke;stroke:#fff;stroke-width:6px;stroke-linejoin:round}";
  const broken = (text, width, family) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `400 ${SIZE}px ${family}`;
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = `${lines.at(-1)} ${word}`;
      if (lines.length && pen.measureText(longer).width <= width) lines.splice(-1, 1, longer);
      else lines.push(word);
    }
    return lines;
  };
  const pictureOf = async (item) => {
    const family = getComputedStyle(document.body).fontFamily;
    const faces = await loadFonts();
    await document.fonts.load(`400 ${SIZE}px ${family}`);
    const drawing = item.querySelector(".figure-static svg");
    const drawn = drawing?.cloneNode(true) ?? (await window.roundtripFigures.drawing(item));
    const { width, height } = drawn.viewBox.baseVal;
    const source = item.querySelector(".sources")?.textContent.trim();
    const about = [`${nameOf(item)}: ${captionOf(item)}.`, source && `${source}.`, `${edition}.`];
    const lines = about.filter(Boolean).flatMap((text) => broken(text, width - 24, family));
    const whole = height + lines.length * LINE + 20;
    const root = svg("svg", { width, height: whole, viewBox: `0 0 ${width} ${whole}` });
    root.setAttribute("font-family", family);
    Object.entries({ x: 0, y: 0, width, height }).forEach((each) => drawn.setAttribute(...each));
    root.append(
      svg("style", {}, faces + READABLE),
      svg("rect", { width, height: whole, fill: "#ffffff" }),
      drawn,
      ...lines.map((text, at) => {
        const y = height + 12 + at * LINE;
        return svg("text", { x: 12, y, "font-size": SIZE, fill: "#525252" }, text);
      }),
    );
    return { width, height: whole, text: new XMLSerializer().serializeToString(root) };
  };
  const save = (blob, name) => {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  const saveSvg = async (item) => {
    const { text } = await pictureOf(item);
    save(new Blob([text], { type: "image/svg+xml" }), `${item.id}.svg`);
  };
  const savePng = async (item) => {
    const { width, height, text } = await pictureOf(item);
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await picture.decode();
    const canvas = element("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${item.id}.png`));
  };

  // ---- whole screen ----
  const enlarge = (item) =>
    document.fullscreenElement ? document.exitFullscreen() : item.requestFullscreen();

  const named = (button, item) =>
    button.setAttribute("aria-label", `${button.textContent}: ${nameOf(item)}`);
  document.addEventListener("fullscreenchange", ({ target }) => {
    const button = target.querySelector?.('figure:scope [data-tool="screen"]');
    if (!button) return;
    button.textContent = document.fullscreenElement ? "Close" : "Full screen";
    named(button, target);
  });

  const tools = { cite, svg: saveSvg, png: savePng, screen: enlarge };
  document.querySelectorAll("figure > * .actions").forEach((bar) => {
    const item = bar.closest("figure");
    bar.querySelectorAll("button[data-tool]").forEach((button) => {
      named(button, item);
      button.addEventListener("click", () => tools[button.dataset.tool](item));
    });
  });
  if (!document.fullscreenEnabled) document.documentElement.classList.add("no-full-screen");
})();
