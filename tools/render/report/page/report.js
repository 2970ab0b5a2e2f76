"use strict";
// What a reader can do on the page: sort, select, search, read values off. Everything else stands in the HTML.
// Names come from traces of strangers: they are only ever put in as text.
(async () => {
  // Many figures are packed. A browser that cannot unpack them shows what stands in the HTML.
  const packed = document.getElementById("report");
  const unpacked = async () => new Response(new Blob([Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0))])
    .stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const data = packed.type === "application/json" ? JSON.parse(packed.textContent) : await unpacked().catch(() => null);
  const live = document.getElementById("live");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const seconds = (value) => {
    for (const [unit, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "us"]])
      if (Math.abs(value) >= unit) return (value / unit).toFixed(3) + " " + name;
    return value === 0 ? "0 s" : (value / 1e-9).toFixed(3) + " ns";
  };

  // What is pointed at is said once it stays.
  let speaking = 0;
  const say = (text) => {
    clearTimeout(speaking);
    speaking = setTimeout(() => { live.textContent = text; }, 150);
  };

  // The state of the page is in its address: #net=qdr&sort=time-table:1:descending&rank=3
  const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  const remember = (key, value) => {
    if (value) state.set(key, value); else state.delete(key);
    history.replaceState(null, "", "#" + state.toString());
  };

  // Tables are sorted by their heads.
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const sort = (table, column, direction) => {
    const sign = direction === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      if (typeof x === "number" && typeof y === "number") return sign * ((Number.isNaN(x) ? Infinity : x) - (Number.isNaN(y) ? Infinity : y));
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1; // what has no number stands last
      return sign * String(x).localeCompare(String(y), "en", {numeric: true});
    });
    table.tBodies[0].append(...rows);
    all("thead th", table).forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", direction); else head.removeAttribute("aria-sort");
    });
  };
  const sortable = (table) => all("thead th", table).forEach((head, column) => {
    const button = make("button", head.textContent, {type: "button"});
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const direction = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
      sort(table, column, direction);
      remember("sort", table.id + ":" + column + ":" + direction);
      say("sorted by " + button.textContent + ", " + direction);
    });
  });
  all("table").forEach(sortable);

  // A machine that is chosen stands out wherever it is.
  const choose = (machine) => {
    const again = state.get("net") === machine;
    remember("net", again ? "" : machine);
    show_machine();
    if (!again && machine) say(machine + " is marked in all tables");
  };
  const show_machine = () => {
    const machine = state.get("net");
    all("[data-machine]").forEach((element) => element.classList.toggle("selected", element.dataset.machine === machine));
  };
  all(".bar").forEach((bar) => bar.addEventListener("click", () => choose(bar.dataset.machine)));

  // One bar of a picture can be reached by Tab, the others from there by arrows.
  all(".roving").forEach((chart) => {
    const bars = all(".bar", chart);
    const to = (place) => {
      bars.forEach((bar, i) => bar.setAttribute("tabindex", i === place ? "0" : "-1"));
      bars[place].focus();
      say(bars[place].getAttribute("aria-label"));
    };
    chart.addEventListener("keydown", (event) => {
      const here = bars.indexOf(document.activeElement);
      const step = {ArrowDown: here + 1, ArrowRight: here + 1, ArrowUp: here - 1, ArrowLeft: here - 1, Home: 0, End: bars.length - 1};
      if (event.key in step) to(Math.max(0, Math.min(bars.length - 1, step[event.key])));
      else if (event.key === "Enter" || event.key === " ") choose(document.activeElement.dataset.machine);
      else return;
      event.preventDefault();
    });
  });

  // Pictures of values side by side are read off with a cursor, by pointer or arrows.
  const rank_words = (rank) => "rank " + rank + ": " + Object.entries(data ? data.ranks_seconds : {})
    .map(([name, values]) => name.replace("_", " ") + " " + seconds(values[rank])).join(", ");
  const row_words = (table, i) => {
    const heads = all("thead th", table).map((head) => head.textContent);
    return [...table.tBodies[0].rows[i].cells].map((cell, j) => heads[j] + " " + cell.textContent).join(", ");
  };
  all(".stepped").forEach((chart) => {
    const table = chart.dataset.table ? document.getElementById(chart.dataset.table) : null;
    const count = table ? table.tBodies[0].rows.length : Number(chart.dataset.ranks);
    const columns = !table || chart.dataset.columns; // values fill columns, or are points
    const left = Number(chart.dataset.left), width = Number(chart.dataset.width);
    const order = table ? [...table.tBodies[0].rows] : [];
    let at = -1;
    const cursor = document.createElementNS(chart.namespaceURI, "line");
    cursor.setAttribute("class", "cursor");
    const show = (place) => {
      at = Math.max(0, Math.min(count - 1, place));
      const x = left + width * (columns ? (at + 0.5) / count : count > 1 ? at / (count - 1) : 0);
      for (const [key, v] of [["x1", x + "%"], ["x2", x + "%"], ["y1", "0"], ["y2", "90%"]]) cursor.setAttribute(key, v);
      if (!cursor.parentNode) chart.append(cursor);
      say(table ? row_words(table, order[at].sectionRowIndex) : rank_words(at));
    };
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width * 100 - left) / width;
      show(columns ? Math.floor(share * count) : Math.round(share * (count - 1)));
    });
    chart.addEventListener("pointerleave", () => { cursor.remove(); say(""); });
    chart.addEventListener("blur", () => { cursor.remove(); say(""); });
    chart.addEventListener("keydown", (event) => {
      const far = Math.max(1, Math.round(count / 10));
      const step = {ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: count - 1,
        PageUp: at + far, PageDown: at - far};
      if (!(event.key in step)) return;
      show(step[event.key]);
      event.preventDefault();
    });
  });

  // Ranks that the table does not list are looked for.
  const rank_table = document.getElementById("rank-table");
  if (rank_table && data) {
    const ends = data.ranks_seconds.end || [];
    const label = make("label", "Rank ", {for: "rank-search"});
    const input = make("input", "", {id: "rank-search", type: "number", min: "0", max: String(Math.max(0, ends.length - 1))});
    const answer = make("span", "", {id: "rank-answer"});
    const look = () => {
      const rank = Number(input.value);
      const known = input.value !== "" && Number.isInteger(rank) && rank >= 0 && rank < ends.length;
      answer.textContent = known ? rank_words(rank) : input.value === "" ? "" : "there is no such rank";
      all("tr", rank_table.tBodies[0]).forEach((row) => row.classList.toggle("selected", known && Number(row.cells[0].dataset.v) === rank));
      remember("rank", known ? input.value : "");
    };
    input.addEventListener("input", look);
    const tools = document.getElementById("rank-tools");
    tools.className = "tools";
    tools.append(label, input, answer);
    if (state.get("rank")) { input.value = state.get("rank"); look(); }
  }

  // Who sends whom, the one picture that scripts draw.
  const canvas = document.getElementById("matrix");
  let matrix = data ? data.messages.matrix : null;
  const draw_matrix = () => {
    const context = canvas.getContext("2d");
    const side = Math.max(1, Math.floor(512 / matrix.blocks));
    canvas.width = canvas.height = side * matrix.blocks;
    const most = Math.log(1 + Math.max(...matrix.cells.map((cell) => cell[3]), 1));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
    context.fillStyle = dark ? "#14171c" : "#ffffff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const [from, to, , bytes] of matrix.cells) {
      const share = 0.15 + 0.85 * Math.log(1 + bytes) / most;
      context.fillStyle = dark ? `rgba(141, 180, 224, ${share})` : `rgba(20, 60, 110, ${share})`;
      context.fillRect(to * side, from * side, side, side);
    }
  };
  if (canvas && data) {
    const by_node = data.messages.node_matrix;
    const block = (i) => {
      const size = matrix.ranks_per_block || matrix.nodes_per_block;
      const first = i * size;
      const last = Math.min(matrix.nodes ? matrix.nodes.length : data.ranks, first + size) - 1;
      const name = (one) => matrix.nodes ? matrix.nodes[one] : String(one);
      const what = matrix.nodes ? "node" : "rank";
      return first === last ? what + " " + name(first) : what + "s " + name(first) + " to " + name(last);
    };
    let row = 0, column = 0;
    const tell = () => {
      const cell = matrix.cells.find((one) => one[0] === row && one[1] === column);
      say(block(row) + " to " + block(column) + ": " + (cell ? cell[2] + " messages, " + cell[3] + " bytes" : "nothing"));
    };
    const bound = (i) => Math.max(0, Math.min(matrix.blocks - 1, i));
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      row = bound(Math.floor((event.clientY - box.top) / box.height * matrix.blocks));
      column = bound(Math.floor((event.clientX - box.left) / box.width * matrix.blocks));
      tell();
    });
    canvas.addEventListener("pointerleave", () => say(""));
    canvas.addEventListener("keydown", (event) => {
      const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
      if (!step) return;
      row = bound(row + step[0]);
      column = bound(column + step[1]);
      tell();
      event.preventDefault();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_matrix);
    const show_matrix = (nodes) => {
      matrix = nodes ? by_node : data.messages.matrix;
      row = column = 0;
      remember("matrix", nodes ? "nodes" : "");
      draw_matrix();
    };
    if (by_node) {
      const select = make("select", "", {id: "matrix-by"});
      select.append(make("option", "ranks", {value: "ranks"}), make("option", "nodes", {value: "nodes"}));
      select.addEventListener("change", () => show_matrix(select.value === "nodes"));
      const tools = document.getElementById("matrix-tools");
      tools.className = "tools";
      tools.append(make("label", "Messages between", {for: "matrix-by"}), select);
      select.value = state.get("matrix") === "nodes" ? "nodes" : "ranks";
    }
    if (by_node && state.get("matrix") === "nodes") show_matrix(true);
    else draw_matrix();
  }

  // The figures as files.
  const save = (name, type, text) => {
    const link = make("a", "", {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const csv_cell = (text) => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  // Shares are values, not per cent; cells such as "yes" are only sorted by theirs.
  const csv_value = (cell) => {
    const text = cell.textContent.trim();
    if (cell.tagName === "TH" && cell.scope === "col") return text.replace(/ %$/, " share");
    return cell.dataset.v && /^[-+]?[0-9]/.test(text) ? cell.dataset.v : text;
  };
  const csv = () => all("table").map((table) => [...table.rows].map((row) =>
    [table.id, ...[...row.cells].map((cell) => cell.dataset.csv ?? csv_cell(csv_value(cell)))].join(","))
    .join("\n")).join("\n") + "\n";
  const downloads = document.getElementById("downloads");
  const button = (text, action) => {
    const one = make("button", text, {type: "button"});
    one.addEventListener("click", action);
    return one;
  };
  downloads.replaceChildren(button("Save tables as CSV", () => save("report.csv", "text/csv", csv())));
  if (data) downloads.prepend(
    button("Save JSON", () => save("report.json", "application/json", JSON.stringify(data, null, 2))), " ");

  // On paper everything is open.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));

  const [table, column, direction] = (state.get("sort") || "").split(":");
  const asked = document.getElementById(table);
  if (asked && asked.tHead && asked.tHead.rows[0].cells[Number(column)] && ["ascending", "descending"].includes(direction))
    sort(asked, Number(column), direction);
  show_machine();
  // Another address of this page, followed from here, shows what it says; a place on the page leaves all as it is.
  addEventListener("hashchange", () => {
    const hash = location.hash.slice(1);
    if (hash.includes("=") && hash !== state.toString()) location.reload();
  });
  document.body.dataset.drawn = "1";
})();
