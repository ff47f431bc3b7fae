//! Reads the data of a page, from the description of the format alone, and makes of it the steps
//! that the JSON report has.

use serde_json::{Map, Value, json};
use std::collections::HashMap;

const KINDS: [&str; 4] = ["statement", "exit", "error", "terminated"];

/// The data that are embedded in a page.
pub fn embedded(page: &str) -> Value {
    let begin = r#"<script type="application/json" id="data">"#;
    let (_, rest) = page.split_once(begin).expect("the page has data");
    let (data, _) = rest.split_once("</script>").expect("and these end");
    serde_json::from_str(data).expect("they are JSON")
}

/// The steps of the trace of a result, as far as these are in the JSON report.
pub fn steps(data: &Value, result: usize) -> Vec<Value> {
    let trace = &data["results"][result]["trace"];
    let count = number(&trace["count"]) as usize;
    let codes = trace["steps"].as_array().expect("steps").iter();
    let mut reader = Reader {
        data,
        codes: codes.map(number).collect(),
        at: 0,
    };
    let globals = number(&trace["globals"]) as usize;
    let has_threads = trace.get("threads").is_some();
    // Of each thread: how deep a frame is, and its values.
    let mut stacks: HashMap<i128, Vec<(i128, Vec<i128>)>> = HashMap::new();
    let mut thread = 0;
    let mut values = vec![0; reader.cells(globals)];
    let (mut depth, mut relevant) = (0, Vec::new());
    let mut steps = Vec::new();
    for _ in 0..count {
        let point = &data["points"][reader.next() as usize];
        let scope = number(&point[0]) as usize;
        let flags = reader.next();
        let has = |bit: u32| flags >> bit & 1 == 1;
        let mut step = reader.place(point);
        if has(9) {
            thread = reader.next();
        }
        let frames = stacks.entry(thread).or_default();
        depth += if has(0) { reader.next() } else { 0 };
        // A failure is no frame.
        let is_error = step["point"] == "error";
        if !is_error {
            frames.retain(|frame| frame.0 <= depth);
            if frames.last().is_none_or(|top| top.0 < depth) {
                frames.push((depth, Vec::new()));
            } else if has(1) {
                frames.last_mut().expect("one is there").1.clear();
            }
            let cells = reader.cells(scope);
            frames.last_mut().expect("one is there").1.resize(cells, 0);
        }
        let pairs = if has(2) { reader.next() } else { 0 };
        for _ in 0..pairs {
            let (cell, value) = (reader.next() as usize, reader.next());
            match cell.checked_sub(values.len()) {
                None => values[cell] = value,
                Some(cell) => frames.last_mut().expect("one is there").1[cell] = value,
            }
        }
        if has(3) {
            let names = data["relevant"][reader.next() as usize].as_array();
            let names = names.expect("a list").iter().map(number);
            relevant = names.map(|name| reader.string(name)).collect();
        }
        let branch = has(4).then(|| reader.next());
        let chosen: Vec<_> = match has(5) {
            true => (0..reader.next()).map(|_| reader.next()).collect(),
            false => Vec::new(),
        };
        let returns = has(6).then(|| reader.next());
        if has(8) {
            reader.at += 2;
            let pairs = reader.next();
            reader.at += 2 * pairs as usize;
        }
        step["depth"] = json!(depth as u64);
        if has_threads {
            step["thread"] = json!(thread as u64);
        }
        step["globals"] = reader.variables(globals, &values);
        let locals = frames.last().filter(|_| !is_error);
        step["locals"] = reader.variables(scope, locals.map_or(&[], |frame| &frame.1));
        step["relevant"] = json!(relevant);
        if let Some(branch) = branch {
            step["branch"] = json!(reader.string(branch));
        }
        if !chosen.is_empty() {
            let chosen: Vec<_> = chosen.into_iter().map(|it| reader.string(it)).collect();
            step["choice"] = json!(chosen);
        }
        if let Some(returns) = returns {
            step["returns"] = json!(reader.string(returns));
        }
        if has(10) {
            step["exclusive"] = json!(true);
        }
        if has(7) {
            step["folded"] = json!(true);
        }
        steps.push(step);
    }
    assert_eq!(reader.at, reader.codes.len(), "nothing is left");
    steps
}

/// Numbers that scripts do not have exactly are strings.
fn number(value: &Value) -> i128 {
    match value {
        Value::String(text) => text.parse().expect("a number"),
        value => value.as_i64().expect("a number").into(),
    }
}

struct Reader<'d> {
    data: &'d Value,
    codes: Vec<i128>,
    at: usize,
}

impl<'d> Reader<'d> {
    fn next(&mut self) -> i128 {
        self.at += 1;
        self.codes[self.at - 1]
    }

    fn string(&self, number: i128) -> &'d str {
        let string = &self.data["strings"][number as usize];
        string.as_str().expect("a string")
    }

    fn cells(&self, scope: usize) -> usize {
        number(&self.data["scopes"][scope][1]) as usize
    }

    fn place(&self, point: &Value) -> Value {
        let field = |i: usize| point.get(i).map_or(0, number);
        let labels = point.get(7).and_then(Value::as_array);
        let labels: Vec<_> = labels
            .into_iter()
            .flatten()
            .map(|l| self.string(number(l)))
            .collect();
        let range = [field(2), field(3), field(2) + field(4), field(5)].map(|n| n as usize);
        let text = match point.get(8) {
            Some(text) => self.string(number(text)).to_owned(),
            None => self.written(range),
        };
        json!({
            "procedure": self.string(field(1)), "point": KINDS[field(6) as usize],
            "line": range[0], "column": range[1], "end_line": range[2], "end_column": range[3],
            "labels": labels, "text": text,
        })
    }

    /// What stands in the source in a range, the end included.
    fn written(&self, [line, column, end_line, end_column]: [usize; 4]) -> String {
        let source = self.data["source"]["text"].as_str().expect("a source");
        let lines = source.split('\n').enumerate().skip(line - 1);
        let lines = lines.take(end_line + 1 - line).map(|(i, text)| {
            let end = if i + 1 == end_line {
                end_column
            } else {
                usize::MAX
            };
            let begin = if i + 1 == line { column - 1 } else { 0 };
            text.chars().take(end).skip(begin).collect::<String>()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn variables(&self, scope: usize, cells: &[i128]) -> Value {
        let variables = self.data["scopes"][scope][2].as_array().expect("variables");
        let entries = variables.iter().map(|variable| {
            let name = variable[0].as_str().expect("a name").to_owned();
            (
                name,
                self.value(&variable[2], number(&variable[1]) as usize, cells),
            )
        });
        Value::Object(entries.collect::<Map<_, _>>())
    }

    fn value(&self, shape: &Value, first: usize, cells: &[i128]) -> Value {
        match shape[0].as_str() {
            Some("array") => {
                let stride = number(&shape[3]) as usize;
                let entries = 0..number(&shape[2]) as usize;
                entries
                    .map(|k| self.value(&shape[4], first + k * stride, cells))
                    .collect()
            }
            Some("struct") => {
                let fields = shape[1].as_array().expect("fields").iter().map(|field| {
                    let name = field[0].as_str().expect("a name").to_owned();
                    (
                        name,
                        self.value(&field[2], first + number(&field[1]) as usize, cells),
                    )
                });
                Value::Object(fields.collect::<Map<_, _>>())
            }
            Some(_) => {
                let names = &self.data["enumerations"][number(&shape[1]) as usize];
                names[cells[first] as usize].clone()
            }
            None => json!(cells[first] as u64),
        }
    }
}
