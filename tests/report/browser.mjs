// Looks at reports as readers do: node browser.mjs NODE_MODULES BROWSER DIRECTORY. Ends with 1 where something is wrong.
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const [modules, executablePath, directory] = process.argv.slice(2);
const {chromium} = (await import(pathToFileURL(`${modules}/playwright-core/index.js`).href)).default;
const axe = readFileSync(`${modules}/axe-core/axe.min.js`, "utf8");
let failures = 0;
const check = (what, is, wanted = true) => {
  const good = JSON.stringify(is) === JSON.stringify(wanted);
  if (!good) ++failures;
  console.log(good ? `ok      ${what}` : `FAILED  ${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
};

const browser = await chromium.launch({executablePath, timeout: 120000, args: ["--no-sandbox", "--disable-gpu"]});

/// Opens a page without network; whatever it complains of is a failure.
const opened = async (name, options = {}, hash = "") => {
  const context = await browser.newContext({offline: true, ...options});
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => { if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) complaints.push(request.url()); });
  await page.goto(pathToFileURL(`${directory}/${name}.html`).href + hash);
  if (options.javaScriptEnabled !== false)
    await page.waitForFunction(() => document.body.dataset.drawn, null, {timeout: 60000}).catch(() => {}); // a check says it
  return {context, page, complaints};
};

const violations = async (page) => {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run());
  return result.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", "));
};

for (const name of ["ring", "one", "many", "hostile", "partial"]) {
  const {context, page, complaints} = await opened(name);
  check(`${name}: is drawn`, await page.evaluate(() => document.body.dataset.drawn), "1");
  check(`${name}: has at most 5,000 elements`, await page.evaluate(() => document.querySelectorAll("*").length <= 5000));
  check(`${name}: every section is seen`, await page.evaluate(() =>
    [...document.querySelectorAll("main > section")].filter((one) => one.getBoundingClientRect().height < 20).map((one) => one.id)), []);
  check(`${name}: nobody else's script runs`, await page.evaluate(() => document.images.length === 0 && document.title !== "owned"));
  check(`${name}: no complaints, no network`, complaints, []);
  await context.close();
}

for (const [theme, options] of [["light", {}], ["dark", {colorScheme: "dark"}], ["phone", {viewport: {width: 390, height: 844}}],
  ["forced colours", {forcedColors: "active"}]]) {
  const {context, page} = await opened("ring", options);
  check(`${theme}: axe finds nothing`, await violations(page), []);
  check(`${theme}: is no wider than the screen`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  check(`${theme}: axe finds nothing where all is open`, await violations(page), []);
  await context.close();
}

for (const colorScheme of ["light", "dark"]) {
  const {context, page} = await opened("nodes", {viewport: {width: 390, height: 844}, colorScheme});
  const cut = await page.$$eval(".stacks th, .stacks td", (cells) =>
    cells.filter((cell) => cell.offsetParent !== null && (cell.getBoundingClientRect().right > innerWidth || cell.scrollWidth > cell.clientWidth)).map((cell) => cell.textContent));
  check(`phone, ${colorScheme}: no answer is cut`, cut, []);
  check(`phone, ${colorScheme}: each cell says what it is`, await page.$eval("#change-table td:last-child", (cell) =>
    getComputedStyle(cell, "::before").content), '"confidence: "');
  await context.close();
}

{
  const {context, page} = await opened("ring", {javaScriptEnabled: false});
  const seen = await page.textContent("#verdict .sentence");
  check("without scripts: the verdict is there", /in place of e10g .*it saves .*faster processors/.test(seen));
  check("without scripts: so are bars and tables", await page.locator("#time-figure .bar").count() >= 4 && await page.locator("#time-table tbody tr").count() === 4);
  await context.close();
}

{
  const {context, page, complaints} = await opened("ring");
  await page.locator("#time-figure .bar").first().focus();
  await page.keyboard.press("ArrowDown");
  check("keyboard: arrows move from bar to bar", await page.evaluate(() => document.activeElement.dataset.machine), "e100g");
  await page.keyboard.press("End");
  check("keyboard: End goes to the last", await page.evaluate(() => document.activeElement.dataset.machine), "e1g");
  await page.keyboard.press("Enter");
  check("keyboard: Enter chooses, and the address says it", await page.evaluate(() => location.hash), "#net=e1g");
  check("a machine that is chosen is marked in tables", await page.locator("#time-table tr.selected").count(), 1);
  const button = page.locator("#time-table thead th:nth-child(2) button");
  await button.focus();
  await page.keyboard.press("Enter");
  check("keyboard: tables are sorted by their heads", await page.evaluate(() =>
    [document.querySelector("#time-table thead th:nth-child(2)").getAttribute("aria-sort"), document.querySelector("#time-table tbody tr").dataset.machine]), ["descending", "e1g"]);
  const figure = page.locator("#rank-figure svg.stepped");
  await figure.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.getElementById("live").textContent.startsWith("rank"), null, {timeout: 30000})
    .catch(() => {}); // the check says it
  check("keyboard: pictures say their values", (await page.textContent("#live")).startsWith("rank 0: end "));
  await page.fill("#rank-search", "5");
  check("a rank is found", (await page.textContent("#rank-answer")).startsWith("rank 5: end "));
  const hash = await page.evaluate(() => location.hash);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name: "Save JSON"}).click()]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  check("figures are saved as they are in the page", saved, await page.evaluate(() => JSON.parse(document.getElementById("report").textContent)));
  check("using it brings no complaints", complaints, []);
  await context.close();
  const again = await opened("ring", {}, hash);
  check("a link shows the same view", await again.page.evaluate(() => [document.querySelectorAll("#time-table tr.selected").length,
    document.querySelector("#time-table tbody tr").dataset.machine, document.getElementById("rank-search").value]), [1, "e1g", "5"]);
  await again.page.evaluate(() => { location.hash = "net=e100g&rank=2"; });
  await again.page.waitForFunction(() => document.getElementById("rank-search")?.value === "2", null, {timeout: 30000}).catch(() => {});
  check("another address of the page is followed from it", await again.page.evaluate(() =>
    [document.querySelector("#time-table tr.selected")?.dataset.machine, document.getElementById("rank-search")?.value]), ["e100g", "2"]);
  await again.context.close();
}

