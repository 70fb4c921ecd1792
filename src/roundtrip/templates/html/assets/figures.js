// Turns static pictures into interactive charts when they come into view, each as wide as its frame.
// The library is loaded with the first of them; whatever fails, the static picture stays. The site's
// pages and Quarto's use this one script.
(() => {
  "use strict";
  const librarySource = document.currentScript.dataset.library;
  const family = getComputedStyle(document.body).fontFamily;
  const config = {
    displaylogo: false,
    // Nothing is sent anywhere: no button to share, and no address that it could use.
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "sendChartToCloud", "toImage"],
    showSendToCloud: false,
    plotlyServerURL: "",
  };
  let library = null;

  const loadLibrary = () => {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = librarySource;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => reject(new Error(`${librarySource} could not be loaded`));
      document.head.append(script);
    });
    return library;
  };

  // Colours for dark mode: what the style sheet's filter `invert(0.9137)
  // hue-rotate(180deg) brightness(1.15)` makes of the static picture, so that both pictures agree.
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (color) => {
    pen.fillStyle = "#010203";
    pen.fillStyle = color;
    const plain = pen.fillStyle;
    if (plain === "#010203") return null;
    if (plain.startsWith("#")) {
      return [1, 3, 5].map((at) => parseInt(plain.slice(at, at + 2), 16) / 255).concat(1);
    }
    const [red, green, blue, alpha] = plain.match(/[\d.]+/g).map(Number);
    return [red / 255, green / 255, blue / 255, alpha];
  };
  const invert = (value) => 0.9137 - value * 0.8274;
  const clamp = (value) => Math.min(1, Math.max(0, value));
  const byte = (value) => Math.round(255 * clamp(1.15 * clamp(value)));
  const forDark = (color) => {
    const found = channels(color);
    if (!found) return color;
    const [red, green, blue] = found.slice(0, 3).map(invert);
    const turned = [
      -0.574 * red + 1.43 * green + 0.144 * blue,
      0.426 * red + 0.43 * green + 0.144 * blue,
      0.426 * red + 1.43 * green - 0.856 * blue,
    ];
    return `rgba(${turned.map(byte).join(",")},${found[3]})`;
  };

  const recoloured = (value, key = "") => {
    if (typeof value === "string") {
      if (/color$/i.test(key)) return forDark(value);
      return value.replace(/(color:\s*)([^;"']+)/gi, (_, name, color) => name + forDark(color));
    }
    if (Array.isArray(value)) {
      if (/colorscale$/i.test(key)) return value.map(([at, color]) => [at, forDark(color)]);
      return value.map((item) => recoloured(item, key === "colorway" ? "color" : key));
    }
    if (value && typeof value === "object" && !ArrayBuffer.isView(value)) {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, recoloured(v, k)]));
    }
    return value;
  };

  const mode = () =>
    window.roundtripTheme?.mode() ??
    (document.body.classList.contains("quarto-dark") ? "dark" : "light");

  const chartOf = (figure) => {
    const spec = JSON.parse(figure.querySelector(".figure-spec").textContent);
    const layout = spec.layout ?? {};
    const picture = figure.querySelector(".figure-static svg")?.viewBox.baseVal;
    layout.width ??= picture.width;
    layout.height ??= picture.height;
    layout.margin ??= { t: 64 };
    layout.font = { color: "#161616", ...layout.font, family };
    layout.hoverlabel = {
      bgcolor: "#ffffff",
      bordercolor: "#8d8d8d",
      ...layout.hoverlabel,
      font: { color: "#161616", ...layout.hoverlabel?.font, family },
    };
    layout.modebar = { bgcolor: "rgba(0,0,0,0)", color: "#6f6f6f", activecolor: "#161616" };
    layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.dragmode = matchMedia("(pointer: coarse)").matches ? false : (layout.dragmode ?? "zoom");
    layout.uirevision = true; // what a reader zoomed into stays when the chart is laid out again
    const dark = mode() === "dark";
    // The page's own colour, not none, so that a saved picture can be read anywhere.
    const paper = { paper_bgcolor: dark ? "#161616" : "#ffffff" };
    return {
      data: dark ? recoloured(spec.data ?? []) : (spec.data ?? []),
      layout: { ...(dark ? recoloured(layout) : layout), ...paper },
    };
  };

  // ---- a chart for a width ----
  // Charts come laid out for one width. In a narrower frame the title is broken anew and room is
  // made for a legend of more rows; where texts would then still lie on one another or be cut, the
  // chart is laid out wider and shown a little smaller, at last in a frame that scrolls.
  const LEAST = 480; // narrower only where this would be shown too small
  const SMALLEST = 0.8; // of its size: smaller, texts could not be read
  const GAP = 4; // pixels between the texts of axes
  const widthsFor = (frame, made) => {
    if (frame >= made) return [frame];
    const widest = Math.min(frame / SMALLEST, made);
    return [...new Set([Math.max(frame, Math.min(LEAST, widest)), widest, made])];
  };

  const heighten = (layout, more, above = more) => {
    layout.height += more;
    layout.margin = { ...layout.margin, t: layout.margin.t + above };
    if (!layout.title?.text) return;
    // Plotly anchors a title of several lines by its middle.
    const lines = layout.title.text.split("<br>").length;
    layout.title = { ...layout.title, y: 1 - (10 + 9 * (lines - 1)) / layout.height };
  };

  // The title breaks at what is seen of the chart before it is scrolled.
  const laidOut = (made, width, seen) => {
    const layout = { ...made, width };
    if (seen >= made.width || !made.title?.text) return layout;
    const size = made.title.font?.size ?? 15;
    pen.font = `600 ${size}px ${family}`;
    const lines = [];
    for (const word of made.title.text.split(/<br>| /)) {
      const longer = `${lines.at(-1)} ${word}`;
      if (lines.length && pen.measureText(longer).width < seen - 12) lines.splice(-1, 1, longer);
      else lines.push(word);
    }
    const more = (lines.length - made.title.text.split("<br>").length) * size * 1.3;
    layout.title = { ...made.title, text: lines.join("<br>") };
    heighten(layout, Math.max(0, more));
    return layout;
  };

  const coveredByLegend = (live) => {
    const title = live.querySelector(".gtitle")?.getBoundingClientRect();
    const legend = live.querySelector(".legend .bg")?.getBoundingClientRect();
    if (!legend) return 0;
    const top = title?.height ? title.bottom : live.getBoundingClientRect().top;
    return (top + 4 - legend.top) * (live.offsetWidth / live.getBoundingClientRect().width);
  };

  const crowded = (live) => {
    const frame = live.getBoundingClientRect();
    const boxes = [...live.querySelectorAll(".main-svg text")]
      .filter((text) => text.textContent.trim())
      .map((text) => [text.getBoundingClientRect(), text.matches("[class$=tick] text, .infolayer text")])
      .filter(([box]) => box.width && box.height);
    return boxes.some(
      ([one, ofAxis], at) =>
        one.left < frame.left - 1 ||
        one.right > frame.right + 1 ||
        boxes.slice(at + 1).some(([other, ofAxisToo]) => {
          const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
          const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
          const allowed = ofAxis && ofAxisToo ? -GAP : 1;
          return across > allowed && down > Math.min(one.height, other.height) / 3;
        }),
    );
  };

  const place = (live, layout, frame) => {
    const scale = Math.max(frame / layout.width, SMALLEST);
    live.style.width = `${layout.width}px`;
    live.style.height = `${layout.height}px`;
    live.style.transform = scale < 1 ? `scale(${scale})` : "";
    live.style.marginInlineEnd = scale < 1 ? `${layout.width * (scale - 1)}px` : "";
    live.style.marginBlockEnd = scale < 1 ? `${layout.height * (scale - 1)}px` : "";
  };

  const layOut = async (figure, plotly) => {
    const live = figure.querySelector(".figure-live");
    const { clientWidth: frame, clientHeight: room } = figure.querySelector(".figure-frame");
    if (!frame) return;
    live.dataset.frame = frame;
    const { data, layout: made } = chartOf(figure);
    if (document.fullscreenElement === figure) heighten(made, Math.max(0, room - 24 - made.height), 0);
    for (const width of widthsFor(frame, made.width)) {
      const layout = laidOut(made, width, Math.min(width, frame / SMALLEST));
      const before = live.querySelector(".legend");
      place(live, layout, frame);
      await plotly.react(live, data, layout, config);
      // Plotly places a legend by the height that it had before.
      if (before) await plotly.redraw(live);
      // Plotly gives a tall legend a part of the room itself, so that one step may not suffice.
      for (let step = 0; step < 4 && frame < made.width; step += 1) {
        const covered = coveredByLegend(live);
        if (covered <= 0) break;
        heighten(layout, Math.ceil(covered) + 12);
        place(live, layout, frame);
        await plotly.react(live, data, layout, config);
      }
      if (width >= made.width || !crowded(live)) return;
    }
  };

  const drawn = new Set();
  const setInteractive = (figure, on) => {
    figure.classList.toggle("is-interactive", on);
    figure.querySelector(".figure-toggle")?.setAttribute("aria-pressed", String(on));
  };

  const draw = async (figure) => {
    const live = figure.querySelector(".figure-live");
    try {
      const [plotly] = await Promise.all([
        loadLibrary(),
        document.fonts.load(`400 12px ${family}`),
        document.fonts.load(`600 12px ${family}`),
      ]);
      live.hidden = false;
      await layOut(figure, plotly);
      const toggle = figure.querySelector(".figure-toggle");
      if (toggle) {
        toggle.hidden = false;
        toggle.onclick = () => setInteractive(figure, !figure.classList.contains("is-interactive"));
      }
      drawn.add(figure);
      setInteractive(figure, true);
      sizes.observe(figure.querySelector(".figure-frame"));
    } catch (error) {
      live.hidden = true;
      live.replaceChildren();
      setInteractive(figure, false);
      console.warn(`The static picture of ${figure.id} stays: ${error.message}`);
    }
  };

  // One layout at a time; of several changes meanwhile only the last counts.
  let busy = Promise.resolve();
  const again = (figure, needed) => {
    busy = busy.then(() => (needed() ? layOut(figure, window.Plotly) : null));
  };
  const resized = (frame) => {
    const figure = frame.closest("figure, [data-interactive]");
    const live = frame.querySelector(".figure-live");
    again(figure, () => frame.clientWidth && Number(live.dataset.frame) !== frame.clientWidth);
  };
  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => resized(target)));
  const redraw = () => drawn.forEach((figure) => again(figure, () => true));

  // A page whose charts follow what its reader chooses has them drawn when that changes.
  const show = (figure) => (drawn.has(figure) ? again(figure, () => true) : draw(figure));
  // Such a chart as a drawing for others to keep: in the colours of paper, as wide as it was made.
  const drawing = async (figure) => {
    const plotly = await loadLibrary();
    const { data, layout } = JSON.parse(figure.querySelector(".figure-spec").textContent);
    const { width, height } = layout;
    const made = { data, layout: { ...layout, font: { color: "#161616", family } } };
    const address = await plotly.toImage(made, { format: "svg", width, height });
    const text = decodeURIComponent(address.slice(address.indexOf(",") + 1));
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return document.importNode(root, true);
  };
  window.roundtripFigures = { show, drawing };

  const figures = document.querySelectorAll("[data-interactive]");
  const observer = new IntersectionObserver(
    (entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
        observer.unobserve(target);
        draw(target);
      });
    },
    { rootMargin: "200px" },
  );
  figures.forEach((figure) => observer.observe(figure));
  document.addEventListener("roundtrip:theme", redraw);
  document.addEventListener("fullscreenchange", ({ target }) => {
    if (drawn.has(target)) again(target, () => true);
  });
  if (!window.roundtripTheme) {
    new MutationObserver(redraw).observe(document.body, { attributeFilter: ["class"] });
  }
})();
