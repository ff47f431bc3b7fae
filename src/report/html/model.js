// The trace of a property, decoded from what is embedded in the page.
//
// A step is written as its point, a word of flags, and what the flags announce. It holds what changed in
// its frame since that frame was last on top, and what changed among the globals since the step before.
// Frames are links: `below[i]` is the step at which the frame under that of step i was last on top, and
// `previous[i]` the step before i in the same frame. So a stack takes no memory, and values are found
// from the last snapshot on: at most `stride` steps back.

"use strict";

const FLAGS = {
  depth: 1, fresh: 2, changes: 4, relevant: 8, branch: 16, choice: 32, returns: 64, folded: 128, waiting: 256, thread: 512, exclusive: 1024,
};
const KINDS = ["statement", "exit", "error", "terminated", "event"];
// How many values the snapshots of a trace may hold together.
const SNAPSHOT_VALUES = 4e6;

class Point {
  constructor(page, [scope, procedure, line, column, lines, endColumn, kind, labels, text, file]) {
    this.scope = page.scopes[scope];
    this.procedure = page.strings[procedure];
    this.line = line;
    this.column = column;
    this.endLine = line + lines;
    this.endColumn = endColumn;
    this.kind = KINDS[kind || 0];
    this.labels = (labels || []).map((label) => page.strings[label]);
    this.ownText = text === undefined || text === null ? null : page.strings[text];
    this.source = page.sources[file || 0];
  }

  // Statements are not embedded: they are read off the source.
  text() {
    if (this.ownText === null) {
      this.ownText = this.source.slice(this);
    }
    return this.ownText;
  }
}

// The variables of a procedure, or of a kind of stack symbol.
class Scope {
  constructor([name, cells, variables], number) {
    this.number = number;
    this.name = name;
    this.cells = cells;
    this.variables = variables.map(([name, first, shape]) => ({ name, first, shape }));
  }
}

class Source {
  constructor({ name, text }) {
    this.name = name;
    this.lines = text.split("\n");
    if (this.lines.length > 1 && this.lines[this.lines.length - 1] === "") {
      this.lines.pop();
    }
  }

  line(number) {
    return (this.lines[number - 1] || "").replace(/\r$/, "");
  }

  // Columns count characters, and the last one belongs to the range.
  slice({ line, column, endLine, endColumn }) {
    const parts = [];
    for (let number = line; number > 0 && number <= endLine; number++) {
      const [, inside] = this.divide(number, { line, column, endLine, endColumn });
      parts.push(inside);
    }
    return parts.join("\n");
  }

  // What of a line lies before, in and after a range.
  divide(number, { line, column, endLine, endColumn }) {
    const text = this.line(number);
    const characters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
    const from = number === line ? column - 1 : 0;
    const to = number === endLine ? endColumn : characters.length;
    const cut = (a, b) => {
      const part = characters.slice(a, b);
      return typeof part === "string" ? part : part.join("");
    };
    return [cut(0, from), cut(from, to), cut(to)];
  }
}

class Trace {
  constructor(page, data) {
    this.page = page;
    this.count = data.count;
    this.stem = data.stem;
    this.isLasso = data.stem < data.count;
    this.globals = page.scopes[data.globals];
    this.blocks = data.blocks || [];
    this.notes = new Map(data.notes || []);
    this.loop = data.loop;
    this.formula = data.formula;
    this.cause = data.cause || [];
    this.automaton = data.automaton;
    this.watch = data.watch || [];
    this.threads = (data.threads || []).map(([id, name]) => ({ id, name }));
    this.own = new Set(data.own || []);
    this.relevantCells = new Map();
    this.decode(data.steps);
    this.countSwitches();
  }

