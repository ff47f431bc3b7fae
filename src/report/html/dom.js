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

// A button that a click with the mouse does not leave focused, so that the space bar goes on to play.
function button(attributes, label, action) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", (event) => {
    action(event);
    if (event.detail > 0) made.blur();
  });
  return made;
}

// A list of rows of one height, of which only those in view are elements.
class VirtualList {
  constructor(box, draw) {
    this.box = box;
    this.draw = draw;
    this.count = 0;
    this.inner = element("div", { class: "rows" });
    box.replaceChildren(this.inner);
    box.addEventListener("scroll", () => this.render(false), { passive: true });
    new ResizeObserver(() => this.render(false)).observe(box);
  }

  rowHeight() {
    if (!this.height) {
      const probe = element("div", { class: "row" }, "0");
      this.inner.append(probe);
      this.height = probe.offsetHeight || 20;
      probe.remove();
    }
    return this.height;
  }

  // Shows so many rows anew, one of them in view.
  update(count, visible) {
    const height = this.rowHeight();
    this.count = count;
    this.inner.style.height = `${count * height}px`;
    if (visible >= 0) {
      const top = visible * height;
      const { scrollTop, clientHeight } = this.box;
      if (top < scrollTop + height || top + 2 * height > scrollTop + clientHeight) {
        this.box.scrollTop = Math.max(0, top - (clientHeight - height) / 2);
      }
    }
    this.render(true);
  }

  render(anew) {
    const height = this.rowHeight();
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - 8);
    const last = Math.min(this.count, first + Math.ceil(this.box.clientHeight / height) + 16);
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
