// The frames of the stack, and the variables of the chosen one.

const MOST_FRAMES = 200;
const MOST_VARIABLES = 250;

class StackView {
  constructor(box, choose) {
    this.box = box;
    this.choose = choose;
  }

  // The frame with this number, the top one being 0, is the chosen one.
  update(trace, step, chosen) {
    // A list of rows for each thread.
    const stacks = [];
    let [number, shown, rows] = [0, 0, []];
    const gap = (count) => element("li", { class: "more" }, `… ${count} more`);
    for (const { step: at, hidden, isTop } of trace.frames(step)) {
      if (shown === MOST_FRAMES) break;
      if (isTop) stacks.push({ at, rows: (rows = []) });
      if (hidden > 0) rows.push(gap(hidden));
      number += hidden;
      rows.push(this.row(trace, at, number, number === chosen, isTop));
      number++;
      shown++;
    }
    const rest = trace.frameCount(step) - number;
    if (rest > 0) {
      rows.push(gap(rest));
    }
    if (trace.threads.length === 0) return this.box.replaceChildren(...rows);
    const idle = trace.threads.filter(({ id }) => trace.latestOf(id, step) < 0);
    this.box.replaceChildren(
      ...stacks.map(({ at, rows }) => this.thread(trace, trace.thread[at], this.state(trace, at, step), rows)),
      ...idle.map(({ id }) => this.thread(trace, id, "has not run", [])),
    );
  }

  // What a thread does that was last on top at a step.
  state(trace, at, step) {
    if (trace.at(at).kind === "terminated") return "ended";
    if (at !== step) return "waits";
    return trace.isExclusive(step) ? "runs alone" : "runs";
  }

  // The frames of a thread, below its name.
  thread(trace, id, state, rows) {
    const name = element("span", { class: "name" }, clipped(trace.nameOf(id)));
    const title = element("span", { class: "title" }, name, ` ${state}`);
    return element("li", { class: "thread", "data-thread": id, "data-state": state }, title, element("ol", {}, ...rows));
  }

  row(trace, at, number, isChosen, isTop) {
    const point = trace.at(at);
    const { scope, locals, symbol } = isTop ? trace.topAt(at) : trace.waitingAt(at);
    const name = frameName(trace, at, symbol);
    const relevant = trace.relevantAt(at);
    const matters = { has: (cell) => symbol !== null || relevant.has(trace.globals.cells + cell) };
    const held = newsOf(new Values(trace.page, locals), scope, matters, 0).join(" ");
    const label = button(
      {
        "data-procedure": point.procedure,
        "data-line": point.line,
        "data-frame": number + 1,
        "aria-pressed": isChosen,
        title: harmless(name),
      },
      element("span", { class: "name" }, clipped(name)),
      () => this.choose(number),
    );
    label.append(element("span", { class: "held" }, clipped(held, 80)));
    if (point.line > 0) label.append(element("span", { class: "where" }, `line ${point.line}`));
    return element("li", {}, label);
  }
}

// What a frame is called: its procedure; in a pushdown system, the state and the symbol.
function frameName(trace, step, waiting) {
  const point = trace.at(step);
  if (waiting) return waiting;
  if (trace.page.isSystem) return `${point.procedure} ⟨${point.labels.join(" ")}⟩`;
  return point.procedure || point.kind;
}

class VariablesView {
  constructor(box) {
    this.box = box;
    // The chosen variable: its scope and name.
    this.chosen = null;
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-name]");
      if (!row) return;
      const { scope, name } = row.dataset;
      const isSame = this.chosen && this.chosen.scope === scope && this.chosen.name === name;
      this.chosen = isSame ? null : { scope, name };
      this.mark();
    });
  }

  mark() {
    for (const row of this.box.querySelectorAll("[data-name]")) {
      const { scope, name } = row.dataset;
      const isChosen = this.chosen && this.chosen.scope === scope && this.chosen.name === name;
      row.querySelector("button").setAttribute("aria-pressed", Boolean(isChosen));
    }
  }

  // The values at a step, as the frame that was last on top at another step sees them.
  update(trace, step, at) {
    const isTop = at === step;
    const changed = trace.changedCells(step);
    const cells = trace.globals.cells;
    const relevant = trace.relevantAt(step);
    const relevantHere = isTop ? relevant : trace.relevantAt(at);
    const { scope, locals } = isTop ? trace.topAt(at) : trace.waitingAt(at);
    const groups = [
      {
        title: "globals",
        scope: trace.globals,
        key: "",
        values: new Values(trace.page, trace.globalsSeen(step, at)),
        isRelevant: (cell) => relevant.has(cell),
        isChanged: (cell) => changed.has(cell),
      },
      {
        title: scope.name,
        scope,
        key: scope.name,
        values: new Values(trace.page, locals),
        isRelevant: (cell) => relevantHere.has(cells + cell),
        isChanged: (cell) => isTop && changed.has(cells + cell),
      },
    ];
    const made = [];
    for (const group of groups) {
      if (group.scope.variables.length === 0) continue;
      made.push(element("h3", { title: harmless(group.title) }, clipped(group.title, 80)));
      made.push(element("ul", {}, ...this.rows(group)));
    }
    const returns = isTop ? trace.returnsAt(step) : null;
    if (returns !== null) {
      made.push(element("p", { class: "returns" }, `returns ${clipped(returns)}`));
    }
    if (made.length === 0) made.push(element("p", { class: "none" }, "no variables here"));
    this.box.replaceChildren(...made);
    this.mark();
  }

  rows(group) {
    const isThere = ({ shape, first }) => !group.values.isAbsent(shape, first);
    const variables = group.scope.variables.filter(isThere);
    const rows = variables.slice(0, MOST_VARIABLES).map((variable) => this.row(group, variable));
    if (variables.length > MOST_VARIABLES) {
      rows.push(element("li", { class: "more" }, `… ${variables.length - MOST_VARIABLES} more`));
    }
    return rows;
  }

  row({ values, isRelevant, isChanged, key, title }, { name, first, shape }) {
    let [matters, differs] = [false, false];
    for (const [cell] of cellsOf(shape, first, "")) {
      matters = matters || isRelevant(cell);
      differs = differs || isChanged(cell);
    }
    const isScalar = shape === 0 || shape[0] === "enumeration";
    const value = element("span", { class: "value" });
    let plain = "";
    for (const [text, cell] of values.parts(shape, first)) {
      if (cell !== null && isChanged(cell) && !isScalar) {
        value.append(harmless(plain), element("mark", {}, clipped(text)));
        plain = "";
      } else {
        plain += text;
      }
    }
    value.append(clipped(plain, 2000));
    const label = button(
      { title: `${harmless(name)}: v goes to its next change`, "aria-pressed": false },
      element("span", { class: "name" }, clipped(name)),
      () => {},
    );
    return element(
      "li",
      {
        class: matters ? "matters" : "dim",
        "data-name": name,
        "data-value": attributeOf(values.value(shape, first)),
        "data-scope": key,
        "data-changed": differs ? "true" : null,
      },
      label,
      value,
      differs ? element("span", { class: "sign", title: "changed" }, "changed") : "",
    );
  }
}
