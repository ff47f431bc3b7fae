// Values: cells put together to the variables that were declared.
//
// A shape is 0 (a number), ["enumeration", names], ["array", low, length, stride, element] or
// ["struct", [[name, offset, shape], …]].

// What would hide or turn what is written beside it is shown as a mark.
function harmless(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "\ufffd");
}

// Text that is too long for where it is shown.
function clipped(text, most = 300) {
  return harmless(text.length > most ? text.slice(0, most - 1) + "…" : text);
}

class Values {
  constructor(page, cells) {
    this.page = page;
    this.cells = cells;
  }

  scalar(shape, cell) {
    const value = this.cells[cell];
    if (shape === 0) return value;
    const name = this.page.enumerations[shape[1]][value];
    return name === undefined ? value : name;
  }

  // In C programs, what is not there has the empty name, which is the first.
  isAbsent(shape, first) {
    if (!this.page.isSpelled) return false;
    for (const [cell] of cellsOf(shape, first, "")) {
      if (this.cells[cell]) return false;
    }
    return true;
  }

  // A number that is spelled, or what is not known.
  unspelled(text) {
    if (!this.page.isSpelled || typeof text !== "string") return text;
    if (text === "?") return null;
    const number = Number(text);
    return /^-?\d+$/.test(text) && Number.isSafeInteger(number) ? number : text;
  }

  // The value as JSON has it.
  value(shape, first) {
    switch (shape === 0 ? 0 : shape[0]) {
      case "array": {
        const [, , length, stride, element] = shape;
        const places = Array.from({ length }, (_, k) => first + k * stride);
        return places.filter((at) => !this.isAbsent(element, at)).map((at) => this.value(element, at));
      }
      case "struct":
        return Object.fromEntries(
          shape[1]
            .filter(([, offset, field]) => !this.isAbsent(field, first + offset))
            .map(([name, offset, field]) => [name, this.value(field, first + offset)]),
        );
      default:
        return this.unspelled(this.scalar(shape, first));
    }
  }

  // The value as text, in parts: [text, cell or null]. Only so many parts are made.
  parts(shape, first, parts = [], most = 500) {
    if (parts.length > most) return parts;
    const list = (open, close, items) => {
      parts.push([open, null]);
      for (let k = 0; k < items.length && parts.length <= most; k++) {
        const [name, part, at] = items[k];
        parts.push([(k ? "," : "") + name, null]);
        this.parts(part, at, parts, most);
      }
      parts.push([parts.length > most ? "…" : close, null]);
    };
    switch (shape === 0 ? 0 : shape[0]) {
      case "array": {
        const [, , length, stride, element] = shape;
        const count = Math.min(length, most);
        const items = Array.from({ length: count }, (_, k) => ["", element, first + k * stride]);
        list("[", "]", items.filter(([, , at]) => !this.isAbsent(element, at)));
        break;
      }
      case "struct": {
        const fields = shape[1].map(([name, offset, field]) => [name + "=", field, first + offset]);
        list("{", "}", fields.filter(([, field, at]) => !this.isAbsent(field, at)));
        break;
      }
      default:
        parts.push([String(this.scalar(shape, first)), first]);
    }
    return parts;
  }

  text(shape, first) {
    return this.parts(shape, first).map(([text]) => text).join("");
  }
}

// The value of a variable for attributes: a scalar as it is, anything else as JSON.
function attributeOf(value) {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

// The cells of a variable, with their names: `a[3]`, `s.f`.
function* cellsOf(shape, first, name) {
  switch (shape === 0 ? 0 : shape[0]) {
    case "array": {
      const [, low, length, stride, element] = shape;
      for (let k = 0; k < length; k++) {
        yield* cellsOf(element, first + k * stride, `${name}[${low + k}]`);
      }
      break;
    }
    case "struct":
      for (const [field, offset, part] of shape[1]) {
        yield* cellsOf(part, first + offset, /^\d/.test(field) ? `${name}[${field}]` : `${name}.${field}`);
      }
      break;
    default:
      yield [first, name, shape];
  }
}

// The cells of a scope that are meant by names of variables and of single cells.
function* cellsNamed(scope, names, offset) {
  for (const { name, first, shape } of scope.variables) {
    if (names.size === 0 || (shape === 0 && !names.has(name))) continue;
    for (const [cell, own] of cellsOf(shape, first, name)) {
      if (names.has(name) || names.has(own)) yield offset + cell;
    }
  }
}

// What a line of the trace says of the values in a scope: variables whose cells are all news, and single
// cells. `offset` is where the scope's cells begin among those of a step.
function newsOf(values, scope, news, offset) {
  const parts = [];
  for (const { name, first, shape } of scope.variables) {
    if (values.isAbsent(shape, first)) continue;
    if (shape === 0 || shape[0] === "enumeration") {
      if (news.has(offset + first)) parts.push(`${name}=${values.scalar(shape, first)}`);
      continue;
    }
    const cells = [...cellsOf(shape, first, name)].filter(([cell, , part]) => !values.isAbsent(part, cell));
    const fresh = cells.filter(([cell]) => news.has(offset + cell));
    if (fresh.length === cells.length) {
      parts.push(`${name}=${values.text(shape, first)}`);
    } else {
      parts.push(...fresh.map(([cell, name, shape]) => `${name}=${values.scalar(shape, cell)}`));
    }
  }
  return parts;
}
