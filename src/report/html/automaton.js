// The automaton of forbidden executions: a picture, or above thirty states a table.

const MOST_DRAWN = 30;
const MOST_ROWS = 150;
const RADIUS = 16;

// Reads an automaton in the HOA format: labels spelled with names of propositions, edges with the same
// ends joined.
function readHoa(text) {
  const tokens = text.match(/"(?:\\.|[^"\\])*"|\[[^\]]*\]|\{[^}]*\}|--\w+--|[^\s"[\]{}]+/g) || [];
  const names = [];
  const states = new Map();
  const starts = [];
  const state = (number) => {
    if (!states.has(number)) states.set(number, { number, isAccepting: false, edges: new Map() });
    return states.get(number);
  };
  const unquoted = (token) => token.slice(1, -1).replace(/\\(.)/g, "$1");
  const spelled = (label) =>
    label.slice(1, -1).trim().replace(/\d+|\bt\b|\bf\b/g, (word) =>
      word === "t" ? "true" : word === "f" ? "false" : names[Number(word)] || word,
    );
  const body = tokens.indexOf("--BODY--");
  for (let i = 0; i < body; i++) {
    if (tokens[i] === "AP:") {
      for (let k = i + 2; tokens[k].startsWith('"'); k++) names.push(unquoted(tokens[k]));
    }
    if (tokens[i] === "Start:") starts.push(Number(tokens[i + 1]));
  }
  let [current, label, edge] = [null, "", null];
  for (let i = body + 1; i < tokens.length && tokens[i] !== "--END--"; i++) {
    const token = tokens[i];
    if (token === "State:") {
      if (tokens[i + 1].startsWith("[")) i++;
      current = state(Number(tokens[++i]));
      edge = null;
      if ((tokens[i + 1] || "").startsWith('"')) i++;
    } else if (token.startsWith("[")) {
      label = spelled(token);
    } else if (token.startsWith("{")) {
      if (edge) edge.isAccepting = true;
      else if (current) current.isAccepting = true;
    } else if (current && /^\d+$/.test(token)) {
      const target = Number(token);
      edge = current.edges.get(target) || { from: current.number, to: target, labels: [], isAccepting: false };
      edge.labels.push(label || "true");
      current.edges.set(target, edge);
      state(target);
    }
  }
  const list = [...states.values()].sort((a, b) => a.number - b.number);
  return { states: list, starts, edges: list.flatMap((one) => [...one.edges.values()]) };
}

function edgeLabel(edge) {
  const text = edge.labels.length > 1 ? edge.labels.map((label) => `(${label})`).join(" | ") : edge.labels[0];
  return edge.isAccepting ? `${text} ●` : text;
}

// Columns by distance from the start, in each an order by the mean of the neighbours' places.
function layout({ states, starts, edges }) {
  const place = new Map();
  const columns = [];
  let frontier = starts.length ? starts : states.slice(0, 1).map(({ number }) => number);
  const seen = new Set(frontier);
  while (frontier.length) {
    columns.push(frontier);
    const next = [];
    for (const { from, to } of edges) {
      if (frontier.includes(from) && !seen.has(to)) {
        seen.add(to);
        next.push(to);
      }
    }
    frontier = next;
  }
  const rest = states.map(({ number }) => number).filter((number) => !seen.has(number));
  if (rest.length) columns.push(rest);
  const order = () => {
    for (const [x, column] of columns.entries()) {
      column.forEach((number, k) => place.set(number, { column: x, row: k - (column.length - 1) / 2 }));
    }
  };
  order();
  for (let sweep = 0; sweep < 4; sweep++) {
    for (const column of columns) {
      const mean = (number) => {
        const near = edges.filter(({ from, to }) => from !== to && (from === number || to === number));
        const rows = near.map(({ from, to }) => place.get(from === number ? to : from).row);
        return rows.length ? rows.reduce((a, b) => a + b, 0) / rows.length : place.get(number).row;
      };
      const means = new Map(column.map((number) => [number, mean(number)]));
      column.sort((a, b) => means.get(a) - means.get(b));
    }
    order();
  }
  return { place, columns };
}

