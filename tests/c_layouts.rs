//! How objects lie in memory, where programs rely on it: arrays of variable size in several
//! dimensions, arrays without length at the end of structs, steps by bytes, copies that overlap.
//!
//! What a function gives is what gcc's program gives, if there is one; in any case that it gives
//! this holds, and that it does not is violated, by a trace which the interpreter has executed.

mod support;

use std::process::Command;
use support::Run;
use support::c::Folder;

const HEADERS: &str = "#include <assert.h>\n#include <stddef.h>\n#include <stdlib.h>\n\
    #include <string.h>\nextern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_assume(int);\n";

fn check(text: &str, arguments: &[&str]) -> Run {
    let folder = Folder::new(&[("p.c", text)]);
    let begin = ["check", "p.c", "--timeout", "120", "--abstraction", "none"];
    folder.run(&[&begin, arguments].concat())
}

/// What `f()` is by gcc; none, loudly, where there is no gcc.
fn by_gcc(text: &str) -> Option<i32> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("p.c"), folder.path().join("p"));
    let main = "#include <stdio.h>\nint main(void) { printf(\"%d\", f()); return 0; }\n";
    std::fs::write(&source, format!("{HEADERS}{text}\n{main}")).expect("a file");
    let compiled = Command::new("gcc")
        .args(["-w", "-fwrapv", "-fno-strict-aliasing", "-o"])
        .args([&program, &source])
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no gcc");
        return None;
    }
    let output = Command::new(&program).output().expect("it runs");
    String::from_utf8(output.stdout).ok()?.parse().ok()
}

/// `f()` has this value.
fn gives(text: &str, value: i32) {
    if let Some(other) = by_gcc(text) {
        assert_eq!(other, value, "gcc: {text}");
    }
    for (operator, verdict) in [("==", "holds assertions"), ("!=", "violated assertions")] {
        let main = format!("int main(void) {{ assert(f() {operator} {value}); }}");
        let run = check(&format!("{HEADERS}{text}\n{main}\n"), &[]);
        let first = run.stdout.lines().next().unwrap_or_default();
        assert_eq!(
            first, verdict,
            "{text} {operator} {}{}",
            run.stdout, run.stderr
        );
    }
}

/// The first line of what is said of a whole program.
fn says(text: &str, arguments: &[&str], expected: &str) {
    let run = check(&format!("{HEADERS}{text}\n"), arguments);
    assert!(
        run.stdout.contains(expected) || run.stderr.contains(expected),
        "{text}: {}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn arrays_of_variable_size_in_several_dimensions() {
    let sum = "int sum(int n, int m, int a[n][m]) {
                 int s = 0;
                 for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s = s * 3 + a[i][j];
                 return s; }";
    gives(
        &format!(
            "{sum} int f(void) {{
                int n = 2, m = 3, a[n][m];
                for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i + j;
                return sum(n, m, a); }}"
        ),
        153,
    );
    // Rows of a constant size, and others of the same memory.
    gives(
        "int some(int n, int m, int a[n][m]) { return a[1][1] * 100 + a[0][m - 1] * 10 + a[n - 1][0]; }
         int f(void) {
            int b[2][3] = {{1, 2, 0}, {2, 1, 2}};
            return some(2, 3, b) + 1000 * some(3, 2, (void *)b); }",
        221102,
    );
    gives(
        "int f(void) {
            int m = 3, a[2][m], (*q)[m] = a;
            (*q)[2] = 4; q++; (*q)[0] = 5; q[-1][1] = 6;
            return a[0][2] * 100 + a[1][0] * 10 + a[0][1] + (q - a) * 1000
                + sizeof *q + (q == &a[1]) * 10000 + sizeof a; }",
        11492,
    );
    gives(
        "int f(void) {
            int n = 2, m = 2;
            struct { char c; short d[3]; } a[n][m][2];
            a[1][1][1].d[2] = 7; a[1][1][0].d[2] = 5; a[0][0][0].c = 1;
            return a[1][1][1].d[2] * 10 + a[1][1][0].d[2] + sizeof a[0] * 100
                + (&a[1][1] - &a[0][0]) * 10000; }",
        33275,
    );
    gives(
        "int f(void) {
            int n = 3, m = 2, (*p)[m] = malloc(n * sizeof *p);
            for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) p[i][j] = 10 * i + j;
            int *last = &p[2][1];
            return p[2][1] + *(last - 2) + (last - p[0]); }",
        37,
    );
}

