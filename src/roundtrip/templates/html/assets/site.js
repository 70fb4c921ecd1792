// Contents drawer, mode switch, place on the page, code on demand. Everything works without it.
(() => {
  "use strict";
  const each = (selector, visit) => document.querySelectorAll(selector).forEach(visit);

  const drawer = () => {
    const toggle = document.querySelector(".nav-toggle");
    const nav = document.getElementById("site-nav");
    const close = document.createElement("button");
    Object.assign(close, { type: "button", className: "header-button nav-close", textContent: "Close" });
    nav.prepend(close);
    const set = (open) => {
      document.body.classList.toggle("nav-open", open);
      toggle.setAttribute("aria-expanded", String(open));
    };
    const isOpen = () => document.body.classList.contains("nav-open");
    toggle.addEventListener("click", () => {
      set(!isOpen());
      if (isOpen()) nav.querySelector("a").focus();
    });
    const leave = () => {
      set(false);
      toggle.focus();
    };
    close.addEventListener("click", leave);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && isOpen()) leave();
    });
    document.addEventListener("click", (event) => {
      if (isOpen() && !nav.contains(event.target) && !toggle.contains(event.target)) set(false);
    });
    const current = nav.querySelector("[aria-current]");
    if (current && nav.scrollHeight > nav.clientHeight) {
      nav.scrollTop = Math.max(0, current.offsetTop - nav.clientHeight / 2);
    }
  };

  const themeSwitch = () => {
    const button = document.querySelector(".theme-toggle");
    const show = () => {
      button.setAttribute("aria-pressed", String(window.roundtripTheme.mode() === "dark"));
    };
    button.addEventListener("click", () => {
      window.roundtripTheme.choose(window.roundtripTheme.mode() === "dark" ? "light" : "dark");
    });
    document.addEventListener("roundtrip:theme", show);
    show();
  };

  const placeOnPage = () => {
    const links = new Map();
    each(".page-toc a", (link) => {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (heading) links.set(heading, link);
    });
    if (!links.size) return;
    const headings = [...links.keys()];
    let scheduled = false;
    const mark = () => {
      scheduled = false;
      let current = null;
      for (const heading of headings) {
        if (heading.getBoundingClientRect().top > innerHeight / 3) break;
        current = heading;
      }
      links.forEach((link, heading) => {
        if (heading === current) link.setAttribute("aria-current", "location");
        else link.removeAttribute("aria-current");
      });
    };
    addEventListener(
      "scroll",
      () => {
        if (!scheduled) requestAnimationFrame(mark);
        scheduled = true;
      },
      { passive: true },
    );
    mark();
  };

  const codeOnDemand = () => {
    each(".code-toggle", (button) => {
      button.addEventListener("click", () => {
        const open = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(open));
        each("details.code", (details) => {
          details.open = open;
        });
      });
    });
  };

  // Remarks weigh nothing until a reader asks for them; they stay open on the next page where they
  // leave room for it.
  const remarks = () => {
    const button = document.querySelector(".remarks-toggle");
    const load = () => {
      const script = document.createElement("script");
      script.src = button.dataset.script;
      document.head.append(script);
    };
    let open = false;
    try {
      open = innerWidth > 640 && sessionStorage.getItem("roundtrip-remarks") === "open";
    } catch {
      // storage may be forbidden
    }
    if (open) load();
    else button.addEventListener("click", load, { once: true });
  };

  drawer();
  themeSwitch();
  placeOnPage();
  codeOnDemand();
  remarks();
})();
