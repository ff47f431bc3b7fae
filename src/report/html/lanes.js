// Truth of the formula and its subformulas, and values that are watched, on the timeline's axis.

const MOST_LANES = 200;

// Maximal ranges of steps in which a function has the same value: [from, to, value].
function* runs(count, value) {
  let from = 0;
  for (let i = 1; i <= count; i++) {
    if (i === count || value(i) !== value(from)) {
      yield [from, i, value(from)];
      from = i;
    }
  }
}

class Lanes {
  constructor(box, go) {
    this.box = box;
    this.go = go;
    this.height = 22;
    new ResizeObserver(() => this.trace && this.open(this.trace)).observe(box);
  }

  open(trace) {
    this.trace = trace;
    const { subformulas, truth } = trace.formula || { subformulas: [], truth: [] };
    const formulas = subformulas.map((text, row) => ({
      text,
      row,
      value: (step) => truth[row][step],
    }));
    const watches = trace.watch.map(({ text, values }) => ({
      text,
      isWatch: true,
      value: (step) => (values[step] === null ? "" : attributeOf(values[step])),
    }));
    this.lanes = [...formulas, ...watches];
    this.box.hidden = this.lanes.length === 0;
    const shown = this.lanes.slice(0, MOST_LANES);
    this.box.replaceChildren(...shown.map((lane) => this.row(lane)));
    if (this.lanes.length > MOST_LANES) {
      this.box.append(element("p", { class: "more" }, `… ${this.lanes.length - MOST_LANES} more`));
    }
    // Widths are known only when all rows are there.
    const width = shown.length ? shown[0].plot.clientWidth : 0;
    for (const lane of shown) this.draw(lane, width);
    if (this.current !== undefined) this.update(Math.min(this.current, trace.count - 1));
  }

  row(lane) {
    lane.plot = element("div", { class: "plot" });
    lane.now = element("span", { class: "now" });
    const name = element("span", { class: "name", title: harmless(lane.text) }, clipped(lane.text));
    lane.box = element("div", { class: lane.isWatch ? "lane watch" : "lane", "data-formula": lane.text },
      element("div", { class: "lane-label" }, name, lane.now), lane.plot);
    lane.plot.addEventListener("click", (event) => {
      this.go(lane.axis.step(event.clientX - lane.plot.getBoundingClientRect().left));
    });
    return lane.box;
  }

  draw(lane, width) {
    const { trace, height } = this;
    const axis = (lane.axis = new Axis(trace.count, width));
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": true });
    if (trace.isLasso) {
      const x = axis.left(trace.stem);
      picture.append(svg("rect", { class: "loop", x, y: 0, width: width - x, height }));
    }
    if (lane.isWatch) {
      picture.append(...this.values(lane, axis));
    } else {
      picture.append(...this.truth(lane, axis));
      picture.append(...this.dots(lane, axis));
    }
    lane.cursor = svg("path", { class: "line" });
    picture.append(lane.cursor);
    lane.plot.replaceChildren(picture);
  }

  // True is a bar, false a thin line; where steps of both kinds share a pixel, something between.
  truth(lane, axis) {
    const columns = [...axis.columns()].map(({ from, to, left, right }) => {
      let value = lane.value(from);
      for (let i = from + 1; i < to; i++) if (lane.value(i) !== value) value = "both";
      return { value, left, right };
    });
    const middle = this.height / 2;
    const halves = { 0: 1, both: 3, 1: 5 };
    const bars = { 0: [], both: [], 1: [] };
    for (const [from, to, value] of runs(columns.length, (k) => columns[k].value)) {
      const [x, end] = [round(columns[from].left), round(columns[to - 1].right)];
      const half = halves[value];
      bars[value].push(`M${x} ${middle - half}H${end}V${middle + half}H${x}Z`);
    }
    const path = (name, value) => svg("path", { class: name, d: bars[value].join("") });
    return [path("false", 0), path("true", "both"), path("true", 1)];
  }

  // Dots are smaller where there are many steps, and none lies on another.
  dots(lane, axis) {
    const radius = round(Math.max(1, Math.min(3.5, 0.4 * axis.strip)));
    const made = [];
    let last = -Infinity;
    for (const [step, row] of this.trace.cause) {
      const x = round(axis.middle(step));
      if (row !== lane.row || x - last < 1) continue;
      last = x;
      const arc = `a${radius} ${radius} 0 1 0`;
      made.push(`M${x - radius} ${this.height / 2}${arc} ${2 * radius} 0${arc} ${-2 * radius} 0`);
    }
    return made.length ? [svg("path", { class: "cause", d: made.join("") })] : [];
  }

  // Each value is a box, with the value in it if there is room.
  values(lane, axis) {
    const made = [];
    const borders = [];
    for (const [from, to, value] of runs(this.trace.count, lane.value)) {
      const [x, end] = [round(axis.left(from)), round(axis.left(to))];
      if (value === "") continue;
      borders.push(`M${x + 0.5} 3.5H${end - 0.5}V${this.height - 3.5}H${x + 0.5}Z`);
      if (made.length < 200 && end - x > 7 * value.length + 4) {
        made.push(svg("text", { class: "label", x: x + 4, y: this.height - 7 }, clipped(value, 40)));
      }
    }
    return [svg("path", { class: "value", d: borders.slice(0, 5000).join("") }), ...made];
  }

  update(step) {
    this.current = step;
    for (const lane of this.lanes.slice(0, MOST_LANES)) {
      const value = lane.value(step);
      lane.box.dataset.now = value;
      lane.now.textContent = lane.isWatch ? clipped(value, 12) || "–" : value === "1" ? "true" : "false";
      lane.now.className = `now is-${lane.isWatch ? "value" : value}`;
      lane.cursor.setAttribute("d", `M${round(lane.axis.middle(step))} 0V${this.height}`);
    }
  }
}