#[test]
fn bounds_of_arrays_of_variable_size() {
    let index = |access: &str| {
        format!(
            "int main(void) {{ int n = 2, m = 3, a[n][m], (*q)[m] = a;
                 int i = __VERIFIER_nondet_int(); __VERIFIER_assume(i >= 0 && i <= 2); {access}; }}"
        )
    };
    says(&index("a[1][i] = 0"), &["--defined"], "holds defined");
    says(&index("a[i][2] = 0"), &["--defined"], "violated defined");
    says(
        &index("a[1][i + 1] = 0"),
        &["--defined"],
        "violated defined",
    );
    says(&index("q[i][0] = 0"), &["--defined"], "violated defined");
    says(&index("q[1][i] = 0"), &["--defined"], "holds defined");
    says(&index("q += i"), &["--defined"], "holds defined");
    says(&index("q += i + 1"), &["--defined"], "violated defined");
    let constant = [
        "a[1][-1] = 0",
        "a[-9][0] = 0",
        "a[0][99] = 0",
        "q[-9][-7] = 0",
    ];
    for access in constant {
        says(&index(access), &["--defined"], "violated defined");
    }
    let members =
        "int main(void) { struct { char c; int b[2]; } s[2]; int n = 2, (*q)[n] = &s[1].b;
                   q[0][1] = 1; q[-7][-9] = 1; }";
    says(members, &["--defined"], "violated defined");
    let large =
        "int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 0 && n < 10);
                 char a[n][n]; return 0; }";
    says(large, &[], "unknown assertions");
    says(large, &["--cells", "81"], "holds assertions");
}

/// What nobody has written has any value, in the element that the trace says.
#[test]
fn values_that_nobody_has_written() {
    let text = "int main(void) { int n = 2, m = 3; int a[n][m]; a[0][2] = 1;
                assert(a[1][0] != 42 || a[0][2] != 1); }";
    says(text, &[], "a[1][0]");
}

#[test]
fn arrays_without_length() {
    gives(
        "struct s { int n; short a[]; };
         int f(void) {
            int n = 3;
            struct s *p = malloc(sizeof(struct s) + n * sizeof(short));
            p->n = n;
            for (int i = 0; i < p->n; i++) p->a[i] = i + 1;
            short *q = p->a + 1;
            return p->n * 1000 + p->a[2] * 100 + q[1] * 10 + *q; }",
        3332,
    );
    gives(
        "struct pair { char c; int d; };
         struct s { long n; struct pair a[0]; };
         int f(void) {
            struct s *p = calloc(1, sizeof *p + 2 * sizeof(struct pair));
            p->a[1].d = 7; p->a[0].c = 2;
            return p->a[1].d * 10 + p->a[0].c + p->a[0].d + sizeof *p; }",
        80,
    );
    let any = |bytes: &str, index: &str| {
        format!(
            "struct s {{ int n; int a[]; }};
             int main(void) {{ int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 0 && n < 5);
                struct s *p = malloc({bytes}); p->a[{index}] = 1; p->n = 2; assert(p->n == 2); }}"
        )
    };
    let bytes = "sizeof(struct s) + n * sizeof(int)";
    for (index, verdict) in [("n - 1", "holds"), ("n", "violated"), ("-1", "violated")] {
        let expected = format!("{verdict} defined");
        says(&any(bytes, index), &["--defined"], &expected);
        let four = any("sizeof(struct s) + 16", "n");
        says(&four, &["--defined"], "violated defined");
    }
    says(
        &any(bytes, "n - 1"),
        &["--cells", "3"],
        "unknown assertions",
    );
    says(&any(bytes, "n - 1"), &["--cells", "4"], "holds assertions");
    says(&any("n", "0"), &[], "memory for a part of a struct");
    let copied = "struct s { int n; int a[]; } g = {1, {2, 3}};
                  int main(void) { assert(g.a[1] == 4); }";
    says(
        copied,
        &[],
        "an array without length of an object that is not allocated",
    );
    let whole = "struct s { int n; int a[]; };
                 int main(void) { struct s *p = malloc(8), q; p->n = 1; q = *p; assert(q.n == 1); }";
    says(whole, &[], "ends with an array without length, as a whole");
}

