// The page: which property, step and frame are shown, and what the address says of it.

// Browsers complain when an address changes too often: so many times at once, and a few a second.
const ADDRESSES_AT_ONCE = 40;
const ADDRESSES_A_SECOND = 4;

class View {
  constructor(page) {
    this.page = page;
    // Of the results, or -1 for none; at first nothing is open.
    this.property = null;
    this.trace = null;
    this.step = 0;
    this.frame = 0;
    const go = (step) => {
      this.controls.stop();
      this.go(step);
    };
    this.timeline = new Timeline(byId("timeline"), go);
    this.lanes = new Lanes(byId("lanes"), go);
    this.threads = new ThreadLanes(byId("threads"), go);
    this.source = new SourceView(byId("source"), page, (line) => this.visit(line));
    this.stack = new StackView(byId("stack"), (frame) => this.choose(frame));
    this.variables = new VariablesView(byId("variables"));
    this.steps = new StepsView(byId("steps"), go);
    this.automaton = new AutomatonView(byId("automaton"));
    this.controls = new Controls(this);
    this.addresses = { left: ADDRESSES_AT_ONCE, time: performance.now(), timer: null };
    byId("steps").addEventListener("fold", (event) => go(event.detail));
    byId("fold-all").addEventListener("click", () => this.trace && this.steps.foldAll(true));
    byId("unfold-all").addEventListener("click", () => this.trace && this.steps.foldAll(false));
    byId("only-relevant").addEventListener("change", (event) => {
      byId("variables").classList.toggle("only-relevant", event.target.checked);
    });
    window.addEventListener("hashchange", () => this.follow());
    this.showProperties();
    this.follow();
  }

  showProperties() {
    const rows = this.page.results.map((result, index) => {
      const { kind, text, name, verdict, reason, remark, seconds, trace } = result;
      const word = kind === "reach" ? { holds: "unreachable", violated: "reachable" }[verdict] || verdict : verdict;
      const title = `${name ? `${name}: ` : ""}${text}`;
      const label = element("span", { class: "text", title: harmless(title) }, clipped(title));
      const row = element(
        "li",
        { "data-property": index + 1, "data-verdict": verdict },
        element("span", { class: `verdict is-${verdict}` }, word),
        trace ? button({ class: "open" }, label, () => this.open(index)) : label,
        element("span", { class: "reason" }, [reason, trace ? null : remark].filter(Boolean).join("; ")),
        element("span", { class: "seconds" }, `${seconds.toFixed(2)} s`),
      );
      return row;
    });
    byId("properties").replaceChildren(...rows);
  }

