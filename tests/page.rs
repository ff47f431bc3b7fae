//! The HTML page of a report, without a browser: what it is made of, that its data are those of
//! the JSON report, and when it is written. With Chromium: `page_in_browser`.

#[path = "page/decode.rs"]
mod decode;
#[path = "page/hostile.rs"]
mod hostile;
mod support;

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use support::expectations::{examples, expectations};

/// A report as JSON, and its page.
struct Reported {
    results: Vec<Value>,
    page: String,
    code: i32,
    _folder: tempfile::TempDir,
}

fn report(file: &Path, options: &[String]) -> Reported {
    let folder = tempfile::tempdir().expect("a folder for a page");
    let page = folder.path().join("page.html");
    let mut command = support::command();
    command.arg("check").arg(file).args(options);
    command.args(["--format", "json", "--html"]).arg(&page);
    let run = support::run_command(command);
    Reported {
        results: run.results(),
        page: fs::read_to_string(&page).expect("a page"),
        code: run.code,
        _folder: folder,
    }
}

/// Examples that are violated, with the options that tell.
fn violated() -> Vec<(PathBuf, Vec<String>)> {
    let mut list = Vec::new();
    for path in examples() {
        let text = fs::read_to_string(&path).expect("it can be read");
        for expectation in expectations(&text) {
            if ["violated", "reachable"].contains(&expectation.verdict.as_str()) {
                list.push((path.clone(), expectation.options));
            }
        }
    }
    list
}

/// The steps of a result as the page has them.
fn expected_steps(result: &Value) -> Vec<Value> {
    let part = |name: &str| {
        result["trace"][name]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    let mut steps = part("stem");
    steps.extend(part("loop"));
    for step in &mut steps {
        let object = step.as_object_mut().expect("an object");
        // On the page the text of a failure is its reason.
        object.remove("reason");
        if object["point"] == "error" {
            object.remove("text");
        }
        if let Some(returns) = object.get("returns") {
            let values = returns.as_array().expect("a list").iter();
            let values: Vec<_> = values
                .map(|v| v.as_str().map_or(v.to_string(), str::to_owned))
                .collect();
            match values.is_empty() {
                true => object.remove("returns"),
                false => object.insert("returns".into(), json!(values.join(", "))),
            };
        }
    }
    steps
}

fn compare(reported: &Reported, what: &str) {
    let data = decode::embedded(&reported.page);
    for (i, result) in reported.results.iter().enumerate() {
        let shown = &data["results"][i];
        assert_eq!(shown["text"], result["property"]["text"], "{what}");
        assert_eq!(shown["verdict"], result["verdict"], "{what}");
        if result["trace"].is_null() {
            continue;
        }
        let mut steps = decode::steps(&data, i);
        for step in &mut steps {
            if step["point"] == "error" {
                step.as_object_mut().expect("an object").remove("text");
            }
        }
        let expected = expected_steps(result);
        assert_eq!(steps.len(), expected.len(), "{what}");
        for (k, (step, expected)) in steps.iter().zip(&expected).enumerate() {
            assert_eq!(step, expected, "{what}, step {}", k + 1);
        }
        let trace = &shown["trace"];
        let stem = result["trace"]["stem"].as_array().map(Vec::len);
        assert_eq!(trace["stem"].as_u64().map(|n| n as usize), stem, "{what}");
        for key in ["formula", "automaton"] {
            let expected = result.get(key).unwrap_or(&Value::Null);
            assert_eq!(&trace[key], expected, "{what}");
        }
        let cause = trace["cause"].as_array().cloned().unwrap_or_default();
        let named = |pair: Value| {
            let row = pair[1].as_u64().expect("a row") as usize;
            json!([pair[0], trace["formula"]["subformulas"][row]])
        };
        let cause: Vec<_> = cause.into_iter().map(named).collect();
        let expected = result["cause"].as_array().cloned().unwrap_or_default();
        assert_eq!(cause, expected, "{what}");
    }
}

#[test]
fn the_data_of_every_violated_example_are_those_of_its_json() {
    for (path, options) in violated() {
        let reported = report(&path, &options);
        assert_eq!(reported.code, 1);
        compare(&reported, &format!("{} {options:?}", path.display()));
    }
}

#[test]
fn the_data_of_threads_are_those_of_their_json() {
    let program = support::Written::new(support::THREADS);
    let reported = report(&program.path(), &[]);
    assert_eq!(reported.code, 1);
    compare(&reported, "threads");
    let threads = decode::embedded(&reported.page)["results"][0]["trace"]["threads"].clone();
    let expected = json!([[0, "init"], [1, "adder"], [2, "stopper"], [3, "adder#2"]]);
    assert_eq!(threads, expected);
}

#[test]
fn a_translated_system_has_a_page_of_rules() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fair-scheduler.bp");
    let system = support::derny(&["translate", &program.to_string_lossy()]).stdout;
    let folder = tempfile::tempdir().expect("a folder for a system");
    let file = folder.path().join("scheduler.pds");
    fs::write(&file, system).expect("it is written");
    let options = ["--ltl", "[]<>left", "--terminates"].map(str::to_owned);
    let reported = report(&file, &options);
    assert_eq!(reported.code, 1);
    compare(&reported, "a pushdown system");
    assert_eq!(decode::embedded(&reported.page)["is_system"], true);
}

