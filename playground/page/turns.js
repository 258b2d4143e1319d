// A drawn dialogue: messages, active constraints, witnesses, and a field for a response of one's own.

function element(name, className = "", ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function constraint(active, turn) {
  const chip = element("li", active.since === turn ? "new" : "");
  chip.textContent = active.name + (active.args.length ? ` (${active.args.join(", ")})` : "");
  chip.title = active.rule ? `check ${active.rule}` : "A judge decides this.";
  return chip;
}

function witness({ witness, missing }) {
  if (witness !== null) {
    return element("details", "witness", element("summary", "", "Witness: a response that satisfies every active rule"),
      element("div", "bubble", witness));
  }
  const text = missing ? `No witness was found; these may contradict one another: ${missing.join(", ")}`
    : "No rule is active, so this turn needs no witness.";
  return element("p", missing ? "error-text" : "", text);
}

const MARKS = { held: "✓ held", missed: "✗ missed" };

function verdicts(list, { error, verdicts: found }) {
  if (error) return list.replaceChildren(element("li", "error-text", error));
  const rows = found.map(({ key, outcome, why }) => element("li", outcome,
    element("b", "", MARKS[outcome] ?? outcome), ` ${key}`, why ? `: ${why}` : ""));
  return list.replaceChildren(...(rows.length ? rows : [element("li", "", "Nothing is checked on this turn.")]));
}

function respond(turn, grade) {
  const text = element("textarea");
  text.setAttribute("aria-label", `Response to turn ${turn.number}`);
  text.placeholder = "Paste a response to grade it";
  const list = element("ul", "verdicts");
  list.setAttribute("aria-live", "polite");
  let [timer, round] = [0, 0];
  const check = async () => {
    const mine = ++round;
    let graded;
    try {
      graded = await grade(turn.number, text.value);
    } catch (error) {
      graded = { error: error.message };
    }
    if (mine === round) verdicts(list, graded);
  };
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(check, 200);
  });
  return element("div", "respond", text, list);
}

export function show(view, drawn, grade) {
  if (drawn.error) return view.replaceChildren(element("p", "error-text", drawn.error));
  const turns = drawn.turns.map((turn) => {
    const name = [turn.name, turn.move, turn.topic].filter(Boolean).join(" · ");
    const box = element("section", "turn",
      element("h3", "", `Turn ${turn.number} `, element("span", "", name)));
    if (turn.system) box.append(element("div", "bubble system", turn.system));
    box.append(element("div", "bubble user", turn.ask));
    for (const { tool, text } of turn.shown) {
      box.append(element("div", "bubble system", element("b", "", `Tool ${tool}`), `\n${text}`));
    }
    if (turn.constraints.length) {
      box.append(element("ul", "chips", ...turn.constraints.map((active) => constraint(active, turn.number))));
    }
    box.append(witness(turn), respond(turn, grade));
    return box;
  });
  return view.replaceChildren(...turns);
}
