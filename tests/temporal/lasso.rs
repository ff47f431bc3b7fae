//! A checker of the shape of JSON lassos, written from the description of the format alone.

use crate::support::outline::Outline;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a lasso may not be: the first thing that is wrong with it.
pub fn wrong(program: &str, trace: &Value) -> Option<String> {
    let lists = (trace["stem"].as_array(), trace["loop"].as_array());
    let (Some(stem), Some(around)) = lists else {
        return Some("stem and loop are no lists".into());
    };
    if stem.is_empty() || around.is_empty() {
        return Some("stem or loop is empty".into());
    }
    let outline = Outline::new(program);
    let steps: Vec<&Value> = stem.iter().chain(around).collect();
    for step in &steps {
        if let Some(what) = wrong_step(&outline, step) {
            return Some(format!("{what}: {step}"));
        }
    }
    let first = steps[0];
    let main = outline.of("main");
    if first["procedure"] != "main" || first["depth"] != 0 || place(first) != main.first {
        return Some(format!("it does not begin at the start: {first}"));
    }
    for pair in steps.windows(2) {
        if let Some(what) = wrong_pair(&outline, pair[0], pair[1]) {
            return Some(format!("{what}:\n{}\n{}", pair[0], pair[1]));
        }
    }
    wrong_loop(&stem[stem.len() - 1], around)
}

/// The loop leads back to where it began, at the same or a greater depth, and nowhere less
/// deep.
fn wrong_loop(begin: &Value, around: &[Value]) -> Option<String> {
    let end = &around[around.len() - 1];
    for key in ["procedure", "point", "line", "column", "globals", "locals"] {
        if begin[key] != end[key] {
            return Some(format!("{key} differs at the loop's ends:\n{begin}\n{end}"));
        }
    }
    if begin["returns"] != end["returns"] {
        return Some("the values returned differ at the loop's ends".into());
    }
    let shallow = |step: &&Value| depth(step) < depth(begin);
    let shallow = around.iter().find(shallow)?;
    Some(format!("less deep than the loop's begin: {shallow}"))
}

fn wrong_step(outline: &Outline, step: &Value) -> Option<&'static str> {
    let keys = [
        "procedure",
        "point",
        "line",
        "column",
        "labels",
        "text",
        "depth",
        "globals",
        "locals",
    ];
    if keys.iter().any(|key| step.get(key).is_none()) {
        return Some("a key is missing");
    }
    if names(&step["globals"])? != outline.globals {
        return Some("not every global has a value");
    }
    let locals = names(&step["locals"])?;
    match step["point"].as_str() {
        Some("error" | "terminated") => {
            let bare = step["procedure"] == ""
                && step["line"] == 0
                && step["column"] == 0
                && step["depth"] == 0
                && locals.is_empty();
            (!bare).then_some("there is more than the end")
        }
        Some(point @ ("statement" | "exit")) => {
            let procedure = outline.of(step["procedure"].as_str()?);
            if locals != procedure.variables {
                return Some("not every local has a value");
            }
            let closing = point == "exit" && place(step) != procedure.closing;
            closing.then_some("an exit is not at the closing token")
        }
        _ => Some("no such point"),
    }
}

fn wrong_pair(outline: &Outline, before: &Value, after: &Value) -> Option<&'static str> {
    let point = |step: &Value| step["point"].as_str().unwrap_or("").to_owned();
    let stays = |what: &str| point(before) == what;
    let (text, folded) = (before["text"].as_str()?, before["folded"] == true);
    let same_globals = before["globals"] == after["globals"];
    match point(after).as_str() {
        "error" => {
            let fails = stays("error") || (stays("statement") && text.starts_with("assert"));
            return (!fails || !same_globals).then_some("this does not lead to error");
        }
        "terminated" => {
            let returns = stays("exit") && depth(before) == 0;
            let ends = returns || stays("terminated") || text == "end_thread;";
            return (!ends || !same_globals).then_some("this does not lead to the end");
        }
        _ if stays("error") || stays("terminated") => return Some("the end is left"),
        _ => {}
    }
    let (was, is) = (depth(before), depth(after));
    if is == was + 1 {
        let callee = outline.of(after["procedure"].as_str()?);
        let entered = stays("statement") && place(after) == callee.first && same_globals;
        (!entered || folded).then_some("this is no call")
    } else if is + 1 == was {
        (!stays("exit")).then_some("only an exit leads out of a frame")
    } else {
        let inside = is == was && stays("statement") && before["procedure"] == after["procedure"];
        (!inside).then_some("this is no step inside a frame")
    }
}

fn names(values: &Value) -> Option<BTreeSet<String>> {
    let values = values.as_object()?;
    let boolean = |value: &Value| *value == 0 || *value == 1;
    values
        .values()
        .all(boolean)
        .then(|| values.keys().cloned().collect())
}

fn depth(step: &Value) -> u64 {
    step["depth"].as_u64().unwrap_or(u64::MAX - 1)
}

fn place(step: &Value) -> (u64, u64) {
    let number = |key: &str| step[key].as_u64().unwrap_or(0);
    (number("line"), number("column"))
}
