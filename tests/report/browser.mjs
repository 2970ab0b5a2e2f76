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
  context.setDefaultTimeout(300000); // on a machine that is busy
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

/// What axe finds. It does not judge the contrast of text in pictures and of cells that are scrolled away: here that is at least
/// 4.5 with what is under the text.
const violations = async (page) => {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const luminance = (colour) => colour.match(/rgba?\(([^)]*)\)/)[1].split(",").slice(0, 3).map((one) => one / 255)
      .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
      .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = (one, other) => {
      const [more, less] = [luminance(one), luminance(other)].sort((a, b) => b - a);
      return (more + 0.05) / (less + 0.05);
    };
    const ground = (element) => {
      const {backgroundColor} = getComputedStyle(element);
      return /^rgba\(.*, 0\)$/.test(backgroundColor) ? ground(element.parentElement) : backgroundColor;
    };
    const drawn_under = (text) => {
      const {x, y, width, height} = text.getBoundingClientRect();
      const shape = document.elementsFromPoint(x + width / 2, y + height / 2).find((one) => one.tagName === "rect" && getComputedStyle(one).fill !== "none");
      return shape ? getComputedStyle(shape).fill : ground(text.closest("svg").parentElement);
    };
    const faint = (element) => {
      element.scrollIntoView({block: "center", inline: "center"});
      return element.closest("svg") ? contrast(getComputedStyle(element).fill, drawn_under(element)) < 4.5
        : contrast(getComputedStyle(element).color, ground(element)) < 4.5;
    };
    const {violations, incomplete} = await window.axe.run();
    const undecided = incomplete.map((one) => ({...one, nodes: one.nodes.filter((node) =>
      one.id !== "color-contrast" || faint(document.querySelector(node.target.join(" "))))})).filter((one) => one.nodes.length > 0);
    return [...violations, ...undecided].map((one) => one.id + ": " + one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", "));
  });
};

/// Whether the matrix has the colour of its legend's end where most is sent, and none where nothing is.
const as_in_legend = (page) => page.evaluate(() => {
  const canvas = document.getElementById("matrix");
  const {cells, blocks} = JSON.parse(document.getElementById("report").textContent).messages.matrix;
  const drawn = (row, column) => [...canvas.getContext("2d").getImageData((column + 0.5) * canvas.width / blocks, (row + 0.5) * canvas.width / blocks, 1, 1).data];
  const [from, to] = cells.reduce((most, cell) => cell[3] > most[3] ? cell : most);
  const [red, green, blue, cover] = drawn(from, to);
  return cover === 255 && drawn(0, 0)[3] === 0 && `rgb(${red}, ${green}, ${blue})` === getComputedStyle(document.querySelector(".legend rect.cell:last-child")).fill;
});

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
  if (theme === "light") check(`${theme}: axe finds nothing`, await violations(page), []);
  check(`${theme}: is no wider than the screen`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  check(`${theme}: axe finds nothing where all is open`, await violations(page), []);
  if (!options.forcedColors) check(`${theme}: the matrix has the colours of its legend`, await as_in_legend(page));
  await context.close();
}

{
  const {context, page} = await opened("ring");
  for (const [width, media] of [[320, "screen"], [640, "screen"], [641, "screen"], [680, "print"], [1280, "screen"]]) {
    await page.setViewportSize({width, height: 800});
    await page.emulateMedia({media});
    const [marks, names, covered, cut] = await page.evaluate(() => {
      const shown = [...document.querySelectorAll("#map :is(text.mark, text.letter, circle)")].filter((one) => one.getClientRects().length > 0);
      const boxes = shown.map((one) => { // letters fill the middle of what a line of them takes
        const {left, right, top, bottom, height} = one.getBoundingClientRect();
        const margin = one.tagName === "text" ? height / 6 : 0;
        return {one, left, right, top: top + margin, bottom: bottom - margin};
      });
      const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom && !(a.one.tagName === "circle" && b.one.tagName === "circle");
      return [shown.filter((one) => one.tagName === "circle").length, shown.filter((one) => one.matches("text.mark")).length,
        boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => meet(a, b)).map((b) => a.one.textContent + " and " + b.one.textContent)),
        boxes.filter(({right}) => right > document.documentElement.clientWidth).map(({one}) => one.textContent)];
    });
    check(`${media}, ${width} pixels: each machine on the map has its name`, names, marks);
    check(`${media}, ${width} pixels: no text of the map covers another or a mark`, covered, []);
    check(`${media}, ${width} pixels: none is cut`, cut, []);
  }
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
  check("without scripts: the verdict is there", /in place of e10g\b.*it saves .*faster processors/.test(seen));
  check("without scripts: so are bars and tables", await page.locator("#time-figure .item").count() >= 4 && await page.locator("#time-table tbody tr").count() === 4);
  await context.close();
}

