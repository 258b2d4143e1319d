// Runs the grammar over every .ifs file of the repository: no string may leak over the end of the file, and
// each statement that begins a line has the scope of a keyword.

import assert from "node:assert";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { loadWASM, OnigScanner, OnigString } = require("vscode-oniguruma");
const { Registry, INITIAL } = require("vscode-textmate");

const root = process.argv[2];
await loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const onigLib = Promise.resolve({
  createOnigScanner: (patterns) => new OnigScanner(patterns),
  createOnigString: (text) => new OnigString(text),
});
const written = JSON.parse(readFileSync("syntaxes/ifs.tmLanguage.json", "utf8"));
const grammar = await new Registry({ onigLib, loadGrammar: async () => written }).loadGrammar("source.ifs");
const statement = new RegExp(`^\\s*${written.repository.statements.match}`);

function* scenarios(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !["target", "node_modules", "ui", ".git"].includes(entry.name)) {
      yield* scenarios(path);
    } else if (entry.isFile() && entry.name.endsWith(".ifs")) {
      yield path;
    }
  }
}

// How deep the rules are outside of strings.
const outermost = grammar.tokenizeLine("", INITIAL).ruleStack.depth;
let [files, lines, keywords] = [0, 0, 0];
for (const path of scenarios(root)) {
  files += 1;
  let state = INITIAL;
  for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
    const outside = state.depth === outermost;
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    const first = tokens.find((token) => line.slice(token.startIndex, token.endIndex).trim() !== "");
    if (outside && first !== undefined && statement.test(line)) {
      keywords += 1;
      assert(first.scopes.some((scope) => scope.startsWith("keyword.")), `${path}: ${line}`);
    }
    state = ruleStack;
    lines += 1;
  }
  assert(state.depth === outermost, `a string of ${path} is not closed`);
}
assert(files > 60 && keywords > 3000, `${files} files, ${keywords} keywords`);
console.log(`ok: ${files} files, ${lines} lines, ${keywords} keywords at the beginning of a line`);
