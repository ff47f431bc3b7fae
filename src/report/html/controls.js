// Moving through a trace: keys, buttons, search, and playing.

// The key, what it does, its button's label (none: no button) and its name.
const COMMANDS = [
  ["Home", "first", "⇤", "to the first step"],
  ["p", "backOver", "⇠", "back over a call"],
  ["ArrowLeft", "back", "←", "one step back"],
  [" ", "play", "▶", "play, or stop; a loop goes round"],
  ["ArrowRight", "next", "→", "one step on"],
  ["n", "over", "⇢", "over a call"],
  ["o", "out", "↥", "out of this call"],
  ["End", "last", "⇥", "to the last step"],
  ["l", "loop", "↻", "to the loop's begin"],
  ["c", "choice", "◆", "to the next choice"],
  ["v", "change", "Δ", "to the next change of the chosen variable"],
  ["/", "search", null, "search statements, procedures, line numbers, x=1"],
  ["?", "help", "?", "help"],
];
const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", " ": "space" };
const PLAY_MILLISECONDS = 400;

class Controls {
  constructor(view) {
    this.view = view;
    this.timer = null;
    const bar = byId("buttons");
    for (const [key, command, label, title] of COMMANDS) {
      if (label === null) continue;
      const name = `${title} (${KEY_NAMES[key] || key})`;
      const made = button({ "data-command": command, "aria-label": name, title: name }, label, () => this.run(command));
      bar.append(made);
    }
    byId("keys").append(
      ...COMMANDS.flatMap(([key, , , title]) => [element("dt", {}, element("kbd", {}, KEY_NAMES[key] || key)), element("dd", {}, title)]),
    );
    document.addEventListener("keydown", (event) => this.key(event));
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        this.find(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        event.target.blur();
      }
    });
    byId("close-help").addEventListener("click", () => byId("help").close());
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const { target } = event;
    if (target.matches("input, textarea, select")) return;
    // A button is pressed by the space bar, unless it went away with the help and has the focus still.
    if (event.key === " " && target.matches("button") && !target.closest("dialog")) return;
    const command = COMMANDS.find(([key]) => key === event.key);
    if (!command) return;
    event.preventDefault();
    this.run(command[1]);
  }

  run(command) {
    if (command === "help") return byId("help").showModal();
    if (!this.view.trace) return;
    if (command !== "play") this.stop();
    this[command]();
  }

  // Goes to a step, or says why not.
  go(step, otherwise) {
    if (step >= 0) this.view.go(step);
    else this.view.say(otherwise);
  }

  first() {
    this.go(0);
  }

  last() {
    this.go(this.view.trace.count - 1);
  }

  next() {
    this.go(Math.min(this.view.step + 1, this.view.trace.count - 1));
  }

  back() {
    this.go(Math.max(this.view.step - 1, 0));
  }

  // A call that does not return is entered.
  over() {
    const { trace, step } = this.view;
    const after = trace.find(step, 1, (i) => trace.depth[i] <= trace.depth[step] && trace.thread[i] === trace.thread[step]);
    if (after >= 0) this.go(after);
    else this.next();
  }

  backOver() {
    const { trace, step } = this.view;
    const before = trace.find(step, -1, (i) => trace.depth[i] <= trace.depth[step] && trace.thread[i] === trace.thread[step]);
    this.go(before, "This is the first step.");
  }

  out() {
    const { trace, step } = this.view;
    const after = trace.find(step, 1, (i) => trace.depth[i] < trace.depth[step] && trace.thread[i] === trace.thread[step]);
    this.go(after, "This frame does not return.");
  }

  loop() {
    const { trace } = this.view;
    this.go(trace.isLasso ? trace.stem : -1, "This trace has no loop.");
  }

  choice() {
    const { trace, step } = this.view;
    this.go(trace.find(step, 1, (i) => trace.choice[i] >= 0), "No choice after this step.");
  }

  change() {
    const { trace, step, variables } = this.view;
    const { chosen } = variables;
    const cells = trace.globals.cells;
    const isChosen = (scope, offset, cell) =>
      scope.variables.some(({ name, first, shape }) => {
        if (name !== chosen.name) return false;
        for (const [own] of cellsOf(shape, first, "")) if (own + offset === cell) return true;
        return false;
      });
    const changes = (i) => {
      for (const cell of trace.changedCells(i)) {
        if (!chosen) return true;
        const isGlobal = cell < cells;
        const scope = isGlobal ? trace.globals : trace.at(i).scope;
        if ((isGlobal ? "" : scope.name) !== chosen.scope) continue;
        if (isChosen(scope, isGlobal ? 0 : cells, cell)) return true;
      }
      return false;
    };
    const name = chosen ? `${clipped(chosen.name, 60)} does not change` : "Nothing changes";
    this.go(trace.find(step, 1, changes), `${name} after this step.`);
  }

  play() {
    if (this.timer !== null) return this.stop();
    const { trace, step } = this.view;
    if (!trace.isLasso && step === trace.count - 1) this.go(0);
    this.timer = setInterval(() => this.tick(), PLAY_MILLISECONDS);
    this.showPlaying(true);
  }

  tick() {
    const { trace, step } = this.view;
    if (step + 1 < trace.count) this.go(step + 1);
    else if (trace.isLasso) this.go(trace.stem);
    else this.stop();
  }

  stop() {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.showPlaying(false);
  }

  showPlaying(isPlaying) {
    const made = document.querySelector("[data-command=play]");
    made.setAttribute("aria-pressed", isPlaying);
    made.textContent = isPlaying ? "■" : "▶";
  }

  search() {
    byId("search").focus();
    byId("search").select();
  }

  // The next step with what is searched: `:12` or `12` is a line, `x=1` a value, anything else a part of a
  // statement, a label or a procedure's name.
  find(direction) {
    const { trace, step, page } = this.view;
    if (!trace) return;
    const wanted = byId("search").value.trim().toLowerCase();
    if (!wanted) return;
    this.stop();
    const line = /^:?(\d+)$/.exec(wanted);
    const known = new Map();
    const matches = (index) => {
      if (!known.has(index)) {
        const point = page.points[index];
        const texts = [point.procedure, ...point.labels, point.text(page)];
        known.set(index, line ? point.line === Number(line[1]) : texts.some((text) => text.toLowerCase().includes(wanted)));
      }
      return known.get(index);
    };
    const isValue = /^[^=\s]+=[^=\s]+$/.test(wanted);
    const hasValue = (i) => isValue && trace.changed[i] >= 0 && stepNews(trace, i).toLowerCase().split(" ").includes(wanted);
    const isFound = (i) => matches(trace.point[i]) || hasValue(i);
    let found = trace.find(step, direction, isFound);
    // Beyond the end the search begins again.
    if (found < 0) found = trace.find(direction > 0 ? -1 : trace.count, direction, isFound);
    this.go(found, `Nothing matches “${clipped(wanted, 60)}”.`);
  }
}
