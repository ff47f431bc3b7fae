// Elements, and lists that hold only the rows in view.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);

// A sentence in which what stands between two backquotes is code.
function prose(sentence) {
  const parts = sentence.split("`");
  if (parts.length % 2 === 0) return [sentence];
  return parts.map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

// A button that a click with the mouse does not leave focused, so that the space bar goes on to play.
function button(attributes, label, action) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", (event) => {
    action(event);
    if (event.detail > 0) made.blur();
  });
  return made;
}

// A list of rows of one height, of which only those in view are elements. Where it is scrolled to and how
// high it is are kept, since asking for them makes the browser lay out the whole page.
class VirtualList {
  constructor(box, draw) {
    this.box = box;
    this.draw = draw;
    this.count = 0;
    this.top = 0;
    this.view = 0;
    this.inner = element("div", { class: "rows" });
    box.replaceChildren(this.inner);
    const scrolled = () => {
      this.top = box.scrollTop;
      this.render(false);
    };
    const resized = () => {
      this.view = box.clientHeight;
      this.render(false);
    };
    box.addEventListener("scroll", scrolled, { passive: true });
    new ResizeObserver(resized).observe(box);
  }

  rowHeight() {
    if (!this.height) {
      const probe = element("div", { class: "row" }, "0");
      this.inner.append(probe);
      this.height = probe.offsetHeight;
      probe.remove();
    }
    return this.height || 20;
  }

  // Shows so many rows anew, one of them in view.
  update(count, visible) {
    const height = this.rowHeight();
    if (count !== this.count) {
      this.count = count;
      this.inner.style.height = `${count * height}px`;
      this.view = this.box.clientHeight;
    }
    this.view = this.view || this.box.clientHeight;
    const place = visible * height;
    const isSeen = place >= this.top + height && place + 2 * height <= this.top + this.view;
    let top = visible < 0 || isSeen ? this.top : place - (this.view - height) / 2;
    top = Math.max(0, Math.min(top, count * height - this.view));
    if (top !== this.top) {
      this.box.scrollTop = top;
      this.top = top;
    }
    this.render(true);
  }

  render(anew) {
    const height = this.rowHeight();
    const first = Math.max(0, Math.floor(this.top / height) - 8);
    const last = Math.min(this.count, first + Math.ceil(this.view / height) + 16);
    if (!anew && first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    const rows = [];
    for (let i = first; i < last; i++) {
      const row = this.draw(i);
      row.classList.add("row");
      row.style.top = `${i * height}px`;
      rows.push(row);
    }
    this.inner.replaceChildren(...rows);
  }
}
