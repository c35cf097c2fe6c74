// Opens a reference page in Chromium and prints what is to be seen, as JSON: `page.cjs SCENARIO PAGE BROWSER …`.
// The scenarios are the functions below; `tests/pages` says what it expects of each.

const { pathToFileURL } = require("node:url");
const { createRequire } = require("node:module");

const modules = createRequire(`${__dirname}/../../../target/clients/node/`);
const { chromium } = modules("playwright-core");
const axe = modules.resolve("axe-core/axe.min.js");

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
const LIMIT = 60_000;

// Opens the page in a window of its own, and reports what no page may do: log, fail, or use the network.
async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  await context.addInitScript({ path: axe });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const address = pathToFileURL(file).href;
  const mishaps = [];
  page.on("console", (message) => mishaps.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => mishaps.push(`error: ${error}`));
  page.on("dialog", (dialog) => { mishaps.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("popup", (popup) => mishaps.push(`popup: ${popup.url()}`));
  page.on("request", (request) => {
    const url = request.url().split("#")[0];
    if (url !== address && !url.startsWith("data:")) mishaps.push(`request: ${url}`);
  });
  await page.goto(address);
  return { page, mishaps, context };
}

// Violations of accessibility rules, and what is wider than the window, for each scheme and width.
async function look(browser, file) {
  const report = [];
  for (const viewport of [DESKTOP, PHONE]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, mishaps, context } = await open(browser, file, { viewport, colorScheme });
      const check = () => page.evaluate(async () => {
        const { violations } = await axe.run();
        const wide = [document.documentElement, ...document.querySelectorAll("body *")].filter((element) =>
          element.checkVisibility() && !element.closest(".hidden, .icons") && (element.scrollWidth > innerWidth + 1 ||
            element.getBoundingClientRect().right > innerWidth + 1));
        return [
          ...violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`)),
          ...wide.map((element) => `wide: ${element.outerHTML.slice(0, 200)}`),
        ];
      });
      const problems = await check();
      // Everything unfolded, with the longest lines: the commands.
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
        for (const input of document.querySelectorAll(".tabs > input:last-of-type")) input.checked = true;
      });
      problems.push(...(await check()));
      report.push({ width: viewport.width, colorScheme, problems, mishaps });
      await context.close();
    }
  }
  return report;
}

// The places of what makes up the page, in whole pixels from the left.
async function layout(browser, file) {
  const report = {};
  for (const viewport of [DESKTOP, PHONE]) {
    const { page, context } = await open(browser, file, { viewport });
    report[viewport.width] = await page.evaluate(() => {
      const parts = ["nav", "#search", "#menu > summary", "#menu .list", "main", "article", ".counts", ".entry", ".entry h3", ".hints",
        ".fields", ".tabs", "pre", "pre button"];
      return parts.map((part) => {
        const element = document.querySelector(part);
        if (!element.checkVisibility()) return `${part}: hidden`;
        const { left, right } = element.getBoundingClientRect();
        return `${part}: ${Math.round(left)}–${Math.round(right)}`;
      });
    });
    await context.close();
  }
  return report;
}

// What the search shows for each query.
async function search(browser, file, ...queries) {
  const { page, mishaps } = await open(browser, file);
  const report = { found: [], mishaps };
  for (const query of queries) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type(query);
    report.found.push(await page.evaluate(() => {
      const shown = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
      const text = (element) => element.textContent;
      return {
        focused: document.activeElement.id,
        typed: document.activeElement.value,
        menu: shown("#menu li a > span:first-child").map(text),
        sections: shown(".entry h3").map(text),
        count: document.getElementById("count").textContent,
        marked: [...new Set([...CSS.highlights.get("found") ?? []].map((range) => range.toString().toLowerCase()))].sort(),
        folded: [...document.querySelectorAll(".entry:not([hidden]) details:not([open])")].length,
        nothing: document.getElementById("nothing").checkVisibility(),
      };
    }));
  }
  return report;
}

// What each button copies.
async function copy(browser, file) {
  const { page, mishaps, context } = await open(browser, file);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = [];
  await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
  for (const tab of [1, 2, 3, 4]) {
    for (const fieldset of await page.locator("fieldset.tabs").all()) {
      const label = fieldset.locator("> label").nth(tab - 1);
      if ((await label.count()) === 0) continue;
      await label.click();
      copied.push(await press(page, fieldset.locator(`> div >> nth=${tab - 1}`).locator("button")));
    }
  }
  for (const button of await page.locator("section > details pre button").all()) copied.push(await press(page, button));
  return { copied, buttons: await page.locator("pre button").count(), mishaps };
}

async function press(page, button) {
  const name = await button.getAttribute("aria-label");
  await button.click();
  await page.waitForFunction((button) => button.textContent === "Copied", await button.elementHandle());
  return { name, text: await page.evaluate(() => navigator.clipboard.readText()) };
}

// The page on a phone: its menu.
async function phone(browser, file) {
  const { page, mishaps } = await open(browser, file, { viewport: PHONE });
  const shown = () => page.evaluate(() => [...document.querySelectorAll("#menu li")].filter((item) => item.checkVisibility()).length);
  const before = await shown();
  await page.locator("#menu > summary").click();
  const unfolded = await shown();
  const last = page.locator("#menu li a").last();
  const id = (await last.getAttribute("href")).slice(1);
  await last.click();
  await page.waitForTimeout(100);
  const top = await page.evaluate((id) => document.getElementById(id).getBoundingClientRect().top, id);
  const bar = await page.evaluate(() => document.querySelector("nav").getBoundingClientRect().bottom);
  return { before, unfolded, after: await shown(), isVisible: top >= bar - 1 && top < PHONE.height, mishaps };
}

// What can be read without scripts, and on paper.
async function plain(browser, file) {
  const { page, mishaps, context } = await open(browser, file, { javaScriptEnabled: false });
  const report = { text: await page.locator("body").innerText(), search: await page.locator("#search").isVisible() };
  await context.close();
  const paper = await open(browser, file);
  await paper.page.emulateMedia({ media: "print" });
  report.paper = await paper.page.locator("main").innerText();
  report.buttons = await paper.page.locator("nav, pre button, .tabs > label").evaluateAll((all) => all.filter((one) => one.checkVisibility()).length);
  report.mishaps = [...mishaps, ...paper.mishaps];
  return report;
}

// What scripts of others would leave behind, after every button and link of the page.
async function hostile(browser, file) {
  const { page, mishaps } = await open(browser, file);
  const scripts = await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    // A policy that rejects a script of others says so in the console.
    return {
      own: document.querySelectorAll("script").length,
      handlers: [...document.querySelectorAll("*")].flatMap((element) => [...element.attributes])
        .filter(({ name }) => name.startsWith("on") || name === "style" || name === "src").length,
      targets: [...new Set([...document.querySelectorAll("[href]")].map((element) => element.getAttribute("href").split(/[:#]/)[0]))].sort(),
      broken: window.broken ?? null,
    };
  });
  await page.evaluate(() => { for (const link of document.querySelectorAll('a[href^="#"]')) link.click(); });
  const rejected = await page.evaluate(() => new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.broken = true";
    document.body.append(script);
    setTimeout(() => resolve(null), 2000);
  }));
  return { ...scripts, rejected, mishaps: mishaps.filter((mishap) => !mishap.includes("Content Security Policy")) };
}

const scenarios = { look, layout, search, copy, phone, plain, hostile };

(async () => {
  const [scenario, file, executablePath, ...rest] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath });
  // A browser that hangs ends with this process.
  setTimeout(() => { console.error(`${scenario} takes longer than a minute`); process.exit(1); }, LIMIT).unref();
  try {
    console.log(JSON.stringify(await scenarios[scenario](browser, file, ...rest)));
  } finally {
    await browser.close();
  }
})().catch((error) => { console.error(error); process.exitCode = 1; });
