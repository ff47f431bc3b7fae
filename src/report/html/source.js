// The program, with the statement of the chosen frame marked.

// Of a line with a hundred thousand characters only those near the statement are shown.
const LONGEST_LINE = 2000;
const WORDS = {
  keyword: /^(?:decl|void|bool|int|begin|end|if|then|else|elsif|fi|while|do|od|goto|return|assert|assume|skip|call|enforce|constrain|abortif|schoose|module|init|break|define|enum|struct|dead|print|for|switch|case|default|continue|char|short|long|unsigned|signed|static|extern|const|typedef|union|sizeof|A|E|config|var|thread|thread_local|start_thread|end_thread|atomic|atomic_begin|atomic_end)$/,
};

class SourceView {
  constructor(box, page, visit) {
    this.box = box;
    this.page = page;
    this.range = null;
    this.source = page.sources[0];
    this.points = [];
    this.visited = new Set();
    this.list = new VirtualList(box, (index) => this.row(index + 1));
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-line]");
      if (row && !String(document.getSelection())) visit(Number(row.dataset.line));
    });
    const digits = String(Math.max(...page.sources.map((source) => source.lines.length))).length;
    box.style.setProperty("--digits", `${digits}ch`);
  }

  open(trace) {
    this.points = [...new Set(trace ? trace.point : [])].map((point) => this.page.points[point]);
    this.turn(this.page.sources[0]);
    this.update(null);
  }

  // Shows a file.
  turn(source) {
    this.source = source;
    this.visited = new Set(this.points.filter((point) => point.source === source).map((point) => point.line));
    const title = this.page.sources.length > 1 ? `Source: ${clipped(source.name, 80)}` : "Source";
    byId("source-panel").querySelector("h2").textContent = title;
  }

  // Marks what a point covers: where the execution is, or where it was before it ended.
  update(point, isPast = false) {
    this.range = point && point.line > 0 ? point : null;
    this.isPast = isPast;
    if (this.range && this.range.source !== this.source) this.turn(this.range.source);
    this.list.update(this.source.lines.length, this.range ? this.range.line - 1 : -1);
  }

  row(number) {
    const { range } = this;
    const isMarked = range !== null && number === range.line;
    const isCurrent = isMarked && !this.isPast;
    const classes = ["code", this.visited.has(number) ? "visited" : "", isMarked && this.isPast ? "past" : ""];
    const row = element("div", {
      class: classes.join(" "),
      "data-line": number,
      "aria-current": isCurrent ? "step" : null,
    });
    row.append(element("span", { class: "number" }, isCurrent ? `▸${number}` : String(number)));
    const text = element("span", { class: "text" });
    if (range !== null && number >= range.line && number <= range.endLine) {
      const [before, inside, after] = this.source.divide(number, range);
      text.append(...this.words(before.slice(-LONGEST_LINE)));
      text.append(element("mark", {}, ...this.words(inside.slice(0, LONGEST_LINE))));
      text.append(...this.words(after.slice(0, LONGEST_LINE)));
    } else {
      text.append(...this.words(this.source.line(number).slice(0, LONGEST_LINE)));
    }
    row.append(text);
    return row;
  }

  // Text with comments, keywords and numbers told apart; adjacent plain text is one node.
  words(text) {
    const made = [];
    let plain = "";
    const close = () => {
      if (plain) made.push(plain);
      plain = "";
    };
    for (const [word] of harmless(text).matchAll(/\/\/.*|#.*|[A-Za-z_]\w*|[^A-Za-z_/#]+|./gs)) {
      const isComment = word.startsWith("//") || word.startsWith("#");
      if (isComment || (WORDS.keyword.test(word) && made.length < 100)) {
        close();
        made.push(element("span", { class: isComment ? "comment" : "keyword" }, word));
      } else {
        plain += word;
      }
    }
    close();
    return made;
  }
}
