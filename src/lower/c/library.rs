//! Functions with a meaning of their own, by their names.

use super::Externs;
use crate::typing::c::tree::{FunctionId, Program, Role};

/// What a call of a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Its body is executed.
    Body,
    /// It returns any value: an input.
    Input,
    /// It returns any pointer: also any address that the program takes.
    AnyAddress,
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
    /// `malloc`, `calloc` and `alloca`.
    Allocation(Allocation),
    /// `free`
    Free,
    /// `memset`
    Fill,
    /// `memcpy`, and `memmove`, of objects that may overlap.
    Copy { may_overlap: bool },
    /// It writes through its arguments, calls them, or needs more than one stack.
    Outside,
    /// Nothing is known of it.
    Unknown,
}

/// How memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Of any values.
    Plain,
    /// Zeros.
    Cleared,
    /// Until the function returns.
    Stack,
}

/// Those of C's library that change what an argument points to, or call it, or go elsewhere.
const OUTSIDE: &str = "asprintf atexit bcopy bsearch bzero fgets fread frexp fscanf getline gets \
    gmtime_r localtime_r longjmp mbstowcs memccpy mempcpy modf on_exit qsort qsort_r read realloc \
    recv scanf setjmp _setjmp sigaction siglongjmp signal sigsetjmp snprintf sprintf sscanf stpcpy \
    strcat strcpy strdup strftime strncat strncpy strtod strtof strtok strtok_r strtol strtoll \
    strtoul strtoull swab vasprintf vscanf vsnprintf vsprintf vsscanf wcscpy wcstombs wmemcpy";

impl Meaning {
    pub fn of(program: &Program, id: FunctionId) -> Self {
        let function = &program.functions[id.0 as usize];
        let name = program.names.text(function.name);
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        match plain {
            // What rules do at its events comes first.
            _ if function.role == Role::Wrapper => Meaning::Body,
            "reach_error" | "__VERIFIER_error" => Meaning::Failure,
            _ if function.body.is_some() => Meaning::Body,
            "__assert_fail" => Meaning::Failure,
            "assert" => Meaning::Assert,
            "__VERIFIER_assume" => Meaning::Assume,
            "abort" | "exit" | "_Exit" => Meaning::End,
            "printf" | "puts" | "putchar" => Meaning::Nothing,
            "malloc" => Meaning::Allocation(Allocation::Plain),
            "calloc" => Meaning::Allocation(Allocation::Cleared),
            "alloca" => Meaning::Allocation(Allocation::Stack),
            "free" => Meaning::Free,
            "memset" => Meaning::Fill,
            "memcpy" => Meaning::Copy { may_overlap: false },
            "memmove" => Meaning::Copy { may_overlap: true },
            "__VERIFIER_nondet_pointer" => Meaning::AnyAddress,
            _ if name.starts_with("__VERIFIER_atomic_") => Meaning::Nothing,
            _ if name.starts_with("__VERIFIER_nondet_") => Meaning::Input,
            _ if function.noreturn => Meaning::End,
            _ if name.starts_with("pthread_") || OUTSIDE.split(' ').any(|one| one == plain) => {
                Meaning::Outside
            }
            _ => Meaning::Unknown,
        }
    }

    /// Whether it does not matter what pointers are passed.
    pub fn ignores_arguments(self, externs: Externs) -> bool {
        match self {
            Meaning::Input
            | Meaning::AnyAddress
            | Meaning::Failure
            | Meaning::End
            | Meaning::Nothing
            | Meaning::Outside => true,
            Meaning::Unknown => externs != Externs::Havoc,
            _ => false,
        }
    }
}
