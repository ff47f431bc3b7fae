//! Quicksort as the Moped paper has it (sections 6.1 and 6.2): does it terminate, does it
//! sort? For any number of bits, as a program or as a pushdown system.
//!
//! The first two variants leave the array out: a comparison with the pivot is a free choice.
//! Integers are natural numbers, and a step whose result is out of range does not exist: a
//! program of this kind is to be checked with `--overflow block`. With `guards` a program
//! never computes such a result, and holds the same on machine integers that wrap around.

use std::io::{self, Write};

/// Which quicksort it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Without the block of entries equal to the pivot: it does not always terminate.
    Faulty,
    /// It terminates.
    Corrected,
    /// The corrected one with its array.
    Sorting,
    /// The corrected one with its array and any entry as pivot.
    Random,
}

/// What a program is to be.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which quicksort it is.
    pub variant: Variant,
    /// Of every integer.
    pub bits: u32,
    /// Of the array.
    pub entries: u32,
    /// Whether it never computes a result that does not fit.
    pub guards: bool,
}

/// The Remopla program.
pub fn write_program(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { bits, entries, .. } = options;
    let sorts = matches!(options.variant, Variant::Sorting | Variant::Random);
    writeln!(out, "# Quicksort. {}", question(options))?;
    writeln!(out, "define N {bits}")?;
    if sorts {
        writeln!(out, "define M {entries}")?;
    }
    writeln!(out, "define DEFAULT_INT_BITS N\n")?;
    if sorts {
        writeln!(out, "int a[1,M];\n")?;
    }
    let locals = match options.variant {
        Variant::Faulty => "lo, hi",
        Variant::Corrected => "eq, lo, hi",
        Variant::Sorting => "eq, lo, hi, piv",
        Variant::Random => "eq, lo, hi, piv, p",
    };
    writeln!(out, "module void quicksort(int left, int right)\n{{")?;
    writeln!(out, "  int {locals};")?;
    if options.guards {
        // Whether there is something left of `lo`, and something right of `hi`.
        writeln!(out, "  bool first, second;")?;
    }
    writeln!(out, "  if")?;
    writeln!(out, "  :: left >= right -> return;")?;
    writeln!(out, "  :: else -> skip;")?;
    writeln!(out, "  fi")?;
    match options.variant {
        Variant::Faulty => writeln!(out, "  lo = left, hi = right;")?,
        Variant::Corrected => writeln!(out, "  lo = left, eq = left, hi = right;")?,
        Variant::Sorting => {
            writeln!(out, "  lo = left, eq = left, hi = right, piv = a[right];")?;
        }
        Variant::Random => {
            writeln!(out, "  p = undef;")?;
            writeln!(out, "  skip (left <= p && p <= right);")?;
            writeln!(out, "  lo = left, eq = left, hi = right, piv = a[p];")?;
        }
    }
    write_loop(options, out)?;
    write_calls(options, out)?;
    writeln!(out, "}}\n\nmodule void main()\n{{")?;
    if sorts {
        writeln!(out, "  quicksort(1, M);")?;
        writeln!(out, "  if")?;
        writeln!(out, "  :: A i (1,M-1) a[i] <= a[i+1] -> goto ok;")?;
        writeln!(out, "  :: else -> goto unsorted;")?;
        writeln!(out, "  fi")?;
        writeln!(out, "ok: goto ok;")?;
        writeln!(out, "unsorted: goto unsorted;")?;
    } else {
        writeln!(out, "  int l, r;")?;
        writeln!(out, "  quicksort(l, r);")?;
        writeln!(out, "main1: skip;")?;
    }
    writeln!(out, "}}")
}

fn question(options: &Options) -> &'static str {
    match (options.variant, options.guards) {
        (Variant::Faulty, _) => "Does it terminate? No: `--terminates` is violated.",
        (Variant::Corrected, false) => {
            "Does it terminate? Yes: `--terminates --overflow block` holds."
        }
        (Variant::Corrected, true) => {
            "Does it terminate? Yes: `--terminates` holds, whatever `--overflow` says."
        }
        (_, false) => "Does it sort? Yes: `--ltl '<> ok' --overflow block` holds.",
        (_, true) => "Does it sort? Yes: `--ltl '<> ok'` holds, whatever `--overflow` says.",
    }
}