#[test]
fn steps_by_bytes() {
    let list = "#define container_of(p, t, f) ((t *)((char *)(p) - offsetof(t, f)))
                struct list { struct list *next; };
                struct s { char tag; short x; struct list link; int y; };";
    gives(
        &format!(
            "{list} int f(void) {{
                struct s a, b; a.y = 3; b.y = 4; b.tag = 1; b.x = 6;
                a.link.next = &b.link; b.link.next = &a.link;
                struct s *second = container_of(a.link.next, struct s, link);
                struct s *first = container_of(second->link.next, struct s, link);
                return first->y * 100 + second->y * 10 + second->x + (first == &a) * 1000; }}"
        ),
        1346,
    );
    // Elements of arrays, and memory that was allocated.
    gives(
        &format!(
            "{list} int f(void) {{
                struct s a[3], *h = malloc(sizeof *h);
                for (int i = 0; i < 3; i++) a[i].y = i;
                h->y = 7;
                struct list *p = &a[2].link, *q = &h->link;
                int *y = &a[1].y;
                return container_of(p, struct s, link)->y * 10
                    + container_of(q, struct s, link)->y
                    + (container_of(y, struct s, y) - a) * 100; }}"
        ),
        127,
    );
    // Forwards, and through a variable.
    gives(
        "struct s { char c; int x; short y[3]; };
         int f(void) {
            struct s o; o.x = 5; o.y[2] = 6; o.c = 1;
            char *at = (char *)&o;
            int *x = (int *)((char *)&o + offsetof(struct s, x));
            short *y = (short *)((char *)&o.x + 8);
            return *x * 10 + *y; }",
        56,
    );
    gives(
        "struct s { char text[4]; int x; };
         int f(void) {
            struct s o; o.x = 5; o.text[3] = 9;
            int *x = (int *)((char *)&o + offsetof(struct s, x));
            struct s *whole = (struct s *)((char *)x - offsetof(struct s, x));
            return *x * 10 + whole->text[3]; }",
        59,
    );
    // Behind the object there is nothing, and between scalars no address is known.
    let step = |bytes: &str| {
        format!(
            "struct s {{ char c; int x; int y; }};
             int main(void) {{ struct s o; o.y = 1; int *x = &o.x;
                int *p = (int *)((char *)x + {bytes}); assert(*p == 1); }}"
        )
    };
    says(&step("4"), &[], "holds assertions");
    says(&step("3"), &[], "unknown assertions");
    says(&step("8"), &["--defined"], "violated defined");
}

#[test]
fn copies_that_overlap() {
    for (to, from, value) in [
        ("a + 2", "a", 121236),
        ("a", "a + 2", 345456),
        ("a + 1", "a + 1", 123456),
    ] {
        let text = format!(
            "int f(void) {{
                int a[6] = {{1, 2, 3, 4, 5, 6}}, n = 0, s = 0;
                while (n < 3) n++;
                memmove({to}, {from}, n * sizeof(int));
                for (int i = 0; i < 6; i++) s = s * 10 + a[i];
                return s; }}"
        );
        gives(&text, value);
    }
    let any = "int main(void) {
                 int a[6] = {1, 2, 3, 4, 5, 6}, n = __VERIFIER_nondet_int();
                 __VERIFIER_assume(n >= 0 && n <= LAST);
                 memmove(a + 2, a, n * sizeof(int));
                 assert(n < 4 || a[4] == 3 && a[5] == 4);
                 assert(n != 3 || a[2] == 1 && a[4] == 3 && a[5] == 6); }";
    says(&any.replace("LAST", "4"), &[], "holds assertions");
    says(
        &any.replace("LAST", "5"),
        &["--defined"],
        "violated defined",
    );
}

/// What is read first of a union that nobody has written is its member, in a branch of an expression,
/// too.
#[test]
fn unions_in_branches_of_expressions() {
    let text = "union u { int i; char c; };
                int main(void) { union u w; int r = w.i > 0 && w.i < 10 ? w.i : 1;
                assert(r > 0 && r < TOP); }";
    says(&text.replace("TOP", "10"), &[], "holds assertions");
    says(&text.replace("TOP", "9"), &[], "violated assertions");
}

/// Members of a union go by units that lie elsewhere in each of them: where a pointer would be to several places
/// at once, it is outside. The first unit is one place.
#[test]
fn pointers_into_unions_are_to_one_place() {
    let union = "union u { int i[4]; char b[16]; } u;
                 struct s { char c, d; int x; };
                 union v { struct s s; int i[2]; } v;";
    let filled = "for (int k = 0; k < 16; k++) u.b[k] = k;";
    for (body, value) in [
        ("for (int k = 0; k < 16; k++) u.b[k] = k; return u.b[5];", 5),
        ("u.b[0] = 7; return *u.b + (u.b == (char *)&u);", 8),
        (
            "u.i[2] = 3; union u w = u; return w.i[2] + (&u.i[0] == (int *)&u.b[0]);",
            4,
        ),
        ("v.s.x = 6; struct s *p = &v.s; return p->x;", 6),
    ] {
        gives(&format!("{union} int f(void) {{ {body} }}"), value);
    }
    for body in [
        &format!("{filled} char *p = (char *)&u.i[1]; assert(*p == 1);") as &str,
        &format!("{filled} char *p = (char *)&u.i[1]; assert(*p == 4);"),
        "assert((void *)&u.i[1] != (void *)&u.b[1]);",
        "int *p = u.i; p++; assert((void *)p == (void *)&u.b[1]);",
        "char *p = u.b + 4; assert((void *)p == (void *)&u.i[1]);",
        "v.i[1] = 5; int *p = &v.s.x; assert(*p == 0);",
        "int *p = v.i + 2; assert((void *)p != (void *)&v.s.x);",
    ] {
        let text = format!("{union} int main(void) {{ {body} }}");
        says(&text, &[], "unknown assertions");
    }
}
