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
    layout.margin = { l: 80, r: 80, t: 64, b: 80, ...layout.margin };
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
    const paper = { paper_bgcolor: getComputedStyle(document.body).backgroundColor };
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
  const SPARE = 14; // between title and legend, above which there is a blank
  const linesOf = (text) => text.split("<br>").length;
  const heighten = (layout, more, above = more) => {
    const { legend, margin } = layout;
    const plot = layout.height - margin.t - margin.b;
    layout.height += more;
    layout.margin = { ...margin, t: margin.t + above };
    // However high the plot becomes, the legend stays as far above it.
    layout.legend = { ...legend, y: 1 + (((legend?.y ?? 1) - 1) * plot) / (plot + more - above) };
    if (!layout.title?.text) return;
    // Plotly anchors a title of several lines by its middle.
    layout.title = { ...layout.title, y: 1 - (10 + 9 * (linesOf(layout.title.text) - 1)) / layout.height };
  };

  // Breaks a text where a line would be longer than there is room.
  const widthOf = (text, weight, size) => {
    pen.font = `${weight} ${size}px ${family}`;
    return pen.measureText(text).width;
  };
  const broken = (text, weight, size, room) => {
    const lines = [];
    for (const word of text.split(/<br>| /)) {
      const longer = `${lines.at(-1)} ${word}`;
      if (lines.length && widthOf(longer, weight, size) < room) lines.splice(-1, 1, longer);
      else lines.push(word);
    }
    return lines.join("<br>");
  };

  // The title breaks at what is seen of the chart before it is scrolled.
  const laidOut = (made, width, seen) => {
    const layout = { ...made, width };
    if (seen >= made.width || !made.title?.text) return layout;
    const size = made.title.font?.size ?? 15;
    const text = broken(made.title.text, 600, size, seen - 12);
    const more = (linesOf(text) - linesOf(made.title.text)) * size * 1.3;
    layout.title = { ...made.title, text };
    heighten(layout, Math.max(0, more));
    return layout;
  };

  // ---- the compact form, for phones ----
  // What a chart has beside its marks moves above them, so that these have the whole width.
  const LINE = 18; // pixels of a line of text
  const LONG = 80; // of a name that stands above its row rather than beside it
  const EDGE = 16; // of a side with nothing in it
  const BETWEEN = 40; // between two panels, beside what is below an axis: a title
  const SAMPLE = 60; // of a sample in the legend and around it
  const PANEL = 120; // of a panel beside others, with the numbers of its axis

  const axesOf = (layout, side) =>
    Object.keys(layout).filter((key) => new RegExp(`^${side}axis[0-9]*$`).test(key));

  // Names at the ends of curves go to the legend, and the axis ends where the curves do.
  const endsNamed = ({ data, layout }) => {
    const isName = ({ text, xref }) => xref !== "paper" && data.some(({ name }) => name === text);
    const ends = (layout.annotations ?? []).filter(isName);
    if (!ends.length) return { data, layout };
    const names = new Set(ends.map(({ text }) => text));
    const last = Math.max(...ends.map(({ x }) => x));
    const axes = axesOf(layout, "x").filter((key) => layout[key].range);
    const shorter = ([first]) => [first, last + 0.06 * (last - first)];
    return {
      data: data.map((trace) => (names.delete(trace.name) ? { ...trace, showlegend: true } : trace)),
      layout: {
        ...layout,
        showlegend: true,
        annotations: layout.annotations.filter((each) => !ends.includes(each)),
        ...Object.fromEntries(
          axes.map((key) => [key, { ...layout[key], range: shorter(layout[key].range) }]),
        ),
      },
    };
  };

  // Where the columns of panels start, as shares of the width.
  const columnsOf = (layout) => {
    const starts = axesOf(layout, "x").map((key) => layout[key].domain?.[0] ?? 0);
    return [...new Set(starts)].sort((one, other) => one - other);
  };

  // Columns of panels go below one another, each as high as before and with scales of its own.
  const columnsBelow = ({ data, layout }) => {
    const columns = columnsOf(layout);
    if (columns.length < 2) return { data, layout };
    const { margin } = layout;
    const each = layout.height - margin.t - margin.b;
    const step = each + margin.b + BETWEEN;
    const all = step * columns.length - (step - each);
    const columnAt = (x) => columns.findLastIndex((start) => start <= x + 1e-6);
    const moved = (y, column) => (step * (columns.length - 1 - column) + each * y) / all;
    const below = { ...layout, height: layout.height + all - each };
    const titles = new Map();
    for (const key of axesOf(layout, "x")) {
      const column = columnAt(layout[key].domain?.[0] ?? 0);
      const up = `yaxis${(layout[key].anchor ?? "y").slice(1)}`;
      const [low, high] = layout[up]?.domain ?? [0, 1];
      if (!column) titles.set(low, layout[up]?.title);
      below[key] = { ...layout[key], domain: [0, 1] };
      below[up] = {
        ...layout[up], domain: [moved(low, column), moved(high, column)],
        title: titles.get(low) ?? layout[up]?.title, showticklabels: true,
      };
    }
    below.annotations = (layout.annotations ?? []).map((text) =>
      text.xref === "paper" ? { ...text, x: 0.5, y: moved(text.y, columnAt(text.x)) } : text,
    );
    const { legend } = layout;
    below.legend = { ...legend, y: 1 + (((legend?.y ?? 1) - 1) * each) / all };
    return { data, layout: below };
  };

  // Long names of rows stand above them; the rows grow by a line, their bars do not. A chart
  // without gets more room at the right, for texts beside points.
  const rowsNamed = ({ data, layout }, width) => {
    const placesOf = (key) =>
      data.flatMap(({ y, yaxis = "y" }) => (yaxis === key.replace("axis", "") ? y : []));
    const rowsOf = (key) =>
      layout[key].categoryarray ?? layout[key].tickvals ?? [...new Set(placesOf(key))];
    const namesOf = (key) => layout[key].ticktext ?? rowsOf(key);
    const long = (name) => typeof name === "string" && widthOf(name, 400, 12) > LONG;
    const axes = axesOf(layout, "y").filter((key) => namesOf(key).some(long));
    const { margin, bargap = 0.2 } = layout;
    if (!axes.length) return { data, layout: { ...layout, margin: { ...margin, r: margin.r + EDGE } } };
    const before = layout.height - margin.t - margin.b;
    const [low, high] = layout[axes[0]].domain ?? [0, 1];
    const rows = rowsOf(axes[0]);
    const more = (LINE * rows.length) / (high - low);
    const grown = (before + more) / before;
    const half = ((1 - bargap) * before * (high - low)) / rows.length / 2;
    const names = axes
      .filter((key) => layout[key].showticklabels !== false)
      .flatMap((key) =>
        rowsOf(key).map((y, at) => ({
          text: broken(namesOf(key)[at], 400, 12, width - 2 * EDGE), y, yref: key.replace("axis", ""), yanchor: "bottom", yshift: half,
          x: 0, xref: "paper", xanchor: "left", showarrow: false, font: layout[key].tickfont,
          bgcolor: layout.paper_bgcolor, xshift: 4,
        })),
      );
    const bare = axes.map((key) => [key, { ...layout[key], showticklabels: false }]);
    return {
      data,
      layout: {
        ...layout,
        ...Object.fromEntries(bare),
        height: layout.height + more,
        margin: { ...margin, l: EDGE },
        bargap: 1 - (1 - bargap) / grown,
        legend: { ...layout.legend, y: 1 + ((layout.legend?.y ?? 1) - 1) / grown },
        annotations: [...(layout.annotations ?? []), ...names],
      },
    };
  };

  // Values above bars are as large as other texts, and stand upright where they would touch.
  const valuesUpright = ({ data, layout }, width) => {
    const bars = data.filter(({ type, orientation }) => type === "bar" && orientation !== "h");
    const upright = ({ x, text, xaxis = "x" }) => {
      const [low, high] = layout[xaxis.replace("x", "xaxis")]?.domain ?? [0, 1];
      const beside = bars.filter((other) => (other.xaxis ?? "x") === xaxis).length;
      const each = ((width - layout.margin.l - layout.margin.r) * (high - low)) / x.length / beside;
      return text.some((value) => widthOf(value, 400, 12) > 0.8 * each);
    };
    const turned = (trace) => ({
      ...trace,
      textfont: { ...trace.textfont, size: 12 },
      ...(upright(trace) && { textangle: -90, texttemplate: "%{text}" }),
    });
    const told = (trace) => bars.includes(trace) && Array.isArray(trace.text);
    return { data: data.map((trace) => (told(trace) ? turned(trace) : trace)), layout };
  };

  // Names and titles below an axis are broken to its width; ticks that would touch stand upright,
  // and those that would touch even so have no text.
  const axesBroken = ({ data, layout }, width) => {
    const { margin } = layout;
    let more = 0;
    const axes = axesOf(layout, "x").map((key) => {
      const axis = layout[key];
      const [low, high] = axis.domain ?? [0, 1];
      const room = (width - margin.l - margin.r) * (high - low);
      const changed = { ...axis };
      let below = 0;
      if (axis.title?.text) {
        changed.title = { ...axis.title, text: broken(axis.title.text, 400, 12, room) };
        below += linesOf(changed.title.text) - 1;
      }
      if (axis.categoryarray) {
        const each = room / axis.categoryarray.length - GAP;
        changed.tickvals = axis.categoryarray;
        changed.ticktext = changed.tickvals.map((name) => broken(name, 400, 12, each));
        changed.tickangle = 0;
        below += Math.max(...changed.ticktext.map(linesOf)) - 1;
      } else if (axis.ticktext && axis.range && !axis.tickangle) {
        const along = (value) => (axis.type === "log" ? Math.log10(value) : value);
        const at = axis.tickvals.map((value) => along(value) / (axis.range[1] - axis.range[0]));
        const wide = axis.ticktext.map((text) => widthOf(text, 400, 12));
        const touch = (place, n) =>
          n > 0 && (place - at[n - 1]) * room < (wide[n] + wide[n - 1]) / 2 + GAP;
        if (at.some(touch)) {
          changed.tickangle = -90;
          let last = -Infinity;
          changed.ticktext = axis.ticktext.map((text, n) => {
            if ((at[n] - last) * room < LINE + GAP) return "";
            last = at[n];
            return text;
          });
          below += Math.max(...wide) / LINE - 1;
        }
      }
      more = Math.max(more, below * LINE);
      return [key, changed];
    });
    const below = { height: layout.height + more, margin: { ...margin, b: margin.b + more } };
    return { data, layout: { ...layout, ...Object.fromEntries(axes), ...below } };
  };

  // The legend begins at the left edge, and long names in it are broken.
  const legendAcross = ({ data, layout }, width) => {
    const { l, r } = layout.margin;
    const named = ({ name }) => name && broken(name, 400, 12, width - r - SAMPLE);
    return {
      data: data.map((trace) => ({ ...trace, name: named(trace) })),
      layout: { ...layout, legend: { ...layout.legend, x: (4 - l) / (width - l - r) } },
    };
  };

  // Twice as high, so that texts beside marks have more room above one another.
  const taller = ({ data, layout }) => {
    const made = { ...layout };
    heighten(made, layout.height - layout.margin.t - layout.margin.b, 0);
    return { data, layout: made };
  };

  const compact = (chart, width) =>
    [endsNamed, rowsNamed, valuesUpright, axesBroken, legendAcross].reduce(
      (made, rule) => rule(made, width),
      chart,
    );

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

  // The forms of a chart that are tried in a frame, one after another, with their widths.
  const formsFor = (chart, frame) => {
    const made = chart.layout.width;
    if (frame >= made) return [[frame, chart]];
    const widest = Math.min(frame / SMALLEST, made);
    const least = Math.max(frame, Math.min(LEAST, widest));
    const { l, r } = chart.layout.margin;
    const panels = columnsOf(chart.layout).length;
    const roomy = (width) => panels < 2 || width - l - r > PANEL * panels;
    const forms = [...new Set([least, widest])]
      .filter((width) => width === made || (width - l - r > width / 2 && roomy(width)))
      .map((width) => [width, chart]);
    if (widest < made) {
      if (roomy(widest)) forms.push([widest, compact(chart, widest)]);
      const below = columnsBelow(chart);
      forms.push([widest, compact(below, widest)], [widest, compact(taller(below), widest)]);
      forms.push([made, chart]);
    }
    return forms;
  };

  const layOut = async (figure, plotly) => {
    const live = figure.querySelector(".figure-live");
    const { clientWidth: frame, clientHeight: room } = figure.querySelector(".figure-frame");
    if (!frame) return;
    live.dataset.frame = frame;
    const chart = chartOf(figure);
    const { width: whole, height } = chart.layout;
    if (document.fullscreenElement === figure) {
      heighten(chart.layout, Math.max(0, room - 24 - height), 0);
    }
    for (const [width, { data, layout: made }] of formsFor(chart, frame)) {
      const layout = laidOut(made, width, Math.min(width, frame / SMALLEST));
      const before = live.querySelector(".legend");
      place(live, layout, frame);
      await plotly.react(live, data, layout, config);
      // Plotly places a legend by the height that it had before.
      if (before) await plotly.redraw(live);
      // Rows of a legend are known once it is drawn: fewer than there is room for, or more. Plotly
      // gives a tall one a part of the room itself, so that one step may not suffice.
      for (let step = 0; step < 4; step += 1) {
        const covered = coveredByLegend(live);
        if (covered <= 0 && (step || covered > -SPARE)) break;
        heighten(layout, Math.ceil(covered) + 8);
        place(live, layout, frame);
        await plotly.react(live, data, layout, config);
      }
      if (width >= whole || !crowded(live)) return;
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
    busy = busy
      .then(() => (needed() ? layOut(figure, window.Plotly) : null))
      .catch((error) => console.warn(`${figure.id} stays as it is: ${error.message}`));
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
