// Who runs: a row for each thread on the timeline's axis, with a bar where it runs.

const MOST_THREADS = 100;

class ThreadLanes {
  constructor(box, go) {
    this.box = box;
    this.go = go;
    this.height = 18;
    new ResizeObserver(() => this.trace && this.open(this.trace)).observe(box);
  }

  open(trace) {
    this.trace = trace;
    this.box.hidden = trace.threads.length === 0;
    this.rows = trace.threads.slice(0, MOST_THREADS).map((thread) => this.row(thread));
    const more = trace.threads.length - this.rows.length;
    const rest = more > 0 ? [element("p", { class: "more" }, `… ${more} more`)] : [];
    this.box.replaceChildren(...this.rows.map(({ box }) => box), ...rest);
    for (const row of this.rows) this.draw(row, row.plot.clientWidth);
    if (this.current !== undefined) this.update(Math.min(this.current, trace.count - 1));
  }

  row({ id, name }) {
    const plot = element("div", { class: "plot" });
    const now = element("span", { class: "now" });
    const label = element("span", { class: "name", title: harmless(name) }, clipped(name));
    const box = element("div", { class: "lane", "data-thread": id, "data-name": name },
      element("div", { class: "lane-label" }, label, now), plot);
    const row = { id, box, plot, now };
    plot.addEventListener("click", (event) => {
      this.go(row.axis.step(event.clientX - plot.getBoundingClientRect().left));
    });
    return row;
  }

  draw(row, width) {
    const { trace, height } = this;
    const axis = (row.axis = new Axis(trace.count, width));
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": true });
    const bars = [];
    for (const [from, to, isRunning] of runs(trace.count, (i) => trace.thread[i] === row.id)) {
      const [x, end] = [round(axis.left(from)), round(axis.left(to))];
      const half = isRunning ? 5 : 0.5;
      bars.push(svg("path", { class: isRunning ? "true" : "false", d: `M${x} ${height / 2 - half}H${end}V${height / 2 + half}H${x}Z` }));
    }
    row.cursor = svg("path", { class: "line" });
    picture.append(...bars.slice(0, 5000), row.cursor);
    row.plot.replaceChildren(picture);
  }

  update(step) {
    this.current = step;
    const running = this.trace.thread[step];
    if (this.trace.threads.length) this.box.dataset.thread = running;
    else delete this.box.dataset.thread;
    for (const { id, box, now, cursor, axis } of this.rows) {
      box.dataset.now = id === running ? "1" : "0";
      now.textContent = id === running ? "runs" : "";
      now.className = `now is-${id === running ? 1 : 0}`;
      cursor.setAttribute("d", `M${round(axis.middle(step))} 0V${this.height}`);
    }
  }
}
