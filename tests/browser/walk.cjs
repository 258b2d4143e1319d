// Walks through the pages: every filter, the keys, links, widths, schemes, print. Fails on a console
// error, a request, or something wider than the page. Leaves screenshots beside the pages.
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const [executablePath, folder] = process.argv.slice(2);
const report = `file://${folder}/report.html`;
const preview = `file://${folder}/preview.html`;
const WIDTHS = [390, 880, 1280, 1920];

/// A page on which nothing goes wrong.
async function open(browser, options, url, ready) {
  const context = await browser.newContext(options);
  // Other steps of CI keep all cores busy.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) wrong.push(`request: ${request.url()}`);
  });
  const begun = Date.now();
  await page.goto(url);
  if (ready) await page.waitForSelector(ready);
  page.took = Date.now() - begun;
  page.done = async () => {
    assert.deepEqual(wrong, []);
    await context.close();
  };
  return page;
}

/// What sticks out of the page to the right, except what scrolls by itself.
const outside = () =>
  [...document.querySelectorAll("main *")]
    .filter((it) => it.getBoundingClientRect().right > innerWidth + 1)
    .filter((it) => !it.closest(".heat, .wide, .data, .shown, #list, .spoken"))
    .map((it) => `${it.tagName}.${it.className}`);

/// The relative luminance of a colour, and the contrast of two (WCAG 2).
const contrasts = () => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((part) => {
      const share = +part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (it) => {
    for (; it; it = it.parentElement) {
      const colour = getComputedStyle(it).backgroundColor;
      if (!/^rgba\(.*, 0\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const it of document.querySelectorAll("main p, main code, main small, main b, main h2, main h4, main h5, main li, main td, main th, main .text")) {
    const back = behind(it);
    if (!it.textContent.trim() || it.closest(".spoken") || !back.startsWith("rgb(")) continue;
    const [one, other] = [light(getComputedStyle(it).color), light(back)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) low.push(`${it.tagName}.${it.className} ${ratio.toFixed(2)} ${it.textContent.slice(0, 30)}`);
  }
  return [...new Set(low)].slice(0, 10);
};

async function looks(browser) {
  for (const width of WIDTHS) {
    for (const colorScheme of ["light", "dark"]) {
      const options = { viewport: { width, height: 1000 }, colorScheme };
      for (const [name, url, ready] of [
        ["report", `${report}#dialogue-3-turn-2`, "#reader article"],
        ["several", `file://${folder}/several.html`, "#reader article"],
        ["preview", preview, "article"],
        ["hierarchy", `file://${folder}/hierarchy.html`, "#reader article"],
        ["sysbench", `file://${folder}/sysbench.html`, "#reader article"],
        ["meeseeks", `file://${folder}/meeseeks.html`, "#reader article"],
        ["mars", `file://${folder}/mars.html`, "#reader article"],
        ["mmmt", `file://${folder}/mmmt.html`, "#reader article"],
        ["structflowbench", `file://${folder}/structflowbench.html`, "#reader article"],
      ]) {
        const page = await open(browser, options, url, ready);
        assert.deepEqual(await page.evaluate(outside), [], `${name} at ${width}`);
        assert.deepEqual(await page.evaluate(contrasts), [], `${name}, ${colorScheme}`);
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
        await page.done();
      }
    }
  }
  const page = await open(browser, {}, report, "#reader article");
  await page.pdf({ path: `${folder}/report.pdf`, format: "A4", printBackground: true });
  await page.done();
}

async function walk(browser) {
  const page = await open(browser, { viewport: { width: 1280, height: 900 } }, report, "#reader article");
  assert.ok(page.took < 3000, `opened in ${page.took} ms`);
  const rows = () => page.$$eval("#list li", (all) => all.length);
  const reading = () => page.$eval("#reader article", (it) => it.id);
  const settled = async (wanted) => page.waitForFunction(wanted);
  const all = await rows();
  assert.equal(all, 60);

  // Filters.
  await page.check("#failed");
  const failed = await rows();
  assert.ok(failed > 0 && failed < all, `${failed} of ${all}`);
  const [option, label] = await page.$eval("#constraint option:nth-child(2)", (it) => [it.value, it.textContent]);
  await page.selectOption("#constraint", option);
  assert.equal(await rows(), +/\((\d+)\)$/.exec(label)[1]);
  const name = label.replace(/ \(\d+\)$/, "");
  await page.locator("body").press("n");
  await settled(() => /-turn-\d+$/.test(location.hash));
  const blamed = await page.$eval(".turn:focus .verdicts", (it) => it.textContent);
  assert.ok(blamed.includes(name), `${name} in ${blamed}`);
  await page.selectOption("#constraint", "");
  await page.uncheck("#failed");
  const topic = await page.$eval("#topic option:nth-child(2)", (it) => [it.value, it.textContent]);
  await page.selectOption("#topic", topic[0]);
  assert.equal(await rows(), +/\((\d+)\)$/.exec(topic[1])[1]);
  await page.selectOption("#topic", "");

  // Searching.
  const word = await page.$eval("#reader .bubble.model .text", (it) => it.textContent.slice(0, 40));
  await page.locator("body").press("/");
  await page.keyboard.type(word);
  await settled(() => document.querySelectorAll("#list li").length < 60);
  assert.ok((await rows()) >= 1);
  await page.fill("#query", "no such words anywhere in it");
  await settled(() => document.querySelectorAll("#list li").length === 0);
  await page.fill("#query", "");
  await settled(() => document.querySelectorAll("#list li").length === 60);
  await page.keyboard.press("Escape");

  // Sorting: shares of successful turns do not decrease.
  await page.selectOption("#order", "worst");
  const shares = await page.$$eval("#list small", (all) =>
    all.map((it) => it.textContent.split(" of ").map(Number)).map(([good, of]) => (of ? good / of : 1)));
  assert.ok(shares.every((share, at) => at === 0 || shares[at - 1] <= share), `${shares}`);
  await page.selectOption("#order", "number");

  // Keys and links.
  await page.goto(`${report}#dialogue-0`);
  await settled(() => document.querySelector("#reader article")?.id === "dialogue-0");
  await page.locator("body").press("j");
  await settled(() => document.querySelector("#reader article").id !== "dialogue-0");
  await page.locator("body").press("k");
  await settled(() => document.querySelector("#reader article").id === "dialogue-0");
  const seen = new Set();
  for (let at = 0; at < 5; at++) {
    const before = await page.evaluate(() => location.hash);
    await page.locator("body").press("n");
    await page.waitForFunction((hash) => location.hash !== hash, before);
    await settled(() => document.activeElement.classList.contains("failed"));
    seen.add(await page.evaluate(() => location.hash));
  }
  assert.equal(seen.size, 5);
  const last = await page.evaluate(() => location.hash);
  await page.locator("body").press("p");
  await page.waitForFunction((hash) => location.hash !== hash, last);
  assert.ok(seen.has(await page.evaluate(() => location.hash)));
  await page.evaluate(() => (location.hash = "#dialogue-7-turn-1"));
  await settled(() => document.activeElement.id === "dialogue-7-turn-1");
  assert.equal(await reading(), "dialogue-7");
  await page.done();
}

/// A page of two runs: the filter of models, and links to either.
async function several(browser) {
  const page = await open(browser, {}, `file://${folder}/several.html#run-2-dialogue-3-turn-2`, "#reader article");
  assert.equal(await page.$eval("#reader article", (it) => it.id), "run-2-dialogue-3");
  const rows = () => page.$$eval("#list li", (all) => all.length);
  assert.equal(await rows(), 80);
  await page.selectOption("#model", "2");
  assert.equal(await rows(), 20);
  await page.locator("body").press("n");
  await page.waitForFunction(() => location.hash !== "#run-2-dialogue-3-turn-2");
  assert.match(await page.evaluate(() => location.hash), /^#run-2-dialogue-\d+-turn-\d+$/);
  await page.done();
}

(async () => {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await walk(browser);
    await several(browser);
    await looks(browser);
  } finally {
    await browser.close();
  }
  console.log(`the pages work; screenshots are in ${folder}`);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
