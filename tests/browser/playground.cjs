// Uses the playground as a person would: examples, a mistake and its help, drawing, a witness, a response
// that holds and one that does not, the link. Fails on a console error or a request to elsewhere.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { chromium } = require("playwright-core");

const [executablePath, site, pictures] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
  ".wasm": "application/wasm" };

/// A static host of one folder.
const server = http.createServer((request, response) => {
  const name = path.normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
  const file = path.join(site, name.endsWith("/") ? `${name}index.html` : name);
  if (!fs.existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
  fs.createReadStream(file).pipe(response);
});

const HOSTILE = `ifs 1
constraint kind { say "<img src=x onerror=alert(1)> Be kind." check count(word) <= 3 }
dialogue talk { turn first { ask "<script>alert(1)</script> 你好 שלום" impose 1 from kind } }
`;

// The user asks against the system; a tool says something; the last turn comes after a branch.
const SPOKEN = `ifs 1
group letters {
  constraint large { say "Write in capital letters." check is_upper }
  constraint small { say "Write in small letters." check is_lower }
}
dialogue desk {
  priority system > user > tool
  system "You answer for the library."
  impose letters.large by system
  turn plea { ask "Do you lend out maps?" impose 1 from letters by user against system }
  when missed { turn again { ask "In capital letters, please." } }
  turn page { ask "And your page?" show "For two weeks." by tool "search" }
}
`;

async function main() {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const home = `http://127.0.0.1:${server.address().port}/`;
  const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update"];
  const browser = await chromium.launch({ executablePath, args: flags });
  const wrong = [];
  const open = async (url, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on("console", (message) => wrong.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(home) && !/^(data|blob):/.test(request.url())) wrong.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    return page;
  };
  const heading = (page, text) => page.waitForFunction((text) =>
    document.getElementById("count").textContent.includes(text), text);
  const failing = (page) => page.waitForFunction(() =>
    /^[1-9]\d* error/.test(document.getElementById("count").textContent));
  const turns = (page, count) => page.waitForFunction((count) =>
    document.querySelectorAll(".turn").length === count, count);

  const begun = Date.now();
  const page = await open(home);
  await heading(page, "No errors");
  await turns(page, 2);
  console.log(`ready after ${Date.now() - begun} ms`);
  await page.screenshot({ path: `${pictures}/playground.png` });

  // A witness holds; an answer that does not says why.
  const second = page.locator(".turn").nth(1);
  const witness = await second.locator(".witness .bubble").textContent();
  await second.locator("textarea").fill(witness);
  await page.waitForFunction(() => document.querySelectorAll(".turn")[1].querySelectorAll(".verdicts .held").length === 2);
  await second.locator("textarea").fill(`No question here. ${"word ".repeat(60)}`);
  await page.waitForFunction(() => document.querySelectorAll(".turn")[1].querySelectorAll(".verdicts .missed").length === 2);
  assert.match(await second.locator(".verdicts").textContent(), /63 words/);

  // Another seed draws another dialogue, and the same seed the same one.
  const first = () => page.locator(".turn .bubble.user").first().textContent();
  const drawn = await first();
  let other = drawn;
  for (let index = 1; index < 6 && other === drawn; index += 1) {
    await page.fill("#index", String(index));
    await page.keyboard.press("Enter");
    await page.locator("#index").blur();
    await page.waitForTimeout(400);
    other = await first();
  }
  assert.notEqual(other, drawn);
  await page.fill("#index", "0");
  await page.locator("#index").blur();
  await page.waitForFunction((drawn) => document.querySelector(".turn .bubble.user").textContent === drawn, drawn);

  // A mistake is marked where it is, with its help and its page; mending it draws again.
  const source = await page.inputValue("#source");
  await page.fill("#source", source.replace("impose 1 from opening", "impoze 1 from opening"));
  await heading(page, "1 error");
  assert.equal(await page.locator("#paint .error").count() > 0, true);
  assert.match(await page.locator("#problems").textContent(), /impose/);
  await page.click("#problems .code-name");
  await page.waitForSelector("#problems pre");
  assert.ok((await page.locator("#problems pre").textContent()).length > 40);
  await page.screenshot({ path: `${pictures}/playground-error.png` });
  await page.fill("#source", source.replaceAll("  check ", " check    "));
  await heading(page, "No errors");
  await page.click("#format");
  await page.waitForFunction((source) => document.getElementById("source").value === source, source);

  // A conflict is found.
  await page.selectOption("#example", { label: "A conflict" });
  await failing(page);
  assert.match(await page.locator("#problems").textContent(), /short|list/);

  // A flow with a file of topics; the link brings all of it back.
  await page.selectOption("#example", { label: "A flow of topics" });
  await heading(page, "No errors");
  await turns(page, 6);
  assert.equal(await page.locator("#files button").count(), 2);
  await page.fill("#seed", "7");
  await page.locator("#seed").blur();
  await page.waitForTimeout(500);
  const flow = await first();
  await page.click("#share");
  await page.waitForFunction(() => location.hash.length > 100);
  const again = await open(await page.evaluate(() => location.href));
  await turns(again, 6);
  assert.equal(await again.inputValue("#seed"), "7");
  assert.equal(await again.locator(".turn .bubble.user").first().textContent(), flow);

  // What a scenario says is text, wherever it is shown.
  await again.fill("#source", HOSTILE);
  await heading(again, "No errors");
  await turns(again, 1);
  assert.match(await again.locator(".turn .bubble.user").textContent(), /<script>/);

  // What is overruled is shown and not graded. Every drawn turn can be answered.
  await again.fill("#source", SPOKEN);
  await again.waitForFunction(() => document.querySelector(".turn .bubble.user")?.textContent.includes("maps"));
  assert.match(await again.locator(".turn .chips").first().textContent(), /letters.small by user, overruled by letters.large by system/);
  await again.locator(".turn textarea").first().fill("YES.");
  await again.waitForFunction(() => document.querySelectorAll(".turn")[0].querySelectorAll(".verdicts .held").length === 1);
  assert.equal(await again.locator(".turn").first().locator(".verdicts li").count(), 1);
  const last = again.locator(".turn").last();
  assert.match(await last.textContent(), /Tool search\s+For two weeks\./);
  await last.locator("textarea").fill("yes.");
  await last.locator(".verdicts .missed").waitFor();

  // A damaged link is said; deep nesting, and nothing at all, end in a message.
  const damaged = await open(`${home}#nonsense`);
  await damaged.waitForFunction(() => document.getElementById("said").textContent.includes("damaged"));
  await heading(damaged, "No errors");
  for (const text of ["", `ifs 1\ndef f(a: int) = ${"(".repeat(5000)}a${")".repeat(5000)}`, "ifs 1\n\u0000é\r\n"]) {
    // What was said before must not pass for what is said of this text.
    await damaged.evaluate(() => { document.getElementById("count").textContent = ""; });
    await damaged.fill("#source", text);
    await failing(damaged);
  }

  // Nothing sticks out, on a telephone either, in the dark.
  const narrow = await open(home, { viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  await turns(narrow, 2);
  assert.equal(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await narrow.screenshot({ path: `${pictures}/playground-390-dark.png`, fullPage: true });

  assert.deepEqual(wrong, []);
  await browser.close();
  server.close();
  console.log("the playground works");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
