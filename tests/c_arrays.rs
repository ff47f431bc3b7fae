//! The arrays that pointers move in: elements stand in one, and what is no element is an array of
//! one. Each program is decided by hand.

mod support;

use support::Run;
use support::c::Folder;

fn check(text: &str, arguments: &[&str]) -> Run {
    let begin = ["check", "p.c", "--timeout", "60"];
    Folder::new(&[("p.c", text)]).run(&[&begin, arguments].concat())
}

fn decide(declarations: &str, body: &str, code: i32) {
    let text =
        format!("#include <stdlib.h>\n{declarations}\nint main(void) {{ {body} return 0; }}\n");
    let run = check(&text, &["--defined"]);
    assert_eq!(run.code, code, "{text}{}{}", run.stdout, run.stderr);
}

/// Members of structs are no neighbours, whether the structs are elements or not.
#[test]
fn members_are_arrays_of_one() {
    let two = "struct s { int a, b; } s[3];";
    decide(two, "int *p = &s[0].a; p = p + 2;", 1);
    decide(two, "int *p = &s[0].a; p = p + 1;", 0);
    decide(two, "int *p = &s[0].a; return p[2];", 1);
    decide(two, "unsigned *p = (unsigned *)&s[0].a; p += 3;", 1);
    decide(two, "struct s *p = s; p += 3; p -= 2; p->b = 1;", 0);
    decide(two, "struct s *p = s; p += 4;", 1);
    decide("struct s { int a; } s[3];", "int *p = &s[0].a; p += 2;", 1);
    let padded = "struct s { short a; int b; } s[3];";
    decide(padded, "int *p = &s[0].b; p += 2;", 1);
    decide(padded, "int *p = &s[0].b; p -= 1;", 1);
    let inner = "struct t { int x, y; }; struct s { struct t t; int b; } s[3];";
    decide(inner, "struct t *p = &s[0].t; p += 2;", 1);
    decide(inner, "struct t *p = &s[0].t; p += 1;", 0);
    let row = "struct s { int m[2]; } s[3];";
    decide(row, "int (*p)[2] = &s[0].m; p += 2;", 1);
    decide(row, "int *p = s[0].m; p += 2; p -= 1;", 0);
    let list = "struct s { int *a; struct s *n; } s[2];";
    decide(list, "int **p = &s[0].a; p += 2;", 1);
    decide(
        "union u { int a; unsigned b; } u[3];",
        "int *p = &u[0].a; p += 2;",
        1,
    );
    let body = "int n = 3; struct s v[n]; int *p = &v[0].a; p += 2;";
    decide("struct s { int a, b; };", body, 1);
}

/// Behind the last struct of an object there is none that has members, the first one included.
#[test]
fn behind_an_object_there_are_no_members() {
    let two = "struct s { int a, b; } s[2];";
    decide(two, "int *p = &(s + 1)->a; p++;", 0);
    decide(two, "int *p = &(s + 2)->a; p--;", 1);
    decide(two, "int *p = &(s + 2)->b;", 1);
    let row = "struct s { char m[3]; long n : 4; };";
    let body =
        "struct s *o = malloc(sizeof(struct s)); unsigned *p = (unsigned *)(o + 1)->m; p += -1;";
    decide(row, body, 1);
    let body = "struct s o; unsigned *p = (unsigned *)(&o + 1)->m; p += -1;";
    decide(row, body, 1);
}

/// Arrays of bytes end, too; a byte that is no element may stand for all bytes of the object.
#[test]
fn arrays_of_bytes_end() {
    let three = "struct s { char m[3]; int n; } s[3];";
    decide(three, "char *p = (s + 1)->m; p += 2; p += 1; p += 1;", 1);
    decide(three, "char *p = s->m; p += 4; p += 1;", 1);
    decide(three, "char *p = s->m; p += 3; p--;", 0);
    let lone = "struct s { char m[3]; char n; int k; } s;";
    decide(lone, "char *p = &s.n; p += 2;", 3);
}