/// Elements that have no end.
const VOID: [&str; 2] = ["meta", "input"];

/// Checks that elements are nested and names are well-formed, and returns the texts between
/// tags. Scripts and styles are one text each.
fn texts(page: &str) -> Vec<String> {
    let mut rest = page
        .strip_prefix("<!DOCTYPE html>")
        .expect("a document type");
    let (mut open, mut texts): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some(begin) = rest.find('<') {
        texts.push(rest[..begin].to_owned());
        let end = begin + rest[begin..].find('>').expect("a tag ends");
        let tag = &rest[begin + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        let name = tag.split_whitespace().next().expect("a name");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "<{tag}>");
        let is_handler = |word: &str| word.starts_with("on") && word.contains('=');
        let foreign = ["src=", "href=", "style=", "action="];
        for word in tag.split_whitespace().skip(1) {
            assert!(!is_handler(word), "<{tag}>");
            assert!(foreign.iter().all(|it| !word.starts_with(it)), "<{tag}>");
        }
        if VOID.contains(&name) {
            continue;
        }
        open.push(name);
        if ["script", "style"].contains(&name) {
            let end = rest.find(&format!("</{name}")).expect("it ends");
            texts.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
    }
    assert!(open.is_empty(), "{open:?}");
    texts
}

#[test]
fn a_page_is_well_formed_and_loads_nothing() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fair-scheduler.bp");
    let options = ["--ltl", "[](left -> <> right)", "--terminates"].map(str::to_owned);
    let reported = report(&example, &options);
    let page = &reported.page;
    let texts = texts(page);
    let policy = r#"content="default-src 'none'; script-src 'nonce-"#;
    assert!(page.contains(policy));
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("<script nonce=").count(), 1);
    assert!(!page.contains("https:") && !page.contains("import("));
    let printed = texts.iter().find(|text| text.starts_with("violated "));
    let plain = support::check(&example, &options.each_ref().map(String::as_str)).stdout;
    let printed = printed
        .expect("the text of the report")
        .replace("&gt;", ">");
    let printed = printed.replace("&lt;", "<").replace("&amp;", "&");
    assert_eq!(printed.trim(), plain.trim());
}

#[test]
fn hostile_names_stay_text() {
    let folder = tempfile::tempdir().expect("a folder for programs");
    for (i, (program, options)) in hostile::programs().into_iter().enumerate() {
        let file = folder.path().join(format!("{i}</script><b>&quot;.bp"));
        fs::create_dir_all(file.parent().expect("a folder")).expect("it is made");
        fs::write(&file, &program).expect("it is written");
        let reported = report(&file, &options);
        assert_eq!(reported.code, 1, "{program}");
        texts(&reported.page);
        assert_eq!(reported.page.matches("<script").count(), 2);
        assert!(!reported.page.contains("<img"));
        assert!(!reported.page.contains(['\u{2028}', '\u{2029}']));
        compare(&reported, &format!("hostile program {i}"));
    }
}

#[test]
fn a_step_of_level_n_takes_at_most_64_bytes() {
    let program = support::derny(&["generate", "level", "800"]).stdout;
    let folder = tempfile::tempdir().expect("a folder for a program");
    let file = folder.path().join("level.bp");
    fs::write(&file, &program).expect("it is written");
    let reported = report(&file, &["--reach", "reach"].map(str::to_owned));
    let steps = decode::embedded(&reported.page)["results"][0]["trace"]["count"].as_u64();
    let bytes = (reported.page.len() - program.len()) as u64;
    let steps = steps.expect("a number");
    assert!(bytes <= 64 * steps, "{bytes} bytes for {steps} steps");
    // What is there without scripts has an end.
    assert!(reported.page.contains("more lines</pre>"));
}

