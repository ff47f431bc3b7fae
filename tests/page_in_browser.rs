//! The HTML page of a report in Chromium: at every step it shows what the JSON report says, it
//! obeys its keys and its links, and it asks for nothing and complains of nothing.

#[path = "page/chromium.rs"]
mod chromium;
#[path = "page/hostile.rs"]
mod hostile;
mod support;

use chromium::{Chromium, browser};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::expectations::{examples, expectations};

/// What can be seen of the current step.
const LOOK: &str = "
  (() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const one = (selector, key) => document.querySelector(selector)?.dataset[key] ?? null;
    return {
      step: one('#steps [aria-current=step]', 'step'),
      line: one('#source [aria-current=step]', 'line'),
      stack: all('#stack [data-procedure]').map((e) => [e.dataset.procedure, Number(e.dataset.line)]),
      threads: all('#stack [data-thread]').map((e) => [Number(e.dataset.thread), e.querySelectorAll('[data-procedure]').length]),
      running: all('#threads [data-thread][data-now=\"1\"]').map((e) => Number(e.dataset.thread)),
      values: all('#variables [data-name]').map((e) => [e.dataset.name, e.dataset.value]),
      changed: all('#variables [data-changed]').map((e) => e.dataset.name),
      truth: all('#lanes [data-formula]').map((e) => [e.dataset.formula, e.dataset.now]),
      states: all('#automaton [data-state][data-current]').map((e) => Number(e.dataset.state)),
    };
  })()";

/// All steps from the first to the last, by the key that goes to the next.
fn walk(count: usize) -> String {
    format!(
        "(() => {{
          const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', {{key, bubbles: true}}));
          press('Home');
          const seen = [{LOOK}];
          for (let i = 1; i < {count}; i++) {{ press('ArrowRight'); seen.push({LOOK}); }}
          return seen;
        }})()"
    )
}

