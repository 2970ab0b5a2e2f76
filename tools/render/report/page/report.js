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

  // What is pointed at is said once it stays, until the reader is elsewhere or presses Escape.
  let speaking = 0;
  const say = (text) => {
    clearTimeout(speaking);
    speaking = setTimeout(() => { live.textContent = text; }, 150);
  };
  const hush = () => {
    clearTimeout(speaking);
    live.textContent = "";
  };
  for (const kind of ["focusout", "pointerdown"]) addEventListener(kind, hush, true); // before what is said of it
  addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });

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
    head.dataset.words = button.textContent;
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
  all(".item[data-machine]").forEach((item) => item.addEventListener("click", () => choose(item.dataset.machine)));

  // One row of a picture can be reached by Tab, the others from there by arrows.
  all(".roving").forEach((chart) => {
    const items = all(".item", chart);
    const to = (place) => {
      items.forEach((item, i) => item.setAttribute("tabindex", i === place ? "0" : "-1"));
      items[place].focus();
      say(items[place].getAttribute("aria-label"));
    };
    chart.addEventListener("keydown", (event) => {
      const here = items.indexOf(document.activeElement);
      const {machine} = document.activeElement.dataset;
      const step = {ArrowDown: here + 1, ArrowRight: here + 1, ArrowUp: here - 1, ArrowLeft: here - 1, Home: 0, End: items.length - 1};
      if (event.key in step) to(Math.max(0, Math.min(items.length - 1, step[event.key])));
      else if (machine && (event.key === "Enter" || event.key === " ")) choose(machine);
      else return;
      event.preventDefault();
    });
  });

  // Other pictures are read off with a cursor. `point` returns the place at shares of a picture's width and height, `step` the
  // one that a key leads to, if it is any; `show` marks a place and says it, `hide` takes the mark away.
  const readable = (picture, {point, step, show, hide}) => {
    const pointed = (event) => {
      const box = picture.getBoundingClientRect();
      show(point((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height));
    };
    for (const kind of ["pointermove", "pointerdown"]) picture.addEventListener(kind, pointed);
    picture.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return; // a finger that was lifted still asks
      hide();
      hush();
    });
    picture.addEventListener("blur", hide);
    picture.addEventListener("keydown", (event) => {
      const place = step(event);
      if (place === undefined) return;
      show(place);
      event.preventDefault();
    });
  };
  const within = (count, i) => Math.max(0, Math.min(count - 1, i));
  const svg_cursor = (chart, name) => {
    const cursor = document.createElementNS(chart.namespaceURI, name);
    cursor.setAttribute("class", "cursor");
    return (attributes) => {
      if (!attributes) return cursor.remove();
      for (const [key, v] of Object.entries(attributes)) cursor.setAttribute(key, v);
      if (!cursor.parentNode) chart.append(cursor);
    };
  };

  // Values side by side: the rows of a table, or ranks.
  const rank_words = (rank) => "rank " + rank + ": " + Object.entries(data ? data.ranks_seconds : {})
    .map(([name, values]) => name.replace("_", " ") + " " + seconds(values[rank])).join(", ");
  const row_words = (table, i) => {
    const heads = all("thead th", table).map((head) => head.textContent);
    return [...table.tBodies[0].rows[i].cells].map((cell, j) => heads[j] + " " + cell.textContent).join(", ");
  };
  all(".stepped").forEach((chart) => {
    const table = chart.dataset.table ? document.getElementById(chart.dataset.table) : null;
    const order = table ? [...table.tBodies[0].rows] : [];
    const count = table ? order.length : Number(chart.dataset.ranks);
    const [left, width, begin, end] = ["left", "width", "begin", "end"].map((name) => Number(chart.dataset[name]));
    // Values fill columns of one width, or columns from one time to another, or are points.
    const times = chart.dataset.end ? order.map((row) => [0, 1].map((i) => (value(row, i) - begin) / (end - begin))) : null;
    const columns = !table || chart.dataset.columns;
    const middle = (i) => times ? Math.min(1, Math.max(0, (times[i][0] + times[i][1]) / 2))
      : columns ? (i + 0.5) / count : count > 1 ? i / (count - 1) : 0;
    const nearest = (share) => times ? times.findLastIndex(([from]) => from <= share)
      : columns ? Math.floor(share * count) : Math.round(share * (count - 1));
    const mark = svg_cursor(chart, "line");
    let at = -1;
    readable(chart, {
      point: (x) => nearest((x * 100 - left) / width),
      step: ({key}) => {
        const far = Math.max(1, Math.round(count / 10));
        return {ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: count - 1,
          PageUp: at + far, PageDown: at - far}[key];
      },
      show: (place) => {
        at = within(count, place);
        const x = left + width * middle(at) + "%";
        mark({x1: x, x2: x, y1: "0", y2: "90%"});
        say(table ? row_words(table, order[at].sectionRowIndex) : rank_words(at));
      },
      hide: () => mark(null),
    });
  });

  // Squares, by row and column: `size` returns how many there are of both. Keys begin at `from`.
  const squares = (picture, {from, size, point, show, hide}) => {
    let [row, column] = from;
    readable(picture, {
      point,
      step: ({key, ctrlKey}) => {
        const [rows, columns] = size();
        return {ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
          Home: [ctrlKey ? 0 : row, 0], End: [ctrlKey ? rows - 1 : row, columns - 1]}[key];
      },
      show: (place) => {
        [row, column] = place.map((i, side) => within(size()[side], i));
        show(row, column);
      },
      hide,
    });
    return () => { [row, column] = from; };
  };

  // The map of classes.
  const map = document.getElementById("map");
  if (map && data && data.plane) {
    const {rows, marks = [], bandwidth_factors: bandwidths, latency_factors: latencies} = data.plane;
    const [left, width, top, height] = ["left", "width", "top", "row"].map((name) => Number(map.dataset[name]));
    const factor = (by) => by < 1 ? "/" + 1 / by : "x" + by;
    const place = (axis, by) => Math.floor(Math.log2(by / axis[0]) + 0.5);
    const here = (row, column) => marks.filter((one) => place(latencies, one.latency_factor) === row && place(bandwidths, one.bandwidth_factor) === column)
      .map((one) => one.name);
    const mark = svg_cursor(map, "rect");
    squares(map, {
      from: [latencies.indexOf(1), bandwidths.indexOf(1)],
      size: () => [latencies.length, bandwidths.length],
      point: (x, y) => [Math.floor((y * map.clientHeight - top) / height), Math.floor((x * 100 - left) / width * bandwidths.length)],
      show: (row, column) => {
        const cell = rows[row][column];
        const machines = here(row, column).join(", ");
        mark({x: left + width * column / bandwidths.length + "%", y: top + height * row, width: width / bandwidths.length + "%", height});
        say("latency " + factor(latencies[row]) + ", bandwidth " + factor(bandwidths[column]) + ": " + cell.class +
          (cell.class === "deadlock" ? "" : ", helped by " + cell.helps + ", " + seconds(cell.makespan_seconds)) +
          (machines ? "; here: " + machines : ""));
      },
      hide: () => mark(null),
    });
  }

  // Ranks that the table does not list are looked for.
  const rank_table = document.getElementById("rank-table");
  if (rank_table && data) {
    const ends = data.ranks_seconds.end || [];
    const label = make("label", "Rank ", {for: "rank-search"});
    const input = make("input", "", {id: "rank-search", type: "number", min: "0", max: String(Math.max(0, ends.length - 1))});
    const answer = make("output", "", {id: "rank-answer", for: "rank-search"});
    input.setAttribute("aria-describedby", "rank-answer");
    const look = () => {
      const rank = Number(input.value);
      const known = input.value !== "" && Number.isInteger(rank) && rank >= 0 && rank < ends.length;
      const wrong = !known && (input.value !== "" || input.validity.badInput);
      answer.textContent = known ? rank_words(rank) : wrong ? "There is no such rank: ranks are 0 to " + input.max + "." : "";
      input.setAttribute("aria-invalid", String(wrong));
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
  // The squares let the page's ground through: their one colour shows on a light ground, a dark one and on paper.
  const draw_matrix = (row, column) => {
    const context = canvas.getContext("2d");
    const side = Math.max(1, Math.floor(512 / matrix.blocks));
    canvas.width = canvas.height = side * matrix.blocks;
    const {color, fill} = getComputedStyle(canvas);
    const most = Math.log(1 + Math.max(...matrix.cells.map((cell) => cell[3]), 1));
    context.fillStyle = fill;
    for (const [from, to, , bytes] of matrix.cells) {
      context.globalAlpha = 0.15 + 0.85 * Math.log(1 + bytes) / most;
      context.fillRect(to * side, from * side, side, side);
    }
    context.globalAlpha = 1;
    context.strokeStyle = color;
    context.lineWidth = 2;
    if (row !== undefined) context.strokeRect(column * side - 1, row * side - 1, side + 2, side + 2);
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
    const restart = squares(canvas, {
      from: [0, 0],
      size: () => [matrix.blocks, matrix.blocks],
      point: (x, y) => [Math.floor(y * matrix.blocks), Math.floor(x * matrix.blocks)],
      show: (row, column) => {
        const cell = matrix.cells.find((one) => one[0] === row && one[1] === column);
        draw_matrix(row, column);
        say(block(row) + " to " + block(column) + ": " + (cell ? cell[2] + " messages, " + cell[3] + " bytes" : "nothing"));
      },
      hide: () => draw_matrix(),
    });
    const show_matrix = (nodes) => {
      matrix = nodes ? by_node : data.messages.matrix;
      restart();
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
  const hidden = JSON.parse(document.getElementById("data-rows")?.textContent ?? "{}"); // rows that tables do not show
  const csv = () => all("table").map((table) => [...table.rows].map((row) =>
    [table.id, ...[...row.cells].map((cell) => cell.dataset.csv ?? csv_cell(csv_value(cell)))].join(",") + "\n")
    .join("") + (hidden[table.id] ?? "")).join("");
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
