//! Functions with a meaning of their own, by their names.

use crate::typing::c::tree::{FunctionId, Program};

/// What a call of a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Its body is executed.
    Body,
    /// It returns any value: an input.
    Input,
    /// The execution is cut off where the argument is 0.
    Assume,
    /// The program fails where the argument is 0.
    Assert,
    /// The program fails.
    Failure,
    /// The program ends.
    End,
    /// It has no effect that can be seen.
    Nothing,
    /// It writes through its arguments, calls them, or needs more than one stack.
    Outside,
    /// Nothing is known of it.
    Unknown,
}

/// Those of C's library that change what an argument points to, or call it, or go elsewhere.
const OUTSIDE: &[&str] = &[
    "atexit",
    "bcopy",
    "bsearch",
    "bzero",
    "calloc",
    "fgets",
    "fread",
    "free",
    "fscanf",
    "getline",
    "gets",
    "longjmp",
    "malloc",
    "memccpy",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "qsort",
    "read",
    "realloc",
    "recv",
    "scanf",
    "setjmp",
    "signal",
    "siglongjmp",
    "sigsetjmp",
    "snprintf",
    "sprintf",
    "sscanf",
    "stpcpy",
    "strcat",
    "strcpy",
    "strdup",
    "strncat",
    "strncpy",
    "strtok",
    "strtol",
    "strtoul",
    "vsnprintf",
    "vsprintf",
    "_setjmp",
    "alloca",
    "__builtin_alloca",
];

impl Meaning {
    pub fn of(program: &Program, id: FunctionId) -> Self {
        let function = &program.functions[id.0 as usize];
        let name = program.names.text(function.name);
        match name {
            "reach_error" | "__VERIFIER_error" => return Meaning::Failure,
            _ if function.body.is_some() => return Meaning::Body,
            "__assert_fail" => return Meaning::Failure,
            "assert" => return Meaning::Assert,
            "__VERIFIER_assume" => return Meaning::Assume,
            "abort" | "exit" | "_Exit" | "_exit" => return Meaning::End,
            "printf" | "puts" | "putchar" => return Meaning::Nothing,
            _ => {}
        }
        if name == "__VERIFIER_nondet_pointer" {
            // It may be any address that the program takes.
            Meaning::Outside
        } else if name.starts_with("__VERIFIER_atomic_") {
            Meaning::Nothing
        } else if name.starts_with("__VERIFIER_nondet_") {
            Meaning::Input
        } else if name.starts_with("pthread_") || OUTSIDE.contains(&name) {
            Meaning::Outside
        } else if function.noreturn {
            Meaning::End
        } else {
            Meaning::Unknown
        }
    }

    /// Whether it does not matter what pointers are passed.
    pub fn ignores_arguments(self) -> bool {
        !matches!(self, Meaning::Body | Meaning::Assume | Meaning::Assert)
    }
}
