//! Violations of C programs that hang on choices: each is executed by the C interpreter with the same
//! choices before it is shown. Where one is made otherwise, nothing is claimed (exit code 4).

mod support;

use support::c::check;

/// The programs of `tests/c/choices.txt` are violated, and a trace shows how.
#[test]
fn every_choice_of_a_trace_is_made_again() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/choices.txt");
    let text = std::fs::read_to_string(path).expect("the programs");
    let cases: Vec<&str> = text.split("====").skip(1).collect();
    assert!(cases.len() > 20);
    for case in cases {
        let (options, program) = case.split_once('\n').expect("a header");
        let options: Vec<&str> = options.split_whitespace().collect();
        let run = check(program, &[&options[..], &["--format", "json"]].concat());
        assert_eq!(run.code, 1, "{program}{}", run.stderr);
        let result = &run.results()[0];
        assert_eq!(result["verdict"], "violated", "{program}");
        assert!(result["trace"]["stem"].is_array(), "{program}");
    }
}