{
  const {context, page, complaints} = await opened("ring");
  await page.locator("#time-figure .item").first().focus();
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
  for (const wrong of ["-1", "8", "1.5"]) {
    await page.fill("#rank-search", wrong);
    check(`there is no rank ${wrong}, and the page says which there are`, [await page.textContent("#rank-answer"),
      await page.getAttribute("#rank-search", "aria-invalid")], ["There is no such rank: ranks are 0 to 7.", "true"]);
  }
  await page.fill("#rank-search", "5");
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
  const {context, page, complaints} = await opened("ring");
  /// What is said once a key was pressed; "" too.
  const said = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(400); // what is said waits 150 ms, in case more is to be said
    return page.textContent("#live");
  };
  const pictures = await page.$$eval("main figure", (figures) => figures.filter((one) => one.querySelector("svg.chart, canvas"))
    .filter((one) => !one.querySelector(":is(svg, canvas, .item)[tabindex='0']")).map((one) => one.id));
  check("keyboard: Tab goes to each picture", pictures, []);
  await page.locator("#map").focus();
  const end = /: \S+, helped by \S+( or \S+)*, [\d.]+ \S?s/;
  const cell = async (...keys) => (await said(...keys)).replace(/(: |; here: ).*/, "");
  check("keyboard: the map begins where the machine is", await cell("ArrowRight", "ArrowLeft"), "latency x1, bandwidth x1");
  check("keyboard: it says what is there", end.test(await said("ArrowUp", "ArrowDown")) && /; here: e10g, /.test(await page.textContent("#live")));
  check("keyboard: up, latency is less", await cell("ArrowUp"), "latency /2, bandwidth x1");
  check("keyboard: End is the most bandwidth", await cell("End"), "latency /2, bandwidth x32");
  check("keyboard: with Control, Home is the first square", await cell("Control+Home"), "latency /32, bandwidth /8");
  check("keyboard: a square that is read off is marked", await page.locator("#map rect.cursor").count(), 1);
  check("keyboard: Escape ends what is said", await said("Escape"), "");
  await page.keyboard.press("End");
  check("keyboard: so does Tab, with the mark", [await said("Tab"), await page.locator("#map rect.cursor").count()], ["", 0]);
  await page.locator("svg.gantt").focus();
  check("keyboard: the path is read off piece by piece", /^from 0 s, to .*rank 7 to 7, what own work/.test(await said("Home")));
  await page.locator("#saving-figure .item").first().focus();
  check("keyboard: savings say their answers", await said("End"), /^work divided evenly, at most: 1.8 % .*; no$/.exec(await page.textContent("#live"))?.[0]);
  await page.locator("#matrix").focus();
  for (const [key, words] of [["Control+End", "rank 7 to rank 7: nothing"], ["Home", "rank 7 to rank 0: 3 messages, 300000 bytes"],
    ["Control+Home", "rank 0 to rank 0: nothing"], ["End", "rank 0 to rank 7: nothing"]])
    check(`keyboard: ${key} on the matrix`, await said(key), words);
  await page.locator("#map").hover();
  await page.waitForFunction(() => document.getElementById("live").textContent.startsWith("latency"), null, {timeout: 30000}).catch(() => {});
  check("a pointer reads off the map", end.test(await page.textContent("#live")));
  await page.locator("h1").hover();
  check("what it says ends as it leaves", await said(), "");
  check("keyboard: no complaints", complaints, []);
  await context.close();
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

{
  const {context, page, complaints} = await opened("runs", {viewport: {width: 1280, height: 800}});
  check("13 runs on all platforms: at most 5,000 elements", await page.evaluate(() => document.querySelectorAll("*").length <= 5000));
  const wide = await page.$$eval("#verdict .scroll, #traces .scroll", (all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.firstElementChild.id));
  check("13 runs on all platforms: tables of answers need no scrolling at 1280 pixels", wide, []);
  check("13 runs on all platforms: a table that is cut says so", /^\d+ more rows stand in the data/.test(await page.textContent("#efficiencies .scroll + .note")));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name: "Save tables as CSV"}).click()]);
  const saved = readFileSync(await download.path(), "utf8");
  const platforms = await page.evaluate(() => JSON.parse(document.getElementById("report").textContent).machines.length);
  check("13 runs on all platforms: what is saved has all rows", saved.split("\n").filter((line) => line.startsWith("efficiency-table,")).length, 1 + 13 * platforms);
  await page.pdf({path: `${directory}/runs.pdf`, format: "A4", preferCSSPageSize: true});
  const plain = (words) => words.replace(/\s+/g, " ");
  const first = plain(execFileSync("pdftotext", ["-raw", "-f", "1", "-l", "1", `${directory}/runs.pdf`, "-"], {encoding: "utf8"}));
  check("13 runs on all platforms: on paper the verdict is on page 1", first.includes(plain(await page.textContent("#verdict .sentence"))));
  check("13 runs on all platforms: axe finds nothing", await violations(page), []);
  check("13 runs on all platforms: no complaints", complaints, []);
  await context.close();
}