  decode(codes) {
    const count = this.count;
    const numbers = (fill) => new Int32Array(count).fill(fill);
    this.codes = codes;
    this.point = numbers(0);
    this.flags = numbers(0);
    this.depth = new Float64Array(count);
    this.below = numbers(-1);
    this.previous = numbers(-1);
    // How many steps of the same frame came before.
    this.rank = numbers(0);
    // Where in `codes` the changes of a step are.
    this.changed = numbers(-1);
    this.relevant = numbers(-1);
    this.branch = numbers(-1);
    this.choice = numbers(-1);
    this.returns = numbers(-1);
    this.waiting = numbers(-1);
    // The running thread, and the first step of its context.
    this.thread = numbers(0);
    this.context = numbers(0);
    // The last step of the same thread before its context; -1 if it had none.
    this.left = numbers(-1);
    // For a step that calls: the first step after the return, or the number of steps.
    this.end = numbers(-1);
    const points = this.page.points;
    const cells = this.globals.cells;
    const widest = this.page.scopes.reduce((most, scope) => Math.max(most, scope.cells), cells);
    this.stride = Math.max(64, Math.ceil((widest * 2 * count) / SNAPSHOT_VALUES));
    this.globalSnapshots = [];
    this.localSnapshots = new Map();
    const globals = new Array(cells).fill(0);
    const stacks = new Map();
    const latest = new Map();
    let [depth, thread] = [0, 0];
    let relevant = -1;
    let at = 0;
    for (let i = 0; i < count; i++) {
      this.point[i] = codes[at++];
      const flags = (this.flags[i] = codes[at++]);
      thread = flags & FLAGS.thread ? codes[at++] : thread;
      this.thread[i] = thread;
      depth += flags & FLAGS.depth ? Number(codes[at++]) : 0;
      this.depth[i] = depth;
      const goesOn = i > 0 && this.thread[i - 1] === thread;
      this.context[i] = goesOn ? this.context[i - 1] : i;
      this.left[i] = goesOn ? this.left[i - 1] : latest.has(thread) ? latest.get(thread) : -1;
      latest.set(thread, i);
      const point = points[this.point[i]];
      if (!stacks.has(thread)) stacks.set(thread, []);
      const frame = this.enter(stacks.get(thread), i, flags, point);
      if (flags & FLAGS.changes) {
        this.changed[i] = at;
        const last = at + 2 * codes[at];
        for (let c = at + 1; c < last; c += 2) {
          const cell = codes[c];
          if (cell < cells) {
            globals[cell] = codes[c + 1];
          } else {
            frame.locals[cell - cells] = codes[c + 1];
          }
        }
        at = last + 1;
      }
      if (flags & FLAGS.relevant) relevant = codes[at++];
      this.relevant[i] = relevant;
      if (flags & FLAGS.branch) this.branch[i] = codes[at++];
      if (flags & FLAGS.choice) {
        this.choice[i] = at;
        at += codes[at] + 1;
      }
      if (flags & FLAGS.returns) this.returns[i] = codes[at++];
      if (flags & FLAGS.waiting) {
        this.waiting[i] = at;
        at += 3 + 2 * codes[at + 2];
      }
      if (i % this.stride === 0) this.globalSnapshots.push(globals.slice());
      if (this.rank[i] % this.stride === 0 && this.rank[i] > 0) {
        this.localSnapshots.set(i, frame.locals.slice());
      }
    }
    for (const frame of [...stacks.values()].flat()) this.leave(frame, count);
  }

  // Makes the frame of step i the top of the stack.
  enter(stack, i, flags, point) {
    // A failure ends the run, but no call returns by it.
    if (point.kind === "error") return { locals: [] };
    const depth = this.depth[i];
    while (stack.length && stack[stack.length - 1].depth > depth) {
      this.leave(stack.pop(), i);
    }
    let frame = stack[stack.length - 1];
    if (!frame || frame.depth < depth) {
      frame = { depth, call: this.context[i] < i ? i - 1 : -1 };
      stack.push(frame);
    } else if (!(flags & FLAGS.fresh)) {
      this.previous[i] = frame.step;
      this.rank[i] = this.rank[frame.step] + 1;
    }
    if (this.previous[i] < 0) frame.locals = new Array(point.scope.cells).fill(0);
    frame.step = i;
    this.below[i] = stack.length > 1 ? stack[stack.length - 2].step : -1;
    return frame;
  }

  // A call in which another thread runs is none that folds.
  leave({ call }, step) {
    if (call < 0) return;
    const last = Math.min(step, this.count - 1);
    if (this.context[last] === this.context[call]) this.end[call] = step;
  }