/// How entries are compared with the pivot, and exchanged.
struct Steps {
    greater: &'static str,
    smaller: &'static str,
    equal: &'static str,
    exchange_three: &'static str,
    exchange: &'static str,
}

fn steps(variant: Variant) -> Steps {
    match variant {
        // A free choice, but for the first round: the pivot is where that looks.
        Variant::Faulty | Variant::Corrected => Steps {
            greater: "(hi != right || lo != left)",
            smaller: "(hi != right || lo != left)",
            equal: "true",
            exchange_three: "",
            exchange: "",
        },
        Variant::Sorting | Variant::Random => Steps {
            greater: "a[hi] > piv",
            smaller: "a[hi] < piv",
            equal: "a[hi] == piv",
            // Where two of the places are the same, the later assignment is the right one.
            exchange_three: "a[hi] = a[lo], a[lo] = a[eq], a[eq] = a[hi], ",
            exchange: "a[lo] = a[hi], a[hi] = a[lo], ",
        },
    }
}

/// The loop that divides the interval.
fn write_loop(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Steps {
        greater,
        smaller,
        equal,
        exchange_three,
        exchange,
    } = steps(options.variant);
    let has_equal_block = options.variant != Variant::Faulty;
    if options.guards {
        writeln!(out, "  first = true, second = true;")?;
    }
    let within = if options.guards {
        "lo < hi"
    } else {
        "lo <= hi"
    };
    writeln!(out, "  do")?;
    writeln!(out, "  :: {within} && {greater} -> hi = hi - 1;")?;
    if has_equal_block {
        writeln!(
            out,
            "  :: {within} && {smaller} -> {exchange_three}eq = eq + 1, lo = lo + 1;"
        )?;
    }
    writeln!(out, "  :: {within} && {equal} -> {exchange}lo = lo + 1;")?;
    if options.guards {
        // The last round, in which `lo` or `hi` might leave the range of its integers.
        writeln!(out, "  :: lo == hi && {greater} ->")?;
        writeln!(out, "     if :: hi == left -> first = false;")?;
        writeln!(out, "     :: else -> hi = hi - 1; fi")?;
        writeln!(out, "     break;")?;
        let mut last = |condition: &str, before: &str| -> io::Result<()> {
            writeln!(out, "  :: lo == hi && {condition} ->")?;
            if let Some(before) = before.strip_suffix(", ") {
                writeln!(out, "     {before};")?;
            }
            writeln!(out, "     if :: lo == right -> second = false;")?;
            writeln!(out, "     :: else -> lo = lo + 1; fi")?;
            writeln!(out, "     break;")
        };
        if has_equal_block {
            last(smaller, &format!("{exchange_three}eq = eq + 1, "))?;
        }
        last(equal, exchange)?;
    }
    writeln!(out, "  :: else -> break;")?;
    writeln!(out, "  od")
}

fn write_calls(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let (is_first, end) = match options.variant {
        Variant::Faulty => ("first", "hi"),
        _ => ("eq > left", "eq - 1"),
    };
    let mut call = |condition: &str, call: String| match options.guards {
        false => writeln!(out, "  {call}"),
        true => writeln!(out, "  if :: {condition} -> {call} :: else -> skip; fi"),
    };
    call(is_first, format!("quicksort(left, {end});"))?;
    call("second", "quicksort(lo, right);".to_owned())
}

