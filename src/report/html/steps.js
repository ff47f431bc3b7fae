// The trace as text has it: a line for each step, indented by depth, in which calls fold.

// Longer traces begin with all calls folded that return.
const LONGEST_UNFOLDED = 200;
const DEEPEST_INDENT = 12;

class StepsView {
  constructor(box, go) {
    this.box = box;
    this.toggled = new Set();
    this.list = new VirtualList(box, (index) => this.draw(this.rows[index]));
    box.addEventListener("click", (event) => {
      const fold = event.target.closest("[aria-expanded]");
      const row = event.target.closest("[data-step]");
      if (fold && row) {
        this.toggle(Number(row.dataset.step) - 1);
        if (event.detail > 0) fold.blur();
      } else if (row) {
        go(Number(row.dataset.step) - 1);
      }
    });
  }

  open(trace) {
    this.trace = trace;
    this.toggled = new Set();
    this.current = 0;
    this.rows = [];
    this.box.style.setProperty("--digits", `${String(trace.count).length}ch`);
    const lines = Math.max(...this.trace.page.sources.map((source) => source.lines.length));
    this.box.style.setProperty("--line-digits", `${String(lines).length}ch`);
  }

  beginsFolded(step) {
    const { end, count } = this.trace;
    return count > LONGEST_UNFOLDED && end[step] < count;
  }

  isFolded(step) {
    return this.trace.isCall(step) && this.beginsFolded(step) !== this.toggled.has(step);
  }

  // Whether the steps of a call are hidden: those around the current step are not.
  isHidden(step) {
    const isAround = step < this.current && this.current < this.trace.end[step];
    return this.isFolded(step) && !isAround;
  }

  toggle(step) {
    const wasHidden = this.isHidden(step);
    const isAround = step < this.current && this.current < this.trace.end[step];
    if (isAround && !wasHidden) {
      // Folding what holds the current step leaves that step at the call.
      if (!this.isFolded(step)) this.flip(step);
      this.box.dispatchEvent(new CustomEvent("fold", { detail: step }));
      return;
    }
    this.flip(step);
    this.update(this.current, step);
  }

  flip(step) {
    if (!this.toggled.delete(step)) this.toggled.add(step);
  }

  // All calls folded, or none.
  foldAll(isFolded) {
    this.toggled.clear();
    for (let i = 0; i < this.trace.count; i++) {
      if (this.trace.isCall(i) && this.trace.end[i] < this.trace.count && this.isFolded(i) !== isFolded) {
        this.toggled.add(i);
      }
    }
    this.update(this.current);
  }

  // Steps by number, and the notes after them as negative numbers.
  update(current, visible = current) {
    this.current = current;
    const { trace } = this;
    this.rows = [];
    let row = 0;
    for (let i = 0; i < trace.count; ) {
      // The beginning of a context stands before its first step, as a string.
      if (trace.isSwitch(i)) this.rows.push(String(i));
      if (i === visible) row = this.rows.length;
      this.rows.push(i);
      if (trace.notes.size && trace.notes.has(i)) this.rows.push(-1 - i);
      i = trace.isCall(i) && this.isHidden(i) ? trace.end[i] : i + 1;
    }
    if (trace.isLasso) this.rows.push(trace.count);
    this.list.update(this.rows.length, row);
  }

  draw(row) {
    if (typeof row === "string") {
      return element("div", { class: "note context", "data-context": Number(row) + 1 }, harmless(this.trace.title(Number(row))));
    }
    if (row < 0) {
      return element("div", { class: "note" }, `… ${harmless(this.trace.notes.get(-1 - row))} …`);
    }
    if (row === this.trace.count) return this.back();
    return this.step(row);
  }

  // What follows the last step of a loop.
  back() {
    const { stem, loop } = this.trace;
    return element("div", { class: "note in-loop" }, ...prose(`↻ back to step ${stem + 1}; ${harmless(loop || "")}`));
  }

