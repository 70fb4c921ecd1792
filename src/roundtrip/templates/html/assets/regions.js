// A region that does not scroll needs no stop on the way through the page by keyboard; one that has
// been scrolled sideways shows it at the names of its rows, and one that can be at its end. A table
// that is hardly too wide is set closer.
(() => {
  "use strict";
  const mark = (region) => {
    const hidden = region.scrollWidth - region.clientWidth - region.scrollLeft;
    region.classList.toggle("scrolled", region.scrollLeft > 0);
    region.classList.toggle("more", hidden > 1);
    region.style.setProperty("--hidden", `${hidden}px`);
  };
  const HARDLY = 64;
  const settle = (region) => {
    region.classList.remove("tight");
    const over = region.scrollWidth - region.clientWidth;
    region.classList.toggle("tight", over > 1 && over < HARDLY);
    const scrolls =
      region.scrollWidth > region.clientWidth + 1 || region.scrollHeight > region.clientHeight + 1;
    if (scrolls) region.setAttribute("tabindex", "0");
    else region.removeAttribute("tabindex");
    mark(region);
  };
  const REGIONS = ".table-scroll, .figure-frame, pre";
  const observer = new ResizeObserver((entries) =>
    entries.forEach(({ target }) => settle(target.closest(REGIONS))),
  );
  document.querySelectorAll(REGIONS).forEach((region) => {
    [region, ...region.children].forEach((each) => observer.observe(each)); // what it holds may change
    region.addEventListener("scroll", () => mark(region));
  });
})();