fn attribute(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// What should be seen at each step of a result, but for `changed`.
fn expected(result: &Value) -> Vec<Value> {
    let part = |name: &str| {
        result["trace"][name]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    let steps: Vec<Value> = [part("stem"), part("loop")].concat();
    // Of each thread that has run, or of the only one.
    let mut stacks: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    let mut seen = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let running = step["thread"].as_u64();
        let stack = stacks.entry(running.unwrap_or(0)).or_default();
        stack.truncate(step["depth"].as_u64().expect("a depth") as usize);
        stack.push(json!([step["procedure"], step["line"]]));
        let others = stacks.iter().filter(|(id, _)| **id != running.unwrap_or(0));
        let running_first = stacks.get_key_value(&running.unwrap_or(0));
        let shown: Vec<_> = running_first.into_iter().chain(others).collect();
        let stack = shown.iter().flat_map(|(_, stack)| stack.iter().rev());
        let stack: Vec<_> = stack.take(200).collect();
        let empty = Vec::new();
        let all = result["trace"]["threads"].as_array().unwrap_or(&empty);
        let ids = all
            .iter()
            .map(|thread| thread["id"].as_u64().expect("an id"));
        let idle = ids.filter(|id| !stacks.contains_key(id)).map(|id| (id, 0));
        let threads = shown.iter().map(|(id, stack)| (**id, stack.len()));
        let threads: Vec<_> = threads.chain(idle).filter(|_| running.is_some()).collect();
        let mut values: Vec<Value> = Vec::new();
        for scope in ["globals", "locals"] {
            let scope = step[scope].as_object().expect("values");
            values.extend(
                scope
                    .iter()
                    .map(|(name, value)| json!([name, attribute(value)])),
            );
        }
        let empty = Vec::new();
        let list = |value: &'_ Value| value.as_array().unwrap_or(&empty).clone();
        let subformulas = list(&result["formula"]["subformulas"]);
        let truth = list(&result["formula"]["truth"]);
        let truth = subformulas.iter().zip(&truth).map(|(text, row)| {
            let row = row.as_str().expect("a row");
            json!([text, &row[i..=i]])
        });
        let state = result["automaton"]["run"].get(i);
        let line = step["line"].as_u64().filter(|line| *line > 0);
        seen.push(json!({
            "step": (i + 1).to_string(),
            "line": line.map(|line| line.to_string()),
            "stack": stack,
            "threads": threads,
            "running": running.into_iter().collect::<Vec<_>>(),
            "values": values,
            "truth": truth.collect::<Vec<_>>(),
            "states": state.into_iter().collect::<Vec<_>>(),
        }));
    }
    seen
}

/// The variables of a step, by name: the page has them in the order of their declaration.
fn sort_values(seen: &mut Value) {
    let values = seen["values"].as_array_mut().expect("values");
    values.sort_by_key(|value| value.to_string());
}

struct Page {
    file: PathBuf,
    results: Vec<Value>,
    _folder: tempfile::TempDir,
}

fn page(program: &Path, options: &[String]) -> Page {
    let folder = tempfile::tempdir().expect("a folder for a page");
    let file = folder.path().join("page.html");
    let mut command = support::command();
    command.arg("check").arg(program).args(options);
    command.args(["--format", "json", "--html"]).arg(&file);
    let results = support::run_command(command).results();
    Page {
        file,
        results,
        _folder: folder,
    }
}

/// Walks through every trace of a page.
fn compare(chromium: &mut Chromium, page: &Page, what: &str) {
    chromium.open(&page.file, "");
    for (i, result) in page.results.iter().enumerate() {
        if result["trace"].is_null() {
            continue;
        }
        let number = i + 1;
        chromium.evaluate(&format!("location.hash = '#p={number}&s=1'"));
        let is_open = format!("#properties [data-property=\"{number}\"][aria-current]");
        chromium.wait_for(&format!("document.querySelector('{is_open}') !== null"));
        let expected = expected(result);
        let seen = chromium.evaluate(&walk(expected.len()));
        let seen = seen.as_array().expect("a list").iter().cloned();
        for (mut seen, mut expected) in seen.zip(expected) {
            seen.as_object_mut().expect("an object").remove("changed");
            sort_values(&mut seen);
            sort_values(&mut expected);
            assert_eq!(seen, expected, "{what}");
        }
    }
    assert!(
        chromium.complaints().is_empty(),
        "{what}: {:?}",
        chromium.complaints()
    );
}

#[test]
fn every_violated_example_is_shown_as_its_json_says() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    for path in examples() {
        let text = fs::read_to_string(&path).expect("it can be read");
        for expectation in expectations(&text) {
            if ["violated", "reachable"].contains(&expectation.verdict.as_str()) {
                let options = expectation.options;
                let page = page(&path, &options);
                compare(
                    &mut chromium,
                    &page,
                    &format!("{} {options:?}", path.display()),
                );
            }
        }
    }
}

/// Each thread has a row and a stack of its own, and a click shows a frame of another one.
#[test]
fn threads_are_shown_as_their_json_says() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let program = support::Written::new(support::THREADS);
    let page = page(&program.path(), &[]);
    compare(&mut chromium, &page, "threads");
    chromium.press("Home");
    let contexts =
        "[...document.querySelectorAll('#steps [data-context]')].map((e) => e.textContent)";
    let contexts = chromium.evaluate(contexts);
    assert_eq!(contexts[0], "-- start: init");
    assert_eq!(contexts.as_array().map(Vec::len), Some(4));
    // The stopper waits at its end.
    chromium.press("End");
    chromium
        .evaluate("document.querySelector('#stack [data-thread=\"2\"] [data-procedure]').click()");
    assert_eq!(chromium.evaluate(&format!("{LOOK}.line")), "19");
    let address = chromium.evaluate("location.hash");
    chromium.open(&page.file, address.as_str().expect("an address"));
    assert_eq!(chromium.evaluate(&format!("{LOOK}.line")), "19");
    assert!(chromium.complaints().is_empty());
}

#[test]
fn hostile_names_do_nothing_and_are_shown() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let folder = tempfile::tempdir().expect("a folder for programs");
    for (i, (program, options)) in hostile::programs().into_iter().enumerate() {
        let file = folder.path().join(format!("{i}.bp"));
        fs::write(&file, program).expect("it is written");
        let page = page(&file, &options);
        compare(&mut chromium, &page, &format!("hostile program {i}"));
        let extra = "document.querySelectorAll('img, b, #text *, [onclick]').length";
        assert_eq!(chromium.evaluate(extra), 0);
        chromium.resize(400, true);
        assert_eq!(
            chromium.evaluate("document.documentElement.scrollWidth"),
            400
        );
        chromium.resize(1200, false);
    }
}

