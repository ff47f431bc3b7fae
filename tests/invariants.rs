//! Invariants in witnesses: put into the C program at their places, they hold there, by the direct
//! engine.

use std::path::Path;
use std::process::Command;

/// Programs with narrow numbers, which the direct engine decides at once.
const PROGRAMS: [&str; 10] = [
    "int main(void) {
  unsigned char x = 0, y = 10;
  while (x < 10) {
    x++;
    y--;
  }
  assert(y == 0);
}
",
    "int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar(), i, k = 0;
  for (i = 0; i < n; i++)
    k++;
  assert(k == n);
}
",
    "int lock;
int main(void) {
  int again = 1;
  while (again) {
    assert(lock == 0);
    lock = 1;
    again = __VERIFIER_nondet_int();
    if (again)
      lock = 0;
  }
  assert(lock == 1);
}
",
    "int main(void) {
  signed char a = 0, b = 0;
  for (signed char i = 0; i < 20; i++) {
    { signed char a = 1; b = b + a; }
    a = a + 1;
  }
  while (b > 0) {
    b--;
    a--;
  }
  assert(a == 0);
}
",
    "int f(int x) {
  int r = 0;
  while (r < x)
    r++;
  return r;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 9)
    return 0;
  assert(f(x) <= 9);
}
",
    "int main(void) {
  unsigned char x = __VERIFIER_nondet_uchar();
  unsigned char y = x;
  while (__VERIFIER_nondet_int()) {
    if (y != x)
      y = y + 1;
    else
      x = x + 1, y = y + 1;
  }
  assert(x == y);
}
",
    "int main(void) {
  unsigned char x = 0, y = 10;
  do {
    if (x == 7)
      continue;
    y--;
  } while (x++ < 9);
  assert(y == 1);
}
",
    "int lock;
int main(void) {
  int again;
  do {
    assert(lock == 0);
    lock = 1;
    int y = 0;
    do
      y++;
    while (y < 3);
    again = __VERIFIER_nondet_int();
    if (again)
      lock = 0;
  } while (again);
  assert(lock == 1);
}
",
    "int a, b, c;
int main(void) {
  a = __VERIFIER_nondet_int();
  b = __VERIFIER_nondet_int();
  c = 0;
  while (__VERIFIER_nondet_int() && !c) {
    if (a == 0 && b == 0)
      c = 1;
    else
      assert(c == 0);
  }
  assert(c == 0 || a == 0);
}
",
    "int main(void) {
  unsigned char i = 0, j = 0;
  while (i < 5) {
    j = 0;
    while (j < i)
      j++;
    assert(j == i);
    i++;
  }
}
",
];

fn derny(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_derny"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
}

/// The line, column and value of each invariant.
fn invariants(witness: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let (mut line, mut column) = (0, 0);
    for text in witness.lines().map(str::trim) {
        let (key, value) = text.split_once(": ").unwrap_or((text, ""));
        match key {
            "line" => line = value.parse().expect("a number"),
            "column" => column = value.parse().expect("a number"),
            "value" => found.push((line, column, value.trim_matches('"').to_owned())),
            _ => {}
        }
    }
    found
}

/// The program in which each invariant is asserted whenever the condition of its loop is evaluated.
fn with_assertions(program: &str, invariants: &[(usize, usize, String)]) -> String {
    let mut lines: Vec<String> = program.lines().map(str::to_owned).collect();
    let mut places = invariants.to_vec();
    // From the back, so that places stay.
    places.sort_by_key(|(line, column, _)| (*line, *column));
    for (line, column, value) in places.into_iter().rev() {
        let text = &mut lines[line - 1];
        let rest = &text[column - 1..];
        let call = format!("invariant({value}), ");
        if rest.starts_with("do") {
            // The `while` below it that begins as far from the margin.
            let indent = " ".repeat(column - 1);
            let mut below = lines.iter_mut().skip(line);
            let ends = [format!("{indent}}} while ("), format!("{indent}while (")];
            let end = below.find(|text| ends.iter().any(|end| text.starts_with(end)));
            let end = end.expect("its condition");
            let place = end.find('(').expect("a condition") + 1;
            end.insert_str(place, &call);
            continue;
        }
        let behind = match (rest.starts_with("while"), rest.starts_with("for")) {
            (true, _) => rest.find('(').expect("a condition"),
            (_, true) => rest.find(';').expect("a condition"),
            _ => panic!("no loop at {line}:{column}: {rest}"),
        };
        text.insert_str(column + behind, &call);
    }
    lines[0].push_str("\nvoid invariant(int holds) { assert(holds); }");
    lines.join("\n") + "\n"
}

/// The witness of a program that predicates prove.
fn proof(program: &str, folder: &Path) -> String {
    std::fs::write(folder.join("p.c"), program).expect("it is written");
    let through = ["check", "p.c", "--abstraction", "predicates"];
    let arguments = [&through[..], &["--witness", "w.yml"]].concat();
    let shown = derny(&arguments, folder);
    assert!(shown.starts_with("holds"), "{shown}\n{program}");
    std::fs::read_to_string(folder.join("w.yml")).expect("a witness")
}

#[test]
fn invariants_hold_where_they_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut count = 0;
    for (number, text) in PROGRAMS.iter().enumerate() {
        let program = format!("#include <assert.h>\n{text}");
        let witness = proof(&program, folder.path());
        assert!(
            witness.starts_with("- entry_type: invariant_set\n"),
            "{witness}"
        );
        let invariants = invariants(&witness);
        count += invariants.len();
        let asserted = with_assertions(&program, &invariants);
        std::fs::write(folder.path().join("q.c"), &asserted).expect("it is written");
        let shown = derny(&["check", "q.c", "--abstraction", "none"], folder.path());
        assert!(
            shown.starts_with("holds"),
            "{number}: {shown}\n{asserted}\n{witness}"
        );
        // What is asserted can fail at all.
        let broken = asserted.replace("invariant(", "invariant(!");
        let broken = broken.replace("void invariant(!int", "void invariant(int");
        if !invariants.is_empty() {
            std::fs::write(folder.path().join("q.c"), &broken).expect("it is written");
            let shown = derny(&["check", "q.c", "--abstraction", "none"], folder.path());
            assert!(shown.starts_with("violated"), "{number}: {shown}\n{broken}");
        }
    }
    assert!(count >= PROGRAMS.len() - 1, "{count} invariants");
}

#[test]
fn without_loops_there_is_nothing_to_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3) assert(x > 2); }";
    let witness = proof(program, folder.path());
    assert!(witness.contains("  content: []\n"), "{witness}");
    // What was decided without predicates has none.
    std::fs::remove_file(folder.path().join("w.yml")).expect("it is there");
    let arguments = [
        "check",
        "p.c",
        "--abstraction",
        "none",
        "--witness",
        "w.yml",
    ];
    let shown = derny(&arguments, folder.path());
    assert!(shown.contains("there is no witness"), "{shown}");
}
