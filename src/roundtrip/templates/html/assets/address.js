// The state of tables in the address, so that a link shows what its sender saw: in the query, as the
// part behind `#` names a place on the page.
window.roundtripAddress = (() => {
  "use strict";
  return {
    get: (name) => new URLSearchParams(location.search).get(name) ?? "",
    set: (name, value) => {
      const state = new URLSearchParams(location.search);
      if (value) state.set(name, value);
      else state.delete(name);
      const query = state.size ? `?${state}` : "";
      history.replaceState(null, "", location.pathname + query + location.hash);
    },
  };
})();