for (const width of [1280, 390]) {
  const {context, page, complaints} = await opened("upgrades", {viewport: {width, height: 844}});
  const table = await page.evaluate(() => {
    const one = document.querySelector("#upgrade-table");
    const box = one.parentElement.getBoundingClientRect();
    const cells = [...one.querySelectorAll("tbody tr:first-child > *")];
    return {rows: one.querySelectorAll("tbody tr").length, labels: cells.map((cell) => cell.dataset.label ?? "").slice(1),
      first: cells[0].textContent.trim(), cut: [...one.querySelectorAll("tbody th, tbody td")].filter((cell) =>
        cell.getBoundingClientRect().right > box.right + 1 || cell.scrollWidth > cell.clientWidth + 1).length};
  });
  check(`${width} px: upgrades have a row each`, table.rows, 3);
  check(`${width} px: cells of upgrades stand under their own words`, table.labels,
    ["worth a look", "saves", "time with it", "price", "price per %", "confidence"]);
  check(`${width} px: an upgrade says what it changes`, /^\S.* \(.*\)$/.test(table.first));
  check(`${width} px: no cell of the upgrades is cut off`, table.cut, 0);
  check(`${width} px: axe finds nothing beside upgrades`, await violations(page), []);
  check(`${width} px: no complaints beside upgrades`, complaints, []);
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
  const printed = async (colorScheme) => {
    const {context, page} = await opened("ring", {colorScheme});
    await page.pdf({path: `${directory}/${colorScheme}.pdf`, format: "A4", preferCSSPageSize: true});
    return {context, page};
  };
  const {context, page} = await printed("light");
  const text = (name, ...pages) => execFileSync("pdftotext", ["-raw", ...pages, `${directory}/${name}.pdf`, "-"], {encoding: "utf8"});
  const plain = (words) => words.replace(/\s+/g, " ");
  const first = plain(text("light", "-f", "1", "-l", "1"));
  const pages_of = (name) => text(name).split("\f").slice(0, -1).map(plain);
  check("on paper: the verdict is on page 1", first.includes(plain(await page.textContent("#verdict .sentence"))));
  const answers = await page.$$eval("#offer-table tbody tr, #change-table tbody tr", (rows) => rows.map((row) => row.children[1].textContent.trim()));
  check("on paper: so is each answer", answers.length >= 6 && answers.every((answer) => /^(yes|no|depends|perhaps)/.test(answer) && first.includes(answer)));
  check("on paper: what to do next is on page 1", first.includes("Next: timeless"));
  const pages = pages_of("light");
  const labels = await page.$$eval("#saving-figure .item > p", (texts) => texts.map((one) => one.textContent));
  check("on paper: each label of a picture stands there once", labels.length >= 6 && labels.every((label) => pages.join(" ").split(label).length === 2));
  check("on paper: it takes no more pages than it did", pages.length <= 9);
  // So long that it goes on wherever a page ends.
  await page.$eval("#mark-table tbody", (body) => {
    for (const row of Array(5).fill([...body.children]).flat()) body.append(row.cloneNode(true));
  });
  await page.pdf({path: `${directory}/long.pdf`, format: "A4", preferCSSPageSize: true});
  const rows = pages_of("long").filter((one) => / platform [\d.]+ [un]s /.test(one));
  check("on paper: a table that goes on has its head again", rows.length > 1 && rows.every((one) => one.includes("number machine kind latency")));
  await context.close();
  await (await printed("dark")).context.close();
  const [light, dark] = ["light", "dark"].map((name) =>
    execFileSync("pdftoppm", ["-r", "30", `${directory}/${name}.pdf`], {maxBuffer: 1 << 28}).toString("latin1"));
  check("on paper: dark pages are as light ones", dark === light && light.length > 100000);
}

await browser.close();
console.log(failures === 0 ? "all is well" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