/// The pushdown system with the same executions.
pub fn write_system(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let variant = options.variant;
    let sorts = matches!(variant, Variant::Sorting | Variant::Random);
    let has_equal_block = variant != Variant::Faulty;
    match variant {
        Variant::Faulty => writeln!(out, "# Quicksort. `<> main1` is violated.")?,
        Variant::Corrected => writeln!(out, "# Quicksort. `<> main1` holds.")?,
        _ => writeln!(out, "# Quicksort with its array. `<> ok` holds.")?,
    }
    writeln!(out, "define N {}", options.bits)?;
    if sorts {
        writeln!(out, "define M {}\n", options.entries)?;
        writeln!(out, "global int a[1,M](N);")?;
    }
    let eq = if has_equal_block { " eq(N)," } else { "" };
    let piv = if sorts { ", piv(N)" } else { "" };
    writeln!(
        out,
        "local(qs0,qs1,qs2,qs3) int left(N), right(N),{eq} lo(N), hi(N){piv};\n"
    )?;
    writeln!(out, "(q <main0>)\n")?;
    // What stays as it is must be said.
    let array = if sorts {
        " & (A i (1,M) a'[i] = a[i])"
    } else {
        ""
    };
    let alone = array.strip_prefix(" & ").unwrap_or("left = left");
    let ends = "left' = left & right' = right";
    let keep_eq = if has_equal_block { " & eq' = eq" } else { "" };
    let keep_piv = if sorts { " & piv' = piv" } else { "" };
    if sorts {
        writeln!(
            out,
            "q <main0> --> q <qs0 main1> (left' = 1 & right' = M{array})"
        )?;
        writeln!(
            out,
            "q <main1> --> q <ok> ((A i (1,M-1) a[i] <= a[i+1]){array})"
        )?;
        writeln!(
            out,
            "q <main1> --> q <unsorted> ((E i (1,M-1) a[i] > a[i+1]){array})"
        )?;
        writeln!(out, "q <ok> --> q <ok> ({alone})")?;
        writeln!(out, "q <unsorted> --> q <unsorted> ({alone})\n")?;
    } else {
        writeln!(out, "q <main0> --> q <qs0 main1>")?;
        writeln!(out, "q <main1> --> q <main1>\n")?;
    }
    writeln!(
        out,
        "q <qs0> --> q <> \"nothing to do\" (left >= right{array})"
    )?;
    let begin = if has_equal_block { " & eq' = left" } else { "" };
    let pivot = match variant {
        Variant::Sorting => " & piv' = a[right]",
        Variant::Random => " & (E i (1,M) (left <= i & i <= right & piv' = a[i]))",
        _ => "",
    };
    writeln!(
        out,
        "q <qs0> --> q <qs1> \"begin\" (left < right & {ends}{begin} & lo' = left & hi' = right{pivot}{array})"
    )?;
    let free = "(hi != right | lo != left)";
    let (greater, smaller, equal) = match sorts {
        false => (free, free, "lo <= hi"),
        true => ("a[hi] > piv", "a[hi] < piv", "a[hi] = piv"),
    };
    writeln!(
        out,
        "q <qs1> --> q <qs1> \"hi--\" (lo <= hi & {greater} & {ends}{keep_eq}{keep_piv} & lo' = lo & hi' = hi-1{array})"
    )?;
    if has_equal_block {
        let exchange = match sorts {
            false => "",
            true => {
                " & (A i (1,M) (i = eq | i = lo | i = hi | a'[i] = a[i]))\n    \
                 & a'[eq] = a[hi] & (lo = hi | a'[hi] = a[lo]) & (eq = lo | a'[lo] = a[eq])"
            }
        };
        writeln!(
            out,
            "q <qs1> --> q <qs1> \"eq++, lo++\" (lo <= hi & {smaller} & {ends}{keep_piv} & eq' = eq+1 & lo' = lo+1 & hi' = hi{exchange})"
        )?;
    }
    let exchange = match sorts {
        false => "",
        true => {
            " & (A i (1,M) (i = lo | i = hi | a'[i] = a[i]))\n    \
             & a'[lo] = a[hi] & a'[hi] = a[lo]"
        }
    };
    writeln!(
        out,
        "q <qs1> --> q <qs1> \"lo++\" (lo <= hi & {equal} & {ends}{keep_eq}{keep_piv} & lo' = lo+1 & hi' = hi{exchange})"
    )?;
    let end = if has_equal_block { "eq-1" } else { "hi" };
    writeln!(
        out,
        "q <qs1> --> q <qs0 qs2> \"first call\" (lo > hi & left' = left & right' = {end} & lo'' = lo & right'' = right{array})"
    )?;
    writeln!(
        out,
        "q <qs2> --> q <qs0 qs3> \"second call\" (left' = lo & right' = right{array})"
    )?;
    writeln!(out, "q <qs3> --> q <> ({alone})")
}