/// What such a step cuts off is named.
#[test]
fn steps_to_neighbours_are_named() {
    let text = "#include <assert.h>
         struct s { int a, b; } s[3];
         int main(void) { int *p = &s[0].a; p = p + 2; assert(0); }";
    let run = check(text, &["--format", "json"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let place = r#""cut_off":[{"file":"p.c","line":3,"column":49,"what":"pointer arithmetic outside an array"}]"#;
    assert!(run.stdout.contains(place), "{}", run.stdout);
}

/// A function is given pointers to several members.
#[test]
fn members_of_callers() {
    let text = "struct s { int a, b; } s[3]; void f(int *p, int n) { p += n; }";
    decide(text, "f(&s[0].a, 1); f(&s[1].b, 1);", 0);
    decide(text, "f(&s[0].a, 1); f(&s[1].b, 2);", 1);
}

/// Allocated memory has no declared arrays: what leaves one that is a part of it is not decided.
#[test]
fn arrays_in_allocated_memory() {
    let two = "struct s { int a[2], b; };";
    let rows = "struct s *p = malloc(2 * sizeof *p); int *q = p->a;";
    decide(two, &format!("{rows} q += 2;"), 0);
    decide(two, &format!("{rows} q += 3;"), 3);
    decide(two, &format!("{rows} q += 7;"), 3);
    decide(
        "",
        "int (*p)[3] = malloc(2 * sizeof *p); int *q = p[0]; q += 4;",
        3,
    );
    decide("", "int *p = malloc(2 * sizeof *p); p += 2;", 0);
    decide("", "int *p = malloc(2 * sizeof *p); p += 3;", 1);
}

/// Steps by bytes end with the object.
#[test]
fn steps_by_bytes_out_of_objects() {
    decide("int x;", "char *c = (char *)&x; c += 4;", 0);
    decide("int x;", "char *c = (char *)&x; c += 5;", 1);
    decide("int x;", "char *c = (char *)&x; c -= 1;", 1);
    decide("int a[10];", "char *c = (char *)a; c += 41;", 1);
    let two = "struct s { int a, b; } s;";
    decide(two, "char *c = (char *)&s.b; c = c + 8;", 1);
    decide(two, "int *c = (int *)((char *)&s.b + 8);", 1);
    decide(two, "int *c = (int *)((char *)&s.b - 4); *c = 1;", 0);
    decide(two, "void *c = &s; c = c + 9;", 1);
    decide("char c;", "char *p = &c; p += 2;", 1);
    decide("", "int *q = malloc(8); char *p = (char *)q; p += 9;", 1);
    decide("", "int *q = malloc(8); char *p = (char *)q; p += 8;", 0);
}

/// A pointer to the bytes of a struct is none to the characters that it begins with.
#[test]
fn bytes_of_structs_with_characters() {
    let text = "struct s { char c[4]; int x; } s;";
    decide(text, "char *p = (char *)&s; p += 6;", 3);
    decide(
        text,
        "char *p = (char *)&s; p += 4; *(int *)p = 3; return s.x;",
        0,
    );
    decide(text, "char *p = s.c; p += 5;", 1);
    let one = "struct s { char c[1]; int x; } s;";
    let body = "char *p = (char *)&s; p += 4; *(int *)p = 3;";
    decide(one, body, 3);
    let bytes = "struct s { char c[4], d[4]; } s;";
    let body = "char *p = (char *)&s; for (int i = 0; i < 8; i++) p[i] = 3;";
    decide(bytes, body, 3);
    let body = "char *p = s.c; for (int i = 0; i < 6; i++) p[i] = 3;";
    decide(bytes, body, 1);
}

/// Which option gives more memory depends on what there is too little of.
#[test]
fn more_memory_is_asked_for_by_name() {
    let text = |body: &str| format!("#include <stdlib.h>\nint main(void) {{ {body} return 0; }}\n");
    let long = "int n = 70; int *p = malloc(n * sizeof(int)); p[69] = 1;";
    let array = "int n = 70; int a[n]; a[69] = 1;";
    for body in [long, array] {
        let run = check(&text(body), &[]);
        assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
        let place = "not decided: more elements in an object of no constant size";
        assert!(run.stdout.contains(place), "{}", run.stdout);
        assert!(
            run.stdout.contains("what to do: --cells N"),
            "{}",
            run.stdout
        );
        assert!(!run.stdout.contains("--heap"), "{}", run.stdout);
        assert_eq!(check(&text(body), &["--cells", "70"]).code, 0);
    }
    let many = "for (int i = 0; i < 5; i++) { int *p = malloc(4); *p = i; }";
    let run = check(&text(many), &[]);
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("not decided: more objects on the heap"));
    assert!(
        run.stdout.contains("what to do: --heap N"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("--cells"), "{}", run.stdout);
    assert_eq!(check(&text(many), &["--heap", "5"]).code, 0);
}
