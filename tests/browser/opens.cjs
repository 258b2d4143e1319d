// Opens each page in a fresh context and prints milliseconds from the start of the navigation: to the first
// contentful paint, to the first dialogue that can be read, and how long the first filter takes after that.
const { chromium } = require("playwright-core");

const [executablePath, ...pages] = process.argv.slice(2);
const TIMES = 9;

async function opened(browser, file) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`file://${file}`, { waitUntil: "commit" });
  await page.waitForSelector("#reader article");
  const found = await page.evaluate(async () => {
    const readable = performance.now();
    document.querySelector("#failed").click();
    // The next frame is painted.
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const filtered = document.querySelector("#count").textContent;
    if (!/^[0-9]+ of 1000 dialogues$/.test(filtered)) throw new Error(filtered);
    return { paint: paint.startTime, readable, filter: performance.now() - readable };
  });
  await context.close();
  return found;
}

(async () => {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const file of pages) {
    const all = [];
    for (let time = 0; time < TIMES; time++) all.push(await opened(browser, file));
    const of = (name) => {
      const sorted = all.map((one) => Math.round(one[name])).sort((a, b) => a - b);
      return `${sorted[0]} to ${sorted[TIMES - 1]} ms, median ${sorted[(TIMES - 1) / 2]}`;
    };
    console.log(`${file.split("/").pop()}: painted after ${of("paint")}`);
    console.log(`  a dialogue can be read after ${of("readable")}`);
    console.log(`  the first filter takes ${of("filter")}`);
  }
  await browser.close();
})();
