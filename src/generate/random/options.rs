//! How large a random program is, and what it is made of.

/// Sizes are upper bounds or averages, shares are in a hundred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of procedures.
    pub procedures: u32,
    /// The number of global variables.
    pub globals: u32,
    /// The largest number of locals of a procedure, its parameters not counted.
    pub locals: u32,
    /// The largest number of parameters of a procedure.
    pub parameters: u32,
    /// The largest number of values a procedure returns.
    pub returns: u32,
    /// About how many statements a procedure has.
    pub statements: u32,
    /// The largest number of labels `L0`, `L1`, ... of a procedure.
    pub labels: u32,
    /// How deep compound statements nest.
    pub nesting: u32,

    /// How many conditions and values are simply `*`.
    pub nondeterminism: u32,
    /// How many other conditions are over two or more variables.
    pub wide: u32,
    /// How many calls may lead back to a caller.
    pub recursion: u32,
    /// How many branches end in a `goto`, and how many forks are made of gotos.
    pub gotos: u32,
    /// How many statements are `dead`.
    pub dead: u32,
    /// How many values are a `schoose`.
    pub schoose: u32,
    /// How many statements are `assume`, `constrain` or `abortif`, and how many assignments
    /// have a `constrain`.
    pub assumes: u32,
    /// How many of the latter are a statement `constrain(…)` with new values instead.
    pub relations: u32,
    /// How many statements are `assert`.
    pub asserts: u32,
    /// How many statements are calls.
    pub calls: u32,
    /// How many variables have a name such as `{l3==0}`.
    pub predicates: u32,
    /// How many procedures are written with braces.
    pub braces: u32,
    /// At most how many threads are declared, or created by `main`; 0 for a program without them.
    pub threads: u32,
    /// How many statements create threads.
    pub creations: u32,
    /// How many statements are atomic blocks, or end a thread.
    pub atomics: u32,
    /// Whether spellings are mixed: all operators, all constants, all kinds of header.
    pub motley: bool,
    /// Whether most code is to stay reachable: conditions that are assumed can hold, and
    /// loops and recursion can be left.
    pub careful: bool,
}

impl Options {
    /// A handful of procedures with every kind of statement there is, few enough variables
    /// for explicit states, and about as many things that can happen as things that cannot.
    pub fn small() -> Self {
        Options {
            procedures: 4,
            globals: 3,
            locals: 2,
            parameters: 2,
            returns: 2,
            statements: 9,
            labels: 3,
            nesting: 3,
            nondeterminism: 9,
            wide: 65,
            recursion: 25,
            gotos: 18,
            dead: 4,
            schoose: 8,
            assumes: 6,
            relations: 0,
            asserts: 4,
            calls: 16,
            predicates: 10,
            braces: 40,
            threads: 0,
            creations: 0,
            atomics: 0,
            motley: true,
            careful: false,
        }
    }

    /// Two or three threads with every statement for them, so small that all their interleavings
    /// can be looked at one by one.
    pub fn threaded() -> Self {
        Options {
            procedures: 3,
            globals: 2,
            locals: 1,
            parameters: 1,
            returns: 1,
            statements: 4,
            labels: 2,
            nesting: 2,
            assumes: 8,
            asserts: 8,
            calls: 12,
            threads: 3,
            creations: 4,
            atomics: 8,
            ..Options::small()
        }
    }

    /// The shape of the device drivers that SLAM made into boolean programs: 17,000 lines,
    /// 160 procedures, up to 18 locals and parameters in each.
    pub fn driver() -> Self {
        Options {
            procedures: 160,
            globals: 11,
            locals: 12,
            parameters: 6,
            returns: 4,
            statements: 41,
            labels: 4,
            nesting: 4,
            nondeterminism: 16,
            wide: 75,
            recursion: 6,
            gotos: 10,
            dead: 10,
            schoose: 25,
            assumes: 5,
            relations: 0,
            asserts: 1,
            calls: 9,
            predicates: 60,
            braces: 0,
            threads: 0,
            creations: 0,
            atomics: 0,
            motley: false,
            careful: true,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::small()
    }
}
