// A region that does not scroll needs no stop on the way through the page by keyboard; one that has
// been scrolled sideways shows it at the names of its rows.
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
  regions.forEach((region) => {
    observer.observe(region);
    region.addEventListener("scroll", () => {
      region.classList.toggle("scrolled", region.scrollLeft > 0);
    });
  });
})();