class AutomatonView {
  constructor(box) {
    this.box = box;
  }

  open(trace) {
    this.run = null;
    byId("automaton-panel").hidden = !trace || !trace.automaton;
    if (!trace || !trace.automaton) return this.box.replaceChildren();
    this.run = trace.automaton.run;
    this.stem = trace.stem;
    this.isLasso = trace.isLasso;
    this.automaton = readHoa(trace.automaton.hoa);
    this.edges = new Map();
    this.nodes = new Map();
    this.first = -1;
    this.next = element("p", { class: "next" });
    if (this.automaton.states.length <= MOST_DRAWN) {
      this.box.replaceChildren(element("div", { class: "picture" }, this.picture()), this.next);
    } else {
      this.rows = element("tbody");
      const heads = ["state", "accepting", "edges"].map((text) => element("th", { scope: "col" }, text));
      const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.rows);
      this.box.replaceChildren(element("div", { class: "list", tabindex: 0 }, table), this.next);
    }
  }

  // Fills the table with the states around the current one.
  table(state) {
    const { states } = this.automaton;
    const index = states.findIndex(({ number }) => number === state);
    const first = Math.max(0, Math.min(Math.floor(index - MOST_ROWS / 2), states.length - MOST_ROWS));
    if (first !== this.first) {
      this.first = first;
      this.nodes.clear();
      this.rows.replaceChildren(...states.slice(first, first + MOST_ROWS).map((one) => this.row(one)));
    }
    const row = this.nodes.get(state);
    const box = this.rows.closest(".list");
    if (row.offsetTop < box.scrollTop || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
  }

  picture() {
    const { states, starts, edges } = this.automaton;
    const { place, columns } = layout(this.automaton);
    const longest = edges.filter(({ from, to }) => from !== to).map((edge) => Math.min(28, edgeLabel(edge).length));
    const across = Math.max(90, 60 + 6.6 * Math.max(0, ...longest));
    const down = 84;
    const tallest = Math.max(...columns.map((column) => column.length));
    const at = (number) => {
      const { column, row } = place.get(number);
      return { x: 60 + column * across, y: 62 + (row + (tallest - 1) / 2) * down };
    };
    const width = 120 + (columns.length - 1) * across;
    const height = 110 + (tallest - 1) * down;
    const drawing = svg("svg", { role: "img", "aria-label": `automaton with ${states.length} states` });
    const arrow = (id) =>
      svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
        svg("path", { d: "M0 0L8 4L0 8Z", class: id }));
    drawing.append(svg("defs", {}, arrow("arrow"), arrow("arrow-next")));
    for (const start of starts) {
      const { x, y } = at(start);
      drawing.append(svg("path", { class: "edge", d: `M${x - RADIUS - 24} ${y}H${x - RADIUS - 2}`, "marker-end": "url(#arrow)" }));
    }
    for (const edge of edges) drawing.append(this.edge(edge, at));
    for (const state of states) drawing.append(this.node(state, at(state.number)));
    // The box of all that was drawn, labels and bends included, is known only on the page.
    requestAnimationFrame(() => {
      const box = drawing.getBBox();
      if (box.width > 0) {
        const [x, y, w, h] = [box.x - 6, box.y - 6, box.width + 12, box.height + 12];
        drawing.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
        drawing.style.width = `${w}px`;
      }
    });
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.style.width = `${width}px`;
    return drawing;
  }

  edge(edge, at) {
    const [a, b] = [at(edge.from), at(edge.to)];
    let path;
    let middle;
    if (edge.from === edge.to) {
      const y = a.y - RADIUS;
      path = `M${a.x - 8} ${y + 3}C${a.x - 22} ${y - 30} ${a.x + 22} ${y - 30} ${a.x + 8} ${y + 2}`;
      middle = { x: a.x, y: y - 26 };
    } else {
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const length = Math.hypot(dx, dy);
      const [ux, uy] = [dx / length, dy / length];
      const isReturned = this.automaton.edges.some(({ from, to }) => from === edge.to && to === edge.from);
      const isLong = length > 1.5 * Math.max(84, Math.abs(dx / 2)) && Math.abs(dy) < 1;
      const bend = isLong ? 20 + length / 6 : isReturned || dx <= 0 ? 26 : 0;
      const control = { x: (a.x + b.x) / 2 + uy * bend * 1.6, y: (a.y + b.y) / 2 - ux * bend * 1.6 };
      const end = (from, gap) => {
        const [ex, ey] = [control.x - from.x, control.y - from.y];
        const far = Math.hypot(ex, ey) || 1;
        return { x: from.x + (ex / far) * gap, y: from.y + (ey / far) * gap };
      };
      const [p, q] = [end(a, RADIUS), end(b, RADIUS + 3)];
      path = `M${round(p.x)} ${round(p.y)}Q${round(control.x)} ${round(control.y)} ${round(q.x)} ${round(q.y)}`;
      // Labels lie nearer to where edges begin: in the middle they would meet where edges cross.
      const along = (from, by, to) => 0.36 * from + 0.48 * by + 0.16 * to;
      middle = { x: along(p.x, control.x, q.x), y: along(p.y, control.y, q.y) - 4 };
    }
    const label = edgeLabel(edge);
    const group = svg("g", { class: "edge", "data-edge": `${edge.from} ${edge.to}` },
      svg("path", { d: path, "marker-end": "url(#arrow)" }),
      svg("text", { x: round(middle.x), y: round(middle.y) }, clipped(label, 28)),
      svg("title", {}, `${edge.from} to ${edge.to}: ${harmless(label)}`));
    this.edges.set(`${edge.from} ${edge.to}`, group);
    return group;
  }

  node({ number, isAccepting }, { x, y }) {
    const group = svg("g", { class: isAccepting ? "state accepting" : "state", "data-state": number },
      svg("circle", { cx: x, cy: y, r: RADIUS }));
    if (isAccepting) group.append(svg("circle", { class: "inner", cx: x, cy: y, r: RADIUS - 4 }));
    group.append(svg("text", { x, y: y + 4 }, String(number)));
    group.append(svg("title", {}, `state ${number}${isAccepting ? ", accepting" : ""}`));
    this.nodes.set(number, group);
    return group;
  }

  row(state) {
    const edges = [...state.edges.values()].map((edge) => `→ ${edge.to}: ${edgeLabel(edge)}`).join("; ");
    const cells = [String(state.number), state.isAccepting ? "yes" : "", clipped(edges, 600)];
    const row = element("tr", { class: "state", "data-state": state.number }, ...cells.map((text) => element("td", {}, text)));
    this.nodes.set(state.number, row);
    return row;
  }

  // The state after the last step of a loop is the one after the stem.
  update(step) {
    if (!this.run) return;
    this.step = step;
    const state = this.run[step];
    const after = step + 1 < this.run.length ? step + 1 : this.isLasso ? this.stem : -1;
    const taken = after < 0 ? undefined : this.edgeTo(state, this.run[after]);
    this.next.textContent = taken
      ? `state ${state}, next: ${taken.from} → ${taken.to} on ${clipped(edgeLabel(taken), 200)}`
      : `state ${state}`;
    if (this.automaton.states.length > MOST_DRAWN) this.table(state);
    for (const [number, node] of this.nodes) {
      if (number === state) node.dataset.current = "true";
      else delete node.dataset.current;
    }
    for (const [key, edge] of this.edges) {
      const isNext = taken !== undefined && key === `${taken.from} ${taken.to}`;
      if (isNext) edge.dataset.next = "true";
      else delete edge.dataset.next;
      edge.querySelector("path").setAttribute("marker-end", isNext ? "url(#arrow-next)" : "url(#arrow)");
    }
  }

  edgeTo(from, to) {
    const state = this.automaton.states.find(({ number }) => number === from);
    return state && state.edges.get(to);
  }
}