#[test]
fn where_all_holds_there_is_the_source_alone() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lock.bp");
    let page = page(&program, &[]);
    chromium.open(&page.file, "#p=1&s=3");
    let verdicts = "[...document.querySelectorAll('#properties [data-verdict]')].map((e) => e.dataset.verdict)";
    assert_eq!(chromium.evaluate(verdicts), json!(["holds"]));
    assert_ne!(
        chromium.evaluate("document.querySelectorAll('#source [data-line]').length"),
        0
    );
    let hidden = "['steps', 'stack', 'timeline'].every((id) => document.getElementById(id).offsetHeight === 0)";
    assert_eq!(chromium.evaluate(hidden), true);
    for key in ["ArrowRight", "End", "c", "l", " "] {
        chromium.press(key);
    }
    assert!(
        chromium.complaints().is_empty(),
        "{:?}",
        chromium.complaints()
    );
}

/// The page of the example with a scheduler, on which keys are tried: 70 steps, the loop from
/// the 20th on.
fn scheduler() -> Page {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fair-scheduler.bp");
    let options = ["--ltl", "[](left -> <> right)", "--ltl", "[]<>left"].map(str::to_owned);
    page(&program, &options)
}

fn step(chromium: &mut Chromium) -> u64 {
    let step = chromium.evaluate(&format!("{LOOK}.step"));
    step.as_str()
        .and_then(|step| step.parse().ok())
        .expect("a step")
}

#[test]
fn keys_go_where_they_say() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let page = scheduler();
    chromium.open(&page.file, "");
    let part = |name: &str| {
        page.results[0]["trace"][name]
            .as_array()
            .expect("steps")
            .clone()
    };
    let (stem, steps) = (
        part("stem").len() as u64,
        [part("stem"), part("loop")].concat(),
    );
    let depth = |step: u64| steps[step as usize - 1]["depth"].as_u64();
    let last = steps.len() as u64;
    let from =
        |from: u64, condition: &dyn Fn(u64) -> bool| (from + 1..=last).find(|i| condition(*i));
    chromium.press("End");
    assert_eq!(step(&mut chromium), last);
    chromium.press("ArrowLeft");
    assert_eq!(step(&mut chromium), last - 1);
    chromium.press("Home");
    chromium.press("ArrowRight");
    assert_eq!(step(&mut chromium), 2);
    chromium.press("l");
    assert_eq!(step(&mut chromium), stem + 1);
    // Over the first call and back, and out of it.
    chromium.press("Home");
    let call = (1..last)
        .find(|i| depth(i + 1) > depth(*i))
        .expect("a call");
    while step(&mut chromium) < call {
        chromium.press("ArrowRight");
    }
    chromium.press("n");
    let after = from(call, &|i| depth(i) <= depth(call)).expect("it returns");
    assert_eq!(step(&mut chromium), after);
    chromium.press("p");
    assert_eq!(step(&mut chromium), call);
    chromium.press("ArrowRight");
    chromium.press("o");
    assert_eq!(step(&mut chromium), after);
    // Choices, one after the other.
    chromium.press("Home");
    let choices: Vec<_> = (2..=last)
        .filter(|i| !steps[*i as usize - 1]["choice"].is_null())
        .collect();
    for choice in &choices {
        chromium.press("c");
        assert_eq!(step(&mut chromium), *choice);
    }
    // The next change of a variable, when it is chosen.
    chromium.press("Home");
    chromium.evaluate("document.querySelector('#variables [data-name=c0] button').click()");
    chromium.press("v");
    let value = |step: u64| steps[step as usize - 1]["globals"]["c0"].clone();
    let change = from(1, &|i| value(i) != value(i - 1)).expect("it changes");
    assert_eq!(step(&mut chromium), change);
    let changed = chromium.evaluate(&format!("{LOOK}.changed"));
    assert!(changed.as_array().expect("a list").contains(&json!("c0")));
    // Search.
    chromium.press("Home");
    chromium.press("/");
    chromium.call("Input.insertText", json!({"text": "last := next"}));
    chromium.press("Enter");
    let found =
        from(1, &|i| steps[i as usize - 1]["text"] == "last := next;").expect("it is there");
    assert_eq!(step(&mut chromium), found);
    chromium.press("Escape");
    chromium.press("?");
    assert_eq!(
        chromium.evaluate("document.getElementById('help').open"),
        true
    );
    chromium.press("Escape");
    assert_eq!(
        chromium.evaluate("document.getElementById('help').open"),
        false
    );
    // Playing goes round the loop.
    chromium.press("End");
    chromium.press(" ");
    let round = format!("Number({LOOK}.step) > {stem} && Number({LOOK}.step) < {last}");
    chromium.wait_for(&round);
    chromium.press(" ");
    // Many keys in a short time change the address no more often than browsers like.
    chromium.evaluate(&walk(70));
    chromium.evaluate(&walk(70));
    chromium.evaluate(&walk(70));
    assert!(
        chromium.complaints().is_empty(),
        "{:?}",
        chromium.complaints()
    );
}