  // The last step of a thread up to another step; -1 if it has not run.
  latestOf(thread, step) {
    for (let i = step; i >= 0; ) {
      if (this.thread[i] === thread) return i;
      i = this.context[i] - 1;
    }
    return -1;
  }

  // Whether no other thread may run.
  isExclusive(step) {
    return (this.flags[step] & FLAGS.exclusive) !== 0;
  }

  // Whether another thread ran before.
  isSwitch(step) {
    return this.threads.length > 0 && this.context[step] === step;
  }

  // What is said where a context begins.
  title(step) {
    const name = this.nameOf(this.thread[step]);
    const number = this.switchNumbers.get(step);
    return number ? `-- switch ${number}: ${this.nameOf(this.thread[step - 1])} -> ${name}` : `-- start: ${name}`;
  }

  // Thread 0, and the first one after it, begin without a switch.
  countSwitches() {
    this.switches = 0;
    this.switchNumbers = new Map();
    for (let i = 1; i < this.count; i++) {
      if (this.isSwitch(i) && this.thread[i - 1] !== 0) this.switchNumbers.set(i, ++this.switches);
    }
  }

  nameOf(thread) {
    const found = this.threads.find(({ id }) => id === thread);
    return found ? found.name : String(thread);
  }

  at(step) {
    return this.page.points[this.point[step]];
  }

  isCall(step) {
    return this.end[step] >= 0;
  }

  isFolded(step) {
    return (this.flags[step] & FLAGS.folded) !== 0;
  }

  // Pairs of a cell and its new value; cells of the frame come after the globals.
  changes(step) {
    const at = this.changed[step];
    return at < 0 ? [] : this.pairs(at);
  }

  pairs(at) {
    const pairs = [];
    for (let k = 0; k < this.codes[at]; k++) {
      pairs.push([this.codes[at + 1 + 2 * k], this.codes[at + 2 + 2 * k]]);
    }
    return pairs;
  }

  // The globals at a step, as a thread sees them that was last on top at another one.
  globalsSeen(step, at) {
    const values = this.globalsAt(step);
    if (this.thread[step] !== this.thread[at]) {
      const own = this.globalsAt(at);
      for (const cell of this.own) values[cell] = own[cell];
    }
    return values;
  }

  globalsAt(step) {
    const cells = this.globals.cells;
    const snapshot = Math.floor(step / this.stride);
    const values = this.globalSnapshots[snapshot].slice();
    for (let i = snapshot * this.stride + 1; i <= step; i++) {
      for (const [cell, value] of this.changes(i)) {
        if (cell < cells) values[cell] = value;
      }
    }
    return values;
  }

  localsAt(step) {
    const cells = this.globals.cells;
    const chain = [];
    let i = step;
    while (i >= 0 && !this.localSnapshots.has(i)) {
      chain.push(i);
      i = this.previous[i];
    }
    const known = this.localSnapshots.get(i);
    const values = known ? known.slice() : new Array(this.at(step).scope.cells).fill(0);
    for (const i of chain.reverse()) {
      for (const [cell, value] of this.changes(i)) {
        if (cell >= cells) values[cell - cells] = value;
      }
    }
    return values;
  }

  // The frames of the stack, the top one first: the step at which each was last on top, and how many
  // frames between it and the one above are not shown.
  // With threads, those of the running one come first, then those of the others that have run.
  *frames(step) {
    const others = this.threads.map(({ id }) => id).filter((id) => id !== this.thread[step]);
    const tops = [step, ...others.map((id) => this.latestOf(id, step)).filter((top) => top >= 0)];
    for (const top of tops) {
      let above = this.depth[top] + 1;
      for (let i = top; i >= 0; i = this.below[i]) {
        yield { step: i, hidden: above - this.depth[i] - 1, isTop: i === top };
        above = this.depth[i];
      }
    }
  }

  // How many frames there are at a step, those that are not shown counted.
  frameCount(step) {
    if (!this.threads.length) return this.depth[step] + 1;
    let count = 0;
    for (const { hidden } of this.frames(step)) count += hidden + 1;
    return count;
  }

  // What the frame of a step is and holds while it is on top.
  topAt(step) {
    return { scope: this.at(step).scope, locals: this.localsAt(step), symbol: null };
  }