{
  const {context, page, complaints} = await opened("nodes");
  check("of several runs: the head names each", /^ring on 8 ranks.*ring on 4 ranks/s.test((await page.textContent("header")).trim()));
  check("of several runs: each has its verdict", await page.locator("#trace-table tbody tr").count(), 2);
  await page.selectOption("#matrix-by", "nodes");
  check("messages between nodes are chosen, and the address says it", await page.evaluate(() => location.hash), "#matrix=nodes");
  await page.locator("#matrix").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.getElementById("live").textContent.startsWith("node"), null, {timeout: 30000}).catch(() => {});
  check("the matrix says what nodes exchange", /^node \S+ to node \S+: 3 messages, 300000 bytes$/.test(await page.textContent("#live")));
  check("of several runs: axe finds nothing", await violations(page), []);
  check("of several runs: no complaints", complaints, []);
  await context.close();
}

for (const colorScheme of ["light", "dark"]) {
  const {context, page, complaints} = await opened("deadlock", {colorScheme});
  const answer = await page.textContent("#offer-table tbody tr:last-child td:nth-child(2)");
  check(`${colorScheme}: a machine that deadlocks has a row that says with which limit, and from which it ends`, answer.trim(),
    "no: deadlocks with its eager limit of 1000 B, ends from 128 KiB on");
  check(`${colorScheme}: the verdict says what to do`,
    /On small the program deadlocks: .* raise that of the MPI library on small/s.test(await page.textContent("#verdict .sentence")));
  for (const direction of ["descending", "ascending"]) {
    await page.locator("#offer-table thead th:nth-child(3) button").click();
    check(`${colorScheme}: ${direction}, what saves no time at all stands last`,
      await page.textContent("#offer-table tbody tr:last-child :first-child"), "small in place of e10g");
  }
  check(`${colorScheme}: axe finds nothing where a machine deadlocks`, await violations(page), []);
  check(`${colorScheme}: no complaints where a machine deadlocks`, complaints, []);
  await context.close();
}

{
  const {context, page} = await opened("many");
  await page.fill("#rank-search", "12345");
  check("packed figures are unpacked", (await page.textContent("#rank-answer")).startsWith("rank 12345: end "));
  await context.close();
}

{
  const {context, page} = await opened("ring");
  const sentence = (await page.textContent("#verdict .sentence")).replace(/\s+/g, " ");
  await page.pdf({path: `${directory}/ring.pdf`, format: "A4", preferCSSPageSize: true});
  const first = execFileSync("pdftotext", ["-raw", "-f", "1", "-l", "1", `${directory}/ring.pdf`, "-"], {encoding: "utf8"}).replace(/\s+/g, " ");
  check("on paper: the verdict is on page 1", first.includes(sentence));
  const answers = await page.$$eval("#offer-table tbody tr, #change-table tbody tr", (rows) => rows.map((row) => row.children[1].textContent.trim()));
  check("on paper: so is each answer", answers.length >= 6 && answers.every((answer) => /^(yes|no|depends|perhaps)/.test(answer) && first.includes(answer)));
  const whole = execFileSync("pdftotext", ["-raw", `${directory}/ring.pdf`, "-"], {encoding: "utf8"}).replace(/\s+/g, " ");
  const labels = await page.$$eval("#saving-figure text:not(.tick)", (texts) => texts.map((text) => text.textContent));
  check("on paper: each label of a picture stands there once", labels.length >= 6 && labels.every((label) => whole.split(label).length === 2));
  check("on paper: what to do next is on page 1", first.includes("Next: timeless"));
  await context.close();
}

await browser.close();
console.log(failures === 0 ? "all is well" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
