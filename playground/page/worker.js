// The compiler, away from the page: a search that takes long never blocks the editor.
import init, { Scenario, explain, format, keywords } from "./ifs_playground.js";

const ready = init();
let scenario = null;

const work = {
  check({ files, main }) {
    scenario?.free();
    scenario = new Scenario(JSON.stringify(files), main);
    return JSON.parse(scenario.summary());
  },
  draw({ dialogue, variant, seed, index, turns }) {
    return JSON.parse(scenario.draw(dialogue, variant, BigInt(seed), BigInt(index), turns));
  },
  grade({ dialogue, variant, seed, index, turn, response }) {
    return JSON.parse(scenario.grade(dialogue, variant, BigInt(seed), BigInt(index), turn, response));
  },
  explain({ code }) { return explain(code); },
  format({ text }) { return format(text); },
  keywords() { return JSON.parse(keywords()); },
};

onmessage = async ({ data: { id, name, input } }) => {
  try {
    await ready;
    postMessage({ id, result: work[name](input) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
