// Turns static pictures into interactive charts when they come into view. The library is loaded
// with the first of them; whatever fails, the static picture stays.
(() => {
  "use strict";
  const librarySource = document.currentScript.dataset.library;
  const family = "IBM Plex Sans, sans-serif";
  const config = {
    displaylogo: false,
    // Nothing is sent anywhere: no button to share, and no address that it could use.
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "sendChartToCloud"],
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

  const chartOf = (figure) => {
    const spec = JSON.parse(figure.querySelector(".figure-spec").textContent);
    const layout = spec.layout ?? {};
    const picture = figure.querySelector(".figure-static svg").getBoundingClientRect();
    // A chart is laid out for one width: narrower, its legend and title would collide.
    layout.width ??= Math.round(picture.width);
    layout.height ??= Math.max(320, Math.round(picture.height));
    layout.font = { color: "#161616", ...layout.font, family };
    layout.hoverlabel = {
      bgcolor: "#ffffff",
      bordercolor: "#8d8d8d",
      ...layout.hoverlabel,
      font: { color: "#161616", ...layout.hoverlabel?.font, family },
    };
    layout.modebar = { bgcolor: "rgba(0,0,0,0)", color: "#8d8d8d", activecolor: "#161616" };
    layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.dragmode = matchMedia("(pointer: coarse)").matches ? false : (layout.dragmode ?? "zoom");
    const dark = window.roundtripTheme.mode() === "dark";
    // The page's own colour, not none, so that a saved picture can be read anywhere.
    const paper = { paper_bgcolor: dark ? "#161616" : "#ffffff" };
    return {
      data: dark ? recoloured(spec.data ?? []) : (spec.data ?? []),
      layout: { ...(dark ? recoloured(layout) : layout), ...paper },
    };
  };

  const drawn = new Set();
  const setInteractive = (figure, on) => {
    figure.classList.toggle("is-interactive", on);
    figure.querySelector(".figure-toggle").setAttribute("aria-pressed", String(on));
  };

  const draw = async (figure) => {
    const live = figure.querySelector(".figure-live");
    try {
      const [plotly] = await Promise.all([
        loadLibrary(),
        document.fonts.load(`400 12px ${family}`),
        document.fonts.load(`600 12px ${family}`),
      ]);
      const { data, layout } = chartOf(figure);
      live.hidden = false;
      live.style.width = `${layout.width}px`;
      live.style.height = `${layout.height}px`;
      await plotly.newPlot(live, data, layout, {
        ...config,
        toImageButtonOptions: { filename: figure.id, scale: 2 },
      });
      const toggle = figure.querySelector(".figure-toggle");
      toggle.hidden = false;
      toggle.onclick = () => setInteractive(figure, !figure.classList.contains("is-interactive"));
      drawn.add(figure);
      setInteractive(figure, true);
    } catch (error) {
      live.hidden = true;
      live.replaceChildren();
      setInteractive(figure, false);
      console.warn(`The static picture of ${figure.id} stays: ${error.message}`);
    }
  };

  const redraw = () => {
    drawn.forEach((figure) => {
      const live = figure.querySelector(".figure-live");
      const { data, layout } = chartOf(figure);
      const size = { width: live.clientWidth, height: live.clientHeight };
      window.Plotly.react(live, data, { ...layout, ...size });
    });
  };

  const figures = document.querySelectorAll("figure[data-interactive]");
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
})();