  // Goes where the address says, or to the first step of the first trace.
  follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const number = (key) => (/^\d+$/.test(wanted.get(key) || "") ? Number(wanted.get(key)) - 1 : -1);
    const { results } = this.page;
    let property = number("p");
    if (property < 0 || property >= results.length || !results[property].trace) {
      property = results.findIndex(({ trace }) => trace);
    }
    this.open(property, number("s"), number("f"));
  }

  open(property, step = 0, frame = 0) {
    if (property !== this.property) {
      this.controls.stop();
      this.property = property;
      this.trace = property < 0 ? null : this.page.trace(property);
      for (const row of document.querySelectorAll("#properties [data-property]")) {
        const isOpen = Number(row.dataset.property) === property + 1;
        if (isOpen) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
      }
      document.body.classList.toggle("without-trace", this.trace === null);
      this.variables.chosen = null;
      this.describe();
      this.source.open(this.trace);
      this.automaton.open(this.trace);
      if (this.trace) {
        for (const view of [this.timeline, this.lanes, this.threads]) {
          view.current = undefined;
          view.open(this.trace);
        }
        this.steps.open(this.trace);
        this.step = -1;
      }
    }
    if (this.trace) this.go(Math.max(0, step), Math.max(0, frame));
  }

  // What can be said of the trace as a whole.
  describe() {
    const { trace } = this;
    const result = this.page.results[this.property];
    byId("why").replaceChildren(...(trace && result.why ? prose(`Why: ${harmless(result.why)}`) : []));
    if (!trace) return;
    const many = (count) => `${count} ${count === 1 ? "step" : "steps"}`;
    const parts = [trace.isLasso ? `${many(trace.stem)}, then a loop of ${many(trace.count - trace.stem)}` : many(trace.count)];
    if (trace.threads.length) parts.push(`${trace.switches} context ${trace.switches === 1 ? "switch" : "switches"}`);
    if (result.remark) parts.push(harmless(result.remark));
    byId("length").textContent = parts.join("; ");
  }

  go(step, frame = 0) {
    const { trace } = this;
    step = Math.min(step, trace.count - 1);
    frame = Math.min(frame, trace.frameCount(step) - 1);
    const isMoved = step !== this.step;
    [this.step, this.frame] = [step, frame];
    if (isMoved) {
      this.timeline.update(step);
      this.lanes.update(step);
      this.threads.update(step);
      this.automaton.update(step);
      this.steps.update(step);
      byId("position").textContent = `step ${step + 1} of ${trace.count}`;
      this.speak();
    }
    const at = this.frameStep(frame);
    const isOver = trace.at(at).line === 0 && at > 0;
    this.source.update(trace.at(isOver ? at - 1 : at), isOver);
    this.stack.update(trace, step, frame);
    this.variables.update(trace, step, at);
    this.remember();
  }

  // The step at which a frame was last on top; frames that are not shown count as the one above.
  frameStep(frame) {
    let number = 0;
    let last = this.step;
    for (const { step, hidden } of this.trace.frames(this.step)) {
      number += hidden;
      if (number > frame) break;
      last = step;
      if (number === frame) break;
      number++;
    }
    return last;
  }

  choose(frame) {
    this.go(this.step, frame);
  }

  // The next step in a line of the source, from the current one round.
  visit(line) {
    const { trace } = this;
    if (!trace) return;
    const isThere = (i) => trace.at(i).line === line && trace.at(i).source === this.source.source;
    const found = trace.find(this.step, 1, isThere);
    const step = found >= 0 ? found : trace.find(-1, 1, isThere);
    if (step >= 0) this.go(step);
    else this.say(`The trace does not come to line ${line}.`);
  }

  speak() {
    const { trace, step } = this;
    const point = trace.at(step);
    const where = point.line > 0 ? `, line ${point.line}` : "";
    const news = stepNews(trace, step);
    const loop = trace.isLasso && step >= trace.stem ? ", in the loop" : "";
    const who = trace.threads.length ? `, ${clipped(trace.nameOf(trace.thread[step]), 60)}` : "";
    this.say(`Step ${step + 1} of ${trace.count}${who}${loop}${where}: ${clipped(statementText(trace, step), 120)}${news ? ` — ${clipped(news, 120)}` : ""}`);
  }

  say(text) {
    byId("live").textContent = text;
  }

  // Writes the place into the address, at once or soon.
  remember() {
    const { addresses } = this;
    const now = performance.now();
    const gained = ((now - addresses.time) / 1000) * ADDRESSES_A_SECOND;
    addresses.left = Math.min(ADDRESSES_AT_ONCE, addresses.left + gained);
    addresses.time = now;
    clearTimeout(addresses.timer);
    if (addresses.left < 1) {
      addresses.timer = setTimeout(() => this.remember(), 300);
      return;
    }
    const address = `#p=${this.property + 1}&s=${this.step + 1}&f=${this.frame + 1}`;
    if (address === location.hash) return;
    addresses.left -= 1;
    history.replaceState(null, "", address);
  }
}

document.documentElement.classList.add("scripted");
new View(new Page(JSON.parse(byId("data").textContent)));
document.documentElement.dataset.ready = "true";