#[test]
fn links_lead_to_property_step_and_frame() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let page = scheduler();
    chromium.open(&page.file, "#p=2&s=5&f=2");
    assert_eq!(step(&mut chromium), 5);
    let open = "document.querySelector('#properties [aria-current]').dataset.property";
    assert_eq!(chromium.evaluate(open), "2");
    // The frame below is shown: its line, and its values.
    let seen = chromium.evaluate(LOOK);
    assert_eq!(seen["line"], seen["stack"][1][1].to_string());
    assert_eq!(
        seen["values"]
            .as_array()
            .and_then(|v| v.last())
            .map(|v| &v[0]),
        Some(&json!("next"))
    );
    let pressed = "document.querySelector('#stack [aria-pressed=true]').dataset.frame";
    assert_eq!(chromium.evaluate(pressed), "2");
    chromium.evaluate("document.querySelector('#stack [data-frame=\"1\"]').click()");
    chromium.wait_for("location.hash === '#p=2&s=5&f=1'");
    chromium.evaluate("location.hash = '#p=1&s=17'");
    chromium.wait_for(&format!("{LOOK}.step === '17'"));
    // Whatever else a link says leads to some step.
    chromium.evaluate("location.hash = '#p=99&s=1e9&f=-1&x'");
    chromium.evaluate("location.hash = '#s=100000'");
    chromium.wait_for(&format!("{LOOK}.step === '70'"));
    assert!(
        chromium.complaints().is_empty(),
        "{:?}",
        chromium.complaints()
    );
}

#[test]
fn the_picture_of_the_depth_is_a_slider() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let page = scheduler();
    chromium.resize(1200, false);
    chromium.open(&page.file, "");
    let slider = "document.getElementById('timeline')";
    assert_eq!(
        chromium.evaluate(&format!("{slider}.getAttribute('role')")),
        "slider"
    );
    assert_eq!(
        chromium.evaluate(&format!("{slider}.getAttribute('aria-valuemax')")),
        "70"
    );
    let rectangle = chromium.evaluate(&format!("{slider}.getBoundingClientRect().toJSON()"));
    let side = |name: &str| rectangle[name].as_f64().expect("a number");
    let x = |step: f64| side("left") + side("width") * (step - 0.5) / 70.0;
    let y = side("top") + 20.0;
    chromium.mouse("mousePressed", x(30.0), y);
    assert_eq!(step(&mut chromium), 30);
    chromium.mouse("mouseMoved", x(41.0), y);
    chromium.mouse("mouseReleased", x(41.0), y);
    assert_eq!(step(&mut chromium), 41);
    assert_eq!(
        chromium.evaluate(&format!("{slider}.getAttribute('aria-valuenow')")),
        "41"
    );
    // A live region has said so.
    let said = chromium.evaluate("document.getElementById('live').textContent");
    assert!(
        said.as_str().expect("a text").starts_with("Step 41 of 70"),
        "{said}"
    );
}

