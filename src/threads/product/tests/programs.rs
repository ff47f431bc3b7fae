//! Programs whose answers are known.

use super::{program, search};
use crate::analysis::control::Control;
use crate::interpreter::threads::replay::replay;
use crate::program::PointId;
use crate::property::Property;
use crate::threads::Measure;
use crate::threads::product::Plan;
use crate::threads::product::population::created_threads;

/// The Bluetooth driver: may the stopper stop while an adder is at work?
const BLUETOOTH: &str = "
    decl flag, event, stopped, p0, p1, p2;
    void init() begin
        flag, event, stopped, p0, p1, p2 := 0, 0, 0, 1, 0, 0;
    end
    bool increment() begin
        atomic begin
            assume(!(p0 & p1 & p2));
            p0, p1, p2 := !p0, p1 != p0, p2 != (p0 & p1);
        end
        if (flag) then call decrement(); return 1; fi
        return 0;
    end
    void decrement() begin
        decl r;
        atomic begin
            assume(p0 | p1 | p2);
            p0, p1, p2 := !p0, p1 != !p0, p2 != (!p0 & !p1);
            r := !p0 & !p1 & !p2;
        end
        if (r) then event := 1; fi
    end
    void adder() begin
        decl status;
        status := increment();
        if (!status) then assert(!stopped); fi
        call decrement();
    end
    void stopper() begin
        flag := 1;
        call decrement();
        assume(event);
        stopped := 1;
    end";

/// The fewest switches and rounds by which a property is violated, both replayed; `None` if it
/// holds for every number of them.
fn bounds(text: &str, property: &Property) -> Option<[u64; 2]> {
    let program = program(text);
    let bounds = [Measure::Switches, Measure::Rounds].map(|measure| {
        let (mut found, layer) = search(&program, std::slice::from_ref(property), measure);
        let Some((bound, trace)) = found.remove(0) else {
            assert!(layer.is_complete);
            return None;
        };
        assert!(property.asks_for(&trace), "{trace:?}");
        let replayed = replay(&program, &trace).unwrap_or_else(|e| panic!("{e}: {trace:#?}"));
        let counted = match measure {
            Measure::Switches => replayed.switches,
            Measure::Rounds => replayed.rounds,
        };
        assert_eq!(bound, counted);
        Some(bound)
    });
    Some([bounds[0]?, bounds[1]?])
}

fn assertions(text: &str) -> Option<[u64; 2]> {
    bounds(text, &Property::Assertions)
}

fn label(text: &str, label: &str) -> Option<[u64; 2]> {
    let program = program(text);
    let labels = program.labels.iter();
    let points = labels.filter(|(_, name)| program.names.text(*name) == label);
    let points: Vec<PointId> = points.map(|(point, _)| *point).collect();
    assert!(!points.is_empty());
    bounds(text, &Property::Reach(points))
}

#[test]
fn bluetooth_fails_after_as_many_switches_as_published() {
    let published = [
        ("adder(), stopper()", None),
        ("adder(), stopper()[2]", Some([3, 2])),
        ("adder()[2], stopper()", Some([4, 3])),
        ("adder()[2], stopper()[2]", Some([3, 2])),
    ];
    for (threads, expected) in published {
        let text = format!("{BLUETOOTH} thread {threads};");
        assert_eq!(assertions(&text), expected, "{threads}");
    }
}

#[test]
fn peterson_keeps_two_threads_apart() {
    let thread = |mine: &str, others: &str, turn: &str, before: &str| {
        format!(
            "void t{mine}() begin while (*) do
                {before}
                while ({others} & {turn}) do skip; od
                inside{mine} := 1; assert(!(insidea & insideb)); inside{mine} := 0;
                {mine} := 0;
            od end"
        )
    };
    let text = |order: [&str; 2]| {
        let first = thread(
            "a",
            "b",
            "turn",
            &order
                .map(|s| s.replace("ME", "a").replace("TURN", "1"))
                .concat(),
        );
        let second = thread(
            "b",
            "a",
            "!turn",
            &order
                .map(|s| s.replace("ME", "b").replace("TURN", "0"))
                .concat(),
        );
        format!(
            "decl a, b, turn, insidea, insideb;
            void init() begin a, b, insidea, insideb := 0, 0, 0, 0; end
            thread ta(), tb(); {first} {second}"
        )
    };
    let (mine, turn) = ("ME := 1;", "turn := TURN;");
    assert_eq!(assertions(&text([mine, turn])), None);
    // Giving way before one is known to wait is the classical mistake.
    assert_eq!(assertions(&text([turn, mine])), Some([2, 2]));
}