  step(step) {
    const { trace } = this;
    const point = trace.at(step);
    const classes = ["step"];
    if (step >= trace.stem) classes.push("in-loop");
    if (trace.blocks.some(([from, to]) => from <= step && step <= to)) classes.push("in-block");
    if (point.kind === "error") classes.push("is-error");
    const isCurrent = step === this.current;
    const row = element("div", {
      class: classes.join(" "),
      "data-step": step + 1,
      "aria-current": isCurrent ? "step" : null,
    });
    const indent = Math.min(trace.depth[step], DEEPEST_INDENT);
    const body = element("span", { class: "body" });
    body.style.paddingLeft = `${indent}em`;
    body.append(this.fold(step));
    if (trace.depth[step] > DEEPEST_INDENT) {
      body.append(element("span", { class: "deep" }, `[depth ${trace.depth[step]}] `));
    }
    body.append(...this.statement(step));
    row.append(
      element("span", { class: "number" }, String(step + 1)),
      element("span", { class: "loop-mark", "aria-hidden": true }, this.mark(step)),
      element("span", { class: "line" }, point.line > 0 ? String(point.line) : ""),
      body,
    );
    return row;
  }

  // Where the step lies in the loop, or in a block that is repeated.
  mark(step) {
    const { stem, count, blocks } = this.trace;
    const brackets = [[stem, count - 1], ...blocks];
    for (const [from, to] of brackets) {
      if (from <= step && step <= to) {
        return from === to ? "[" : step === from ? "┌" : step === to ? "└" : "│";
      }
    }
    return "";
  }

  fold(step) {
    const { trace } = this;
    if (!trace.isCall(step)) return element("span", { class: "fold" });
    const isHidden = this.isHidden(step);
    const inside = trace.end[step] - step - 1;
    const title = isHidden ? `unfold ${inside} steps` : "fold this call";
    return button({ class: "fold", "aria-expanded": !isHidden, title, "aria-label": title }, isHidden ? "▸" : "▾", () => {});
  }

  statement(step) {
    const { trace } = this;
    const point = trace.at(step);
    const made = [];
    const text = statementText(trace, step);
    for (const label of trace.page.isSystem ? [] : point.labels) {
      made.push(element("span", { class: "label" }, clipped(label, 60) + ": "));
    }
    made.push(element("span", { class: "text", title: harmless(text) }, clipped(text, 160)));
    const branch = trace.branchAt(step);
    if (branch !== null) made.push(element("span", { class: "branch" }, `⇒ ${clipped(branch, 80)}`));
    if (trace.isFolded(step)) made.push(element("span", { class: "badge" }, "folded"));
    if (trace.isCall(step) && this.isHidden(step)) {
      made.push(element("span", { class: "badge" }, `${trace.end[step] - step - 1} steps`));
    }
    const choice = trace.choiceAt(step);
    if (choice !== null) {
      // What stands beside it already is not said again.
      const said = [branch, point.text(trace.page), text];
      const rest = trace.page.isSystem ? [] : choice.filter((one) => !said.includes(one));
      const title = `chosen: ${harmless(choice.join(", "))}`;
      made.push(element("span", { class: "choice", title }, `◆ ${clipped(rest.join(", "), 80)}`.trim()));
    }
    const values = stepNews(trace, step);
    if (values) made.push(element("span", { class: "values" }, clipped(values, 240)));
    return made;
  }
}

// The statement of a step on one line; in a pushdown system, state, symbol and rule.
function statementText(trace, step) {
  const point = trace.at(step);
  if (point.kind === "terminated") return "terminated";
  const text = point.text(trace.page).replace(/\s+/g, " ").trim();
  if (point.kind === "error") return text ? `error: ${text}` : "error";
  if (!trace.page.isSystem) return text;
  // A rule that bears no text is shown as it is written.
  if (!text && point.line > 0) return point.source.slice(point).replace(/\s+/g, " ").trim();
  return `${frameName(trace, step, null)} ${text}`.trim();
}

// The values that a step shows: on entry the procedure's name and what matters, then what has changed.
function stepNews(trace, step) {
  const news = trace.news(step);
  const point = trace.at(step);
  const parts = [];
  if (news.size > 0) {
    parts.push(...newsOf(new Values(trace.page, trace.globalsAt(step)), trace.globals, news, 0));
    parts.push(...newsOf(new Values(trace.page, trace.localsAt(step)), point.scope, news, trace.globals.cells));
  }
  const returns = trace.returnsAt(step);
  if (returns) parts.push(`returns ${returns}`);
  const before = trace.isSwitch(step) ? trace.left[step] : step - 1;
  const isEntered = before < 0 || trace.depth[step] > trace.depth[before];
  if (isEntered && !trace.page.isSystem && point.procedure) {
    return parts.length ? `${point.procedure}: ${parts.join(" ")}` : point.procedure;
  }
  return parts.join(" ");
}