#[test]
fn calls_fold_and_long_lists_have_few_elements() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let program = support::derny(&["generate", "level", "300"]).stdout;
    let folder = tempfile::tempdir().expect("a folder for a program");
    let file = folder.path().join("level.bp");
    fs::write(&file, program).expect("it is written");
    let page = page(&file, &["--reach", "reach"].map(str::to_owned));
    chromium.resize(1200, false);
    chromium.open(&page.file, "");
    // All calls return, so all begin folded.
    let rows = "document.querySelectorAll('#steps [data-step]').length";
    assert_eq!(chromium.evaluate(rows), 4);
    let fold = "#steps [data-step=\"1\"] [aria-expanded]";
    let expanded = format!("document.querySelector('{fold}').getAttribute('aria-expanded')");
    assert_eq!(chromium.evaluate(&expanded), "false");
    chromium.evaluate(&format!("document.querySelector('{fold}').click()"));
    assert_eq!(chromium.evaluate(&expanded), "true");
    chromium.evaluate(&format!("document.querySelector('{fold}').click()"));
    assert_eq!(chromium.evaluate(rows), 4);
    // In the depth of the recursion frames are counted, not listed.
    let steps = page.results[0]["trace"]["stem"].as_array().expect("steps");
    let deepest = (0..steps.len()).max_by_key(|i| steps[*i]["depth"].as_u64());
    let deepest = deepest.expect("there are steps") + 1;
    chromium.evaluate(&format!("location.hash = '#s={deepest}'"));
    chromium.wait_for(&format!("{LOOK}.step === '{deepest}'"));
    let frames = "document.querySelectorAll('#stack [data-procedure]').length";
    assert_eq!(chromium.evaluate(frames), 200);
    let more = "document.querySelector('#stack .more').textContent";
    assert_eq!(chromium.evaluate(more), format!("… {} more", 301 - 200));
    chromium.evaluate("document.getElementById('unfold-all').click()");
    let elements = chromium.evaluate("document.querySelectorAll('*').length");
    assert!(elements.as_u64().expect("a number") <= 5000, "{elements}");
    assert!(
        chromium.complaints().is_empty(),
        "{:?}",
        chromium.complaints()
    );
}

#[test]
fn no_width_needs_scrolling_sideways_and_text_has_contrast() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let page = scheduler();
    for (width, is_dark) in [(400, false), (400, true), (900, true), (1600, false)] {
        chromium.resize(width, is_dark);
        chromium.open(&page.file, "#s=17");
        let wide = chromium.evaluate("document.documentElement.scrollWidth");
        assert_eq!(wide, width);
        let low = chromium.evaluate(LOW_CONTRAST);
        assert_eq!(low, json!([]), "{width} {is_dark}");
    }
}

#[test]
fn the_text_is_printed_and_is_there_without_scripts() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let page = scheduler();
    chromium.open(&page.file, "");
    let shown = "['text', 'application'].map((id) => document.getElementById(id).offsetHeight > 0)";
    assert_eq!(chromium.evaluate(shown), json!([false, true]));
    chromium.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    assert_eq!(chromium.evaluate(shown), json!([true, false]));
    chromium.call("Emulation.setEmulatedMedia", json!({"media": ""}));
    chromium.call(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    );
    chromium.call("Page.reload", json!({}));
    chromium
        .wait_for("document.readyState === 'complete' && !document.documentElement.dataset.ready");
    assert_eq!(chromium.evaluate(shown), json!([true, false]));
}

#[test]
fn a_large_automaton_is_a_table() {
    let Some(browser) = browser() else { return };
    let mut chromium = Chromium::start(&browser);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fair-scheduler.bp");
    let nexts = "X ".repeat(40);
    let options = ["--ltl".to_owned(), format!("{nexts} left")];
    let page = page(&program, &options);
    compare(&mut chromium, &page, "a large automaton");
    let rows = "document.querySelectorAll('#automaton table [data-state]').length";
    assert!(chromium.evaluate(rows).as_u64().expect("a number") > 30);
}

/// Elements whose own text has less than the contrast that is asked for.
const LOW_CONTRAST: &str = "
  (() => {
    const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const parse = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const low = [];
    for (const element of document.body.querySelectorAll('*')) {
      const hasText = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
      if (!hasText || element.closest('svg, script, dialog, #text')) continue;
      let behind = element;
      while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
      const back = light(parse(getComputedStyle(behind ?? document.documentElement).backgroundColor));
      const front = light(parse(getComputedStyle(element).color));
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      if (contrast < 4.5) low.push([element.className, element.textContent.slice(0, 40), contrast]);
    }
    return low;
  })()";