fn created(text: &str) -> Option<u64> {
    let program = program(text);
    created_threads(&program, &Control::of(&program))
}

#[test]
fn created_threads_have_the_next_numbers() {
    let text = "decl g, h;
        void main() begin
            decl x; g, h, x := 0, 0, 1;
            start_thread call p(x); x := 0;
            start_thread goto L;
            g := 1; goto E;
            L: assume(g & !x); start_thread p(1); h := 1;
            E: skip;
        end
        void p(y) begin
            assume(h & y); A: skip; g := 0; end_thread; B: skip;
        end";
    // To the copy of `main`, thread 3, and on to 4, or back to 2.
    assert_eq!(label(text, "A"), Some([2, 1]));
    assert_eq!(label(text, "B"), None);
    assert_eq!(created(text), Some(3));
}

#[test]
fn own_globals_are_copied() {
    let text = "decl g; decl thread_local own;
        void init() begin g, own := 0, 1; end
        thread p(), q();
        void p() begin assert(own); own := 0; g := 1; start_thread r(); end
        void q() begin assume(g); assert(own); Q: skip; end
        void r() begin R: assert(!own); end";
    assert_eq!(assertions(text), None);
    assert_eq!(label(text, "Q"), Some([1, 1]));
    assert_eq!(label(text, "R"), Some([1, 1]));
}

#[test]
fn an_exclusive_thread_is_not_left() {
    let text = "decl g; void init() begin g := 0; end thread p(), q();
        void p() begin
            atomic begin g := 1; call inner(); g := 1; atomic_end; g := 1; g := 0; end
        end
        void inner() begin atomic begin g := 0; return; end end
        void q() begin assume(g); Q: skip; end";
    assert_eq!(label(text, "Q"), Some([1, 1]));
    let whole = text.replace("atomic_end; g := 1;", "");
    assert_eq!(label(&whole, "Q"), None);
    // What waits while it is exclusive, waits for ever.
    let stuck = "decl g; void init() begin g := 0; end thread p(), q();
        void p() begin atomic begin assume(g); P: skip; end end
        void q() begin g := 1; end";
    assert_eq!(label(stuck, "P"), Some([1, 2]));
}

#[test]
fn threads_begin_where_thread_0_ends() {
    let text = "decl g; void init() begin assume(g); I: start_thread r(); end thread p();
        void p() begin P: assert(g); end void r() begin R: g := 0; end";
    assert_eq!(label(text, "I"), Some([0, 1]));
    assert_eq!(label(text, "P"), Some([0, 1]));
    assert_eq!(label(text, "R"), Some([0, 1]));
    assert_eq!(assertions(text), Some([1, 2]));
    let never = "decl g; void init() begin while (1) do skip; od end thread p();
        void p() begin P: skip; end";
    assert_eq!(label(never, "P"), None);
}

#[test]
fn programs_that_are_not_finite_have_no_plan() {
    let texts = [
        "thread p(); void p() begin call q(); end void q() begin if (*) then call p(); fi end",
        "void main() begin while (*) do start_thread p(); od end void p() begin skip; end",
        "void main() begin while (*) do call p(); od end
            void p() begin start_thread q(); end void q() begin skip; end",
        "void main() begin L: start_thread goto L; end",
        "thread p()[65]; void p() begin skip; end",
    ];
    for text in texts {
        assert!(Plan::of(&program(text)).is_none(), "{text}");
    }
    let many = "void main() begin start_thread p(); start_thread p(); end
        void p() begin call q(); call q(); end
        void q() begin if (*) then start_thread r(); else skip; fi end
        void r() begin while (*) do call s(); od end void s() begin skip; end";
    assert_eq!(created(many), Some(6));
}

#[test]
fn code_that_no_thread_comes_to_does_not_count() {
    let text = "decl g; void init() begin g := 0; end thread p();
        void p() begin
            if (0) then call p(); fi
            while (0) do start_thread p(); od
            g := 1; P: assert(!g);
        end";
    assert_eq!(created(text), Some(0));
    assert_eq!(label(text, "P"), Some([0, 1]));
    assert_eq!(assertions(text), Some([0, 1]));
}
