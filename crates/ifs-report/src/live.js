(() => {
  "use strict";
  // The page of a run that goes on: it is loaded again as dialogues end, unless it is being read.
  const key = "ifs-scroll";
  const scroll = sessionStorage.getItem(key);
  if (scroll !== null) {
    sessionStorage.removeItem(key);
    scrollTo(0, Number(scroll));
  }
  const bar = document.createElement("button");
  bar.type = "button";
  bar.className = "live";
  bar.hidden = true;
  bar.textContent = "More dialogues have ended: load them";
  document.body.append(bar);
  const load = () => {
    sessionStorage.setItem(key, String(scrollY));
    location.reload();
  };
  bar.addEventListener("click", load);
  let read = false;
  for (const event of ["input", "hashchange"]) addEventListener(event, () => { read = true; });
  const first = document.documentElement.dataset.state;
  const ask = async () => {
    try {
      const state = await (await fetch("state", { cache: "no-store" })).text();
      document.documentElement.dataset.latest = state;
      if (state !== first) {
        if (read || location.hash) bar.hidden = false;
        else return load();
      }
    } catch {
      // The server was stopped: the page stays as it is.
    }
    setTimeout(ask, 2000);
  };
  setTimeout(ask, 2000);
})();
