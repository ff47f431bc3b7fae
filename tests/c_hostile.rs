//! C programs that are none: cut off anywhere, with bytes changed, deeply nested. Whatever they are,
//! they are read without a panic, and messages have places in the text.

use derny::{Error, Language, Model};

const PROGRAM: &str = r#"#include <assert.h>
#define LIMIT(n) ((n) + 3)
typedef struct node { int value; unsigned flag : 3; struct node *next; } node;
enum mode { IDLE, BUSY = 7 };
static int table[4] = { [1] = 2, 3 }, *pointer = &table[1];
int f(int n, char *text) {
  switch (n) { case 1 ... 3: return 'x'; default: break; }
  for (int i = 0; i < LIMIT(n); i++) { if (i == 2) continue; else goto out; }
out:
  return n ? f(n - 1, "a\n" "b") : (int)sizeof(node);
}
int main(void) { node x = { .value = 1 }; x.flag = BUSY; assert(f(x.value, 0) >= 0); do x.value--; while (x.value > 0); return ({ 0; }); }
"#;

/// Reads it; errors have places in it.
fn read(text: &[u8]) {
    match Model::parse(Language::C, text) {
        Ok(_) => {}
        Err(Error::Diagnostics(diagnostics)) => {
            assert!(diagnostics.errors() > 0);
            let lines = text.split(|byte| *byte == b'\n').count() as u32;
            for (file, place, _) in diagnostics.iter().filter(|(file, ..)| *file == "input") {
                assert!(place.line <= lines + 1, "{file}:{}", place.line);
            }
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn programs_that_end_too_early() {
    read(PROGRAM.as_bytes());
    assert!(Model::parse(Language::C, PROGRAM).is_ok());
    (0..PROGRAM.len()).for_each(|end| read(&PROGRAM.as_bytes()[..end]));
}

#[test]
fn programs_with_other_bytes() {
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let replacements = b"(){}[];,.#\"'\\*&=<>+-0a\0\xff\n ";
    for _ in 0..2_000 {
        let mut text = PROGRAM.as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(text.len());
            match random(3) {
                0 => text[at] = replacements[random(replacements.len())],
                1 => text.insert(at, replacements[random(replacements.len())]),
                _ => {
                    let end = (at + random(9)).min(text.len());
                    text.drain(at..end);
                }
            }
        }
        read(&text);
    }
}

#[test]
fn deep_nesting_is_read() {
    let deep = 20_000;
    let nested = |open: &str, inside: &str, close: &str| {
        let text = [&open.repeat(deep), inside, &close.repeat(deep)].concat();
        format!("int x; int main(void) {{ {text} return 0; }}")
    };
    for text in [
        nested("{", "x = 1;", "}"),
        format!(
            "int x; int main(void) {{ return {}x{}; }}",
            "(".repeat(deep),
            ")".repeat(deep)
        ),
        format!("int x; int main(void) {{ return {}x; }}", "!".repeat(deep)),
        nested("if (x) ", ";", ""),
        nested("while (x) ", ";", ""),
    ] {
        assert!(
            Model::parse(Language::C, text.clone()).is_ok(),
            "{}",
            &text[..60]
        );
    }
    read("(".repeat(deep).as_bytes());
    read("int a".repeat(deep).as_bytes());
    read(format!("int {} x;", "*".repeat(deep)).as_bytes());
}
