// A region that does not scroll needs no stop on the way through the page by keyboard.
(() => {
  "use strict";
  const settle = (region) => {
    const scrolls =
      region.scrollWidth > region.clientWidth + 1 || region.scrollHeight > region.clientHeight + 1;
    if (scrolls) region.setAttribute("tabindex", "0");
    else region.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver((entries) => entries.forEach((e) => settle(e.target)));
  const regions = document.querySelectorAll(".table-scroll, .figure-frame, pre");
  regions.forEach((region) => observer.observe(region));
})();
