// The state of tables in the address, so that a link shows what its sender saw: in the query, as the
// part behind `#` names a place on the page.
window.roundtripAddress = (() => {
  "use strict";
  const named = () => {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null; // such as #50%
    }
  };
  return {
    get: (name) => new URLSearchParams(location.search).get(name) ?? "",
    set: (name, value) => {
      const state = new URLSearchParams(location.search);
      if (value) state.set(name, value);
      else state.delete(name);
      const query = state.size ? `?${state}` : "";
      history.replaceState(null, "", location.pathname + query + location.hash);
    },
    // Whoever follows a link to what is filtered out gets to see it.
    reveal: (regions, show) => {
      const look = () => {
        const target = named();
        if (!target?.closest("[hidden]") || !regions.some((each) => each.contains(target))) return;
        show();
        target.scrollIntoView({ block: "center" });
      };
      addEventListener("hashchange", look);
      look();
    },
  };
})();