#[test]
fn what_is_repeated_is_one_block_with_its_number() {
    let text = "module void main() { int x(16); x = 0; \
        do :: x < 60000 -> x = x + 1; :: else -> break; od; L: skip; } init main;";
    let folder = tempfile::tempdir().expect("a folder for a program");
    let file = folder.path().join("counting.rem");
    fs::write(&file, text).expect("it is written");
    let options = ["--reach", "L", "--trace-limit", "100"].map(str::to_owned);
    let reported = report(&file, &options);
    let result = &reported.results[0];
    assert!(result["trace"].is_null());
    let stem = result["trace_folded"]["stem"].as_array().expect("a list");
    let rounds = stem.iter().find_map(|item| item.get("repeated"));
    let data = decode::embedded(&reported.page);
    let trace = &data["results"][0]["trace"];
    assert_eq!(
        trace["blocks"][0][2],
        json!(rounds.expect("rounds").to_string())
    );
    let from = trace["blocks"][0][0].as_u64().expect("a step") as usize;
    let steps = decode::steps(&data, 0);
    let repeated = stem.iter().find(|item| item.get("repeated").is_some());
    let inside = repeated
        .and_then(|item| item["steps"].as_array())
        .expect("a list");
    for (shown, step) in steps[from..].iter().zip(inside) {
        assert_eq!(
            [&shown["text"], &shown["locals"]],
            [&step["text"], &step["locals"]]
        );
    }
    let remark = data["results"][0]["remark"].as_str().expect("a remark");
    assert!(remark.contains("what is repeated is folded"), "{remark}");
}

#[test]
fn the_page_is_the_same_from_run_to_run_but_for_times() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lock-broken.bp");
    let timeless = || {
        let page = report(&example, &[]).page;
        let (before, after) = page.split_once(r#""seconds":"#).expect("a time");
        let after = after.split_once(',').expect("more").1;
        format!("{before}{after}")
    };
    assert_eq!(timeless(), timeless());
}

#[test]
fn a_page_that_cannot_be_opened_is_bad_usage() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lock-broken.bp");
    let folder = tempfile::tempdir().expect("a folder");
    for place in [
        folder.path().join("missing/page.html"),
        folder.path().to_owned(),
    ] {
        let run = support::check(&example, &["--html", &place.to_string_lossy()]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert_eq!(run.stdout, "");
        assert!(
            run.stderr.contains(&*place.to_string_lossy()),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn bad_input_leaves_a_page_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, page) = (
        folder.path().join("wrong.bp"),
        folder.path().join("page.html"),
    );
    fs::write(&file, "main() begin x := 1; end").expect("it is written");
    let html = page.to_string_lossy().into_owned();
    assert_eq!(support::check(&file, &["--html", &html]).code, 2);
    assert!(!page.exists());
    fs::write(&page, "as it was").expect("it is written");
    assert_eq!(support::check(&file, &["--html", &html]).code, 2);
    assert_eq!(
        support::check(&file, &["--html", &html, "--ltl", "G ("]).code,
        2
    );
    assert_eq!(fs::read_to_string(&page).expect("it is there"), "as it was");
    // Nothing else is left behind.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn a_page_replaces_an_older_one_and_does_not_change_the_output() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lock-broken.bp");
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, "x".repeat(1 << 20)).expect("it is written");
    let with = support::check(&example, &["--html", &page.to_string_lossy()]);
    let without = support::check(&example, &[]);
    assert_eq!([with.stdout, with.stderr], [without.stdout, without.stderr]);
    assert_eq!(with.code, without.code);
    let written = fs::read_to_string(&page).expect("it is there");
    assert!(written.starts_with("<!DOCTYPE html>") && written.ends_with("</html>\n"));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn after_a_limit_there_is_a_page_that_says_so() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lock-broken.bp");
    let options = ["--timeout", "0"].map(str::to_owned);
    let reported = report(&example, &options);
    assert_eq!(reported.code, 3);
    let data = decode::embedded(&reported.page);
    let shown = &data["results"][0];
    assert_eq!(
        [&shown["verdict"], &shown["reason"]],
        ["unknown", "timeout"]
    );
    texts(&reported.page);
}
