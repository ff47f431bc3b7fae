// The depth of the stack over the steps, as a picture that is a slider, too.

// Where steps lie across a picture of some width: each has a strip of its own, or shares a pixel.
class Axis {
  constructor(count, width) {
    this.count = count;
    this.width = Math.max(1, width);
    this.strip = this.width / count;
  }

  left(step) {
    return step * this.strip;
  }

  middle(step) {
    return (step + 0.5) * this.strip;
  }

  step(x) {
    return Math.min(this.count - 1, Math.max(0, Math.floor(x / this.strip)));
  }

  // The steps that share each strip of at least one pixel.
  *columns() {
    const columns = Math.min(this.count, Math.ceil(this.width));
    for (let k = 0; k < columns; k++) {
      const from = Math.floor((k * this.count) / columns);
      const to = Math.floor(((k + 1) * this.count) / columns);
      yield { from, to, left: this.left(from), right: this.left(to) };
    }
  }
}

const round = (x) => Math.round(x * 10) / 10;

class Timeline {
  constructor(box, go) {
    this.box = box;
    this.go = go;
    this.height = 96;
    // Below the picture is a strip for marks.
    this.strip = 14;
    const point = (event) => {
      const { left } = this.picture.getBoundingClientRect();
      this.go(this.axis.step(event.clientX - left));
    };
    box.addEventListener("pointerdown", (event) => {
      if (!this.trace) return;
      box.setPointerCapture(event.pointerId);
      this.dragged = true;
      point(event);
    });
    box.addEventListener("pointermove", (event) => this.dragged && point(event));
    const drop = () => (this.dragged = false);
    box.addEventListener("pointerup", drop);
    box.addEventListener("pointercancel", drop);
    new ResizeObserver(() => this.trace && this.open(this.trace)).observe(box);
  }

  open(trace) {
    this.trace = trace;
    this.axis = new Axis(trace.count, this.box.clientWidth);
    this.box.setAttribute("aria-valuemin", 1);
    this.box.setAttribute("aria-valuemax", trace.count);
    const { width } = this.axis;
    this.deepest = trace.depth.reduce((most, depth) => Math.max(most, depth), 0);
    this.picture = svg(
      "svg",
      { width, height: this.height + this.strip, viewBox: `0 0 ${width} ${this.height + this.strip}`, "aria-hidden": true },
      ...this.shades(),
      ...this.profile(),
      ...this.marks(),
    );
    this.cursor = svg("g", { class: "cursor" });
    this.picture.append(this.cursor);
    this.box.replaceChildren(this.picture);
    byId("deepest").textContent = `depth ${this.deepest}`;
    if (this.current !== undefined) this.update(Math.min(this.current, trace.count - 1));
  }

  y(depth) {
    return round(this.height - 8 - (depth / Math.max(1, this.deepest)) * (this.height - 26));
  }

  // The depths as an area, and as a band above it where steps share a pixel: from the least deep of them
  // to the deepest.
  profile() {
    const { depth } = this.trace;
    const [area, upper, lower] = [[], [], []];
    for (const { from, to, left, right } of this.axis.columns()) {
      let [least, most] = [depth[from], depth[from]];
      for (let i = from + 1; i < to; i++) {
        least = Math.min(least, depth[i]);
        most = Math.max(most, depth[i]);
      }
      const [x, end] = [round(left), round(right)];
      area.push(`L${x} ${this.y(least)}H${end}`);
      upper.push(`L${x} ${this.y(most)}H${end}`);
      lower.push(`L${end} ${this.y(least)}H${x}`);
    }
    const base = this.height - 2;
    return [
      svg("path", { class: "depth", d: `M0 ${base}${area.join("")}V${base}Z` }),
      svg("path", { class: "band", d: `M${upper.join("").slice(1)}${lower.reverse().join("")}Z` }),
    ];
  }

  // The loop, and blocks that stand for many rounds.
  shades() {
    const { trace, axis, height, strip } = this;
    const shade = (name, from, to, label) => {
      const [x, width] = [axis.left(from), axis.left(to) - axis.left(from)];
      const area = svg("rect", { class: name, x, y: 0, width: Math.max(2, width), height: height + strip });
      const text = svg("text", { class: "label", x: Math.min(x + 4, axis.width - 7 * label.length), y: 12 }, label);
      return [area, text];
    };
    const shades = [];
    if (trace.isLasso) {
      const growth = trace.depth[trace.count - 1] - trace.depth[trace.stem - 1];
      const steps = trace.count - trace.stem;
      const label = `loop: ${steps} ${steps === 1 ? "step" : "steps"}` + (growth > 0 ? `, +${growth} deep each round` : "");
      shades.push(...shade("loop", trace.stem, trace.count, label));
    }
    for (const [from, to, rounds] of trace.blocks) {
      shades.push(...shade("block", from, to + 1, `× ${rounds}`));
    }
    return shades;
  }

  marks() {
    const { trace, axis } = this;
    const middle = this.height + this.strip / 2;
    const marks = { choice: [], folded: [] };
    for (const { from, to } of axis.columns()) {
      const in_column = (condition) => {
        for (let i = from; i < to; i++) if (condition(i)) return i;
        return -1;
      };
      const choice = in_column((i) => trace.choice[i] >= 0);
      if (choice >= 0) marks.choice.push(choice);
      const folded = in_column((i) => trace.isFolded(i) || trace.notes.has(i));
      if (folded >= 0) marks.folded.push(folded);
    }
    // Marks that would lie on each other are left out.
    const apart = (steps) => {
      let last = -Infinity;
      return steps.map((step) => round(axis.middle(step))).filter((x) => x - last >= 3 && ((last = x), true));
    };
    const diamonds = apart(marks.choice).map((x) => `M${x} ${middle - 4}l4 4l-4 4l-4 -4Z`);
    const bars = apart(marks.folded).map((x) => `M${x - 4} ${middle - 2}h8M${x - 4} ${middle + 2}h8`);
    const made = [
      svg("path", { class: "choice", d: diamonds.join("") }),
      svg("path", { class: "folded", d: bars.join("") }),
    ];
    const failure = trace.at(trace.count - 1).kind === "error" ? trace.find(-1, 1, (i) => trace.at(i).kind === "error") : -1;
    if (failure >= 0) {
      const x = Math.min(axis.width - 6, round(axis.middle(failure)));
      const y = this.height - 6;
      made.push(svg("path", { class: "failure", d: `M${x - 5} ${y - 5}l10 10M${x - 5} ${y + 5}l10 -10` }));
    }
    return made;
  }

  update(step) {
    this.current = step;
    const { trace, axis } = this;
    const x = round(axis.middle(step));
    const total = this.height + this.strip;
    this.cursor.replaceChildren(
      svg("rect", { class: "now", x: round(axis.left(step)), y: 0, width: Math.max(1, round(axis.strip)), height: total }),
      svg("path", { class: "line", d: `M${x} 0V${total}` }),
      svg("circle", { cx: x, cy: this.y(trace.depth[step]), r: 4 }),
    );
    this.box.setAttribute("aria-valuenow", step + 1);
    this.box.setAttribute("aria-valuetext", `step ${step + 1} of ${trace.count}, depth ${trace.depth[step]}`);
  }
}
