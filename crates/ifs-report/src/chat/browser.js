// The browser of dialogues. The index is small; chats are in compressed chunks, opened when needed.
(() => {
  "use strict";
  const get = (id) => document.getElementById(id);
  const section = get("browser");
  if (!section) return;
  const { names, runs, dialogues } = JSON.parse(get("index").textContent);
  const chunks = [...document.querySelectorAll("script.chunk")];
  const [list, reader, count, more] = ["list", "reader", "count", "more"].map(get);
  const [failed, model, constraint, topic, order, query] =
    ["failed", "model", "constraint", "topic", "order", "query"].map(get);
  const ROWS = 200;
  let shown = [];          // the dialogues that pass the filters, in order
  let rows = 0;            // how many of them are in the list
  let open = null;         // the dialogue that is read
  let turn = 0;            // the number of the turn that a key went to last
  let found = null;        // the dialogues with the searched text, or null
  let search = 0;          // the number of the last search

  // `dialogue-12`; `run-2-dialogue-12` among several runs.
  const anchor = (one) => (one.r ? `run-${one.r}-` : "") + `dialogue-${one.n}`;

  // Chunks.
  const kept = new Map();
  const chunk = async (at) => {
    if (kept.has(at)) return kept.get(at);
    const bytes = Uint8Array.from(atob(chunks[at].textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const chats = (await new Response(stream).text()).split("\u001e");
    kept.set(at, chats);
    if (kept.size > 8) kept.delete(kept.keys().next().value);
    return chats;
  };
  const chat = async (one) => (await chunk(one.c[0]))[one.c[1]];

  // Filters.
  const counted = (select, of) => {
    const times = new Map();
    for (const one of dialogues) for (const name of of(one)) times.set(name, (times.get(name) || 0) + 1);
    const sorted = [...times].sort((a, b) => b[1] - a[1] || (names[a[0]] < names[b[0]] ? -1 : 1));
    for (const [name, number] of sorted) select.add(new Option(`${names[name]} (${number})`, name));
    select.closest("label").hidden = sorted.length === 0;
  };
  const missed = (one) => new Set((one.m || []).flatMap(([, all]) => all));
  const failures = (one) =>
    (one.m || [])
      .filter(([, all]) => constraint.value === "" || all.includes(+constraint.value))
      .map(([number]) => number);
  const share = (one) => (one.s[1] ? one.s[0] / one.s[1] : 1);
  const orders = {
    number: (a, b) => a.n - b.n || a.r - b.r,
    worst: (a, b) => share(a) - share(b) || b.s[1] - a.s[1] || a.n - b.n || a.r - b.r,
    best: (a, b) => share(b) - share(a) || b.s[1] - a.s[1] || a.n - b.n || a.r - b.r,
    longest: (a, b) => b.v.length - a.v.length || a.n - b.n || a.r - b.r,
  };
  const passes = (one) =>
    (model.value === "" || one.r === +model.value) &&
    (!failed.checked || (one.m || []).length > 0) &&
    (constraint.value === "" || failures(one).length > 0) &&
    (topic.value === "" || (one.t || []).includes(+topic.value)) &&
    (!found || found.has(one));

  const classes = { "●": "good", "✗": "bad" };
  const marks = (outcomes) => {
    const line = document.createElement("span");
    line.className = "marks";
    line.setAttribute("aria-hidden", "true");
    for (const stretch of outcomes.match(/(.)\1*/gu) || []) {
      const part = document.createElement("span");
      part.className = classes[[...stretch][0]] || "unknown";
      part.textContent = stretch;
      line.append(part);
    }
    return line;
  };
  const row = (one) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${anchor(one)}`;
    link.id = `row-${anchor(one)}`;
    const name = document.createElement("b");
    name.textContent = one.n;
    if (one.r) {
      const run = document.createElement("small");
      run.textContent = ` ${runs[one.r - 1]}`;
      name.append(run);
    }
    const score = document.createElement("small");
    score.textContent = `${one.s[0]} of ${one.s[1]}`;
    link.append(name, score, marks(one.v));
    if (one === open) link.setAttribute("aria-current", "true");
    item.append(link);
    return item;
  };
  const extend = () => {
    const next = shown.slice(rows, rows + ROWS);
    list.append(...next.map(row));
    rows += next.length;
    more.hidden = rows >= shown.length;
  };
  const filter = () => {
    shown = dialogues.filter(passes).sort(orders[order.value]);
    count.textContent = shown.length === dialogues.length
      ? `${dialogues.length} dialogues` : `${shown.length} of ${dialogues.length} dialogues`;
    rows = 0;
    list.replaceChildren();
    extend();
  };

  // Searching reads every chunk, and shows what was found so far.
  const escaped = (text) => text.replace(/[&<>"']/g, (it) =>
    ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[it]);
  const look = async () => {
    const mine = ++search;
    const wanted = escaped(query.value.trim().toLowerCase());
    if (wanted === "") {
      found = null;
      return filter();
    }
    found = new Set();
    const of = chunks.map(() => []);
    for (const one of dialogues) if (one.c) of[one.c[0]].push(one);
    for (let at = 0; at < chunks.length; at++) {
      const chats = await chunk(at);
      if (mine !== search) return;
      for (const one of of[at]) {
        const text = chats[one.c[1]].replace(/<[^>]*>/g, " ").toLowerCase();
        if (text.includes(wanted)) found.add(one);
      }
    }
    filter();
  };

  // Reading.
  const show = async (one, at, move) => {
    const changed = one !== open;
    open = one;
    turn = at || 0;
    if (changed) {
      const html = one.c ? await chat(one) : "";
      if (open !== one) return;
      if (one.c) reader.innerHTML = html;
      else reader.textContent =
        `This page would be too large with dialogue ${one.n}: ifs show RUN --dialogue ${one.n}`;
      for (const link of list.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
      const link = get(`row-${anchor(one)}`);
      if (link) {
        link.setAttribute("aria-current", "true");
        list.scrollTop = Math.max(0, link.offsetTop - list.clientHeight / 2);
      }
    }
    const place = turn ? get(`${anchor(one)}-turn-${turn}`) : null;
    if (move) {
      const target = place || reader;
      target.scrollIntoView({ block: "start" });
      if (place) place.focus({ preventScroll: true });
      history.replaceState(null, "", `#${anchor(one)}${turn ? `-turn-${turn}` : ""}`);
    }
  };
  const step = (by) => {
    const at = shown.indexOf(open);
    const next = shown[at < 0 ? 0 : at + by];
    if (next) show(next, 0, true);
  };
  // The next failed turn: in this dialogue, else in one after it that passes the filters.
  const fail = (by) => {
    const inside = open ? failures(open).filter((at) => (by > 0 ? at > turn : turn && at < turn)) : [];
    if (inside.length) return show(open, by > 0 ? inside[0] : inside[inside.length - 1], true);
    let at = shown.indexOf(open);
    if (at < 0 && by < 0) return;
    for (at += by; at >= 0 && at < shown.length; at += by) {
      const all = failures(shown[at]);
      if (all.length) return show(shown[at], by > 0 ? all[0] : all[all.length - 1], true);
    }
  };
  const follow = (move) => {
    const link = /^#(?:run-(\d+)-)?dialogue-(\d+)(?:-turn-(\d+))?$/.exec(location.hash);
    const one = link && dialogues.find((it) => it.n === +link[2] && (it.r || 0) === +(link[1] || 0));
    if (one) show(one, +(link[3] || 0), move);
    return Boolean(one);
  };

  runs.forEach((name, at) => model.add(new Option(name, at + 1)));
  model.closest("label").hidden = runs.length < 2;
  counted(constraint, missed);
  counted(topic, (one) => one.t || []);
  section.hidden = false;
  filter();
  for (const input of [failed, model, constraint, topic, order]) input.addEventListener("change", filter);
  let wait = 0;
  query.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(look, 200);
  });
  section.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", extend);
  get("before").addEventListener("click", () => step(-1));
  get("after").addEventListener("click", () => step(1));
  get("failure").addEventListener("click", () => fail(1));
  addEventListener("hashchange", () => follow(true));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) &&
      event.target.type !== "checkbox";
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = {
      j: () => step(1), k: () => step(-1), n: () => fail(1), p: () => fail(-1),
      "/": () => query.focus(),
    }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  if (!follow(true) && shown.length) show(shown[0], 0, false);
})();