  // What a frame is and holds while another is above it. Only in pushdown systems is that another symbol
  // than before the push.
  waitingAt(step) {
    const at = this.waiting[step];
    if (at < 0) return this.topAt(step);
    const [scope, symbol] = [this.page.scopes[this.codes[at]], this.page.strings[this.codes[at + 1]]];
    const locals = new Array(scope.cells).fill(0);
    for (const [cell, value] of this.pairs(at + 2)) locals[cell] = value;
    return { scope, locals, symbol };
  }

  // The cells of the values that matter at a step.
  relevantAt(step) {
    const set = this.relevant[step];
    if (set < 0) return new Set();
    const { scope } = this.at(step);
    const key = `${set} ${scope.number}`;
    if (!this.relevantCells.has(key)) {
      const names = new Set(this.page.relevant[set].map((name) => this.page.strings[name]));
      const cells = [
        ...cellsNamed(this.globals, names, 0),
        ...cellsNamed(scope, names, this.globals.cells),
      ];
      this.relevantCells.set(key, new Set(cells));
    }
    return this.relevantCells.get(key);
  }

  branchAt(step) {
    return this.branch[step] < 0 ? null : this.page.strings[this.branch[step]];
  }

  returnsAt(step) {
    return this.returns[step] < 0 ? null : this.page.strings[this.returns[step]];
  }

  choiceAt(step) {
    const at = this.choice[step];
    if (at < 0) return null;
    return this.codes.slice(at + 1, at + 1 + this.codes[at]).map((choice) => this.page.strings[choice]);
  }

  // The globals that differ from what they were when the thread that goes on here ran before.
  changedMeanwhile(step) {
    const before = this.left[step];
    if (before < 0) return [];
    const [now, then] = [this.globalsAt(step), this.globalsAt(before)];
    return [...now.keys()].filter((cell) => now[cell] !== then[cell]);
  }

  // The cells that differ from what this frame, and the globals, were before.
  changedCells(step) {
    const changed = new Set();
    if (step === 0) return changed;
    if (this.isSwitch(step)) return new Set(this.changedMeanwhile(step));
    const isNew = this.previous[step] < 0;
    for (const [cell] of this.changes(step)) {
      if (cell < this.globals.cells || !isNew) changed.add(cell);
    }
    return changed;
  }

  // The cells that a line of the trace shows: of those that matter, what is news.
  news(step) {
    const relevant = this.relevantAt(step);
    const cells = this.globals.cells;
    const before = this.previous[step];
    const last = this.isSwitch(step) ? this.left[step] : step - 1;
    const known = last >= 0 ? this.relevantAt(last) : new Set();
    const knownHere = before >= 0 ? this.relevantAt(before) : new Set();
    const changed = this.isSwitch(step)
      ? new Set(this.changedMeanwhile(step))
      : new Set(this.changes(step).map(([cell]) => cell));
    const isNews = (cell) => changed.has(cell) || !(cell < cells ? known : knownHere).has(cell);
    return new Set([...relevant].filter(isNews));
  }

  // The first step from one on, in a direction, that satisfies a condition; -1 for none.
  find(from, direction, condition) {
    for (let i = from + direction; i >= 0 && i < this.count; i += direction) {
      if (condition(i)) return i;
    }
    return -1;
  }
}

// Everything in the page: what all traces share, and the properties.
class Page {
  constructor(data) {
    this.input = data.input;
    this.version = data.version;
    this.isSystem = data.is_system;
    this.isSpelled = data.is_spelled;
    this.sources = [data.source, ...(data.more_sources || [])].map((source) => new Source(source));
    this.strings = data.strings;
    this.enumerations = data.enumerations;
    this.scopes = data.scopes.map((scope, number) => new Scope(scope, number));
    this.points = data.points.map((point) => new Point(this, point));
    this.relevant = data.relevant;
    this.results = data.results;
    this.traces = new Map();
  }

  // The trace of a property, decoded when it is first wanted; null for none.
  trace(index) {
    const { trace } = this.results[index];
    if (trace && !this.traces.has(index)) {
      this.traces.set(index, new Trace(this, trace));
    }
    return this.traces.get(index) || null;
  }
}
