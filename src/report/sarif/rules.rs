//! The rules that results are of, and the kinds of notifications.

use super::log::Reference;
use crate::property::Kind;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    id: &'static str,
    name: &'static str,
    short_description: Text,
    full_description: Text,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Text {
    text: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

const fn rule(
    id: &'static str,
    name: &'static str,
    short: &'static str,
    full: &'static str,
    level: &'static str,
) -> Rule {
    Rule {
        id,
        name,
        short_description: Text { text: short },
        full_description: Text { text: full },
        default_configuration: Configuration { level },
    }
}

pub const RULES: [Rule; 9] = [
    rule(
        "assertion",
        "FailingAssertion",
        "An assertion can fail.",
        "Some execution comes to an assertion whose condition is false there, or to an expression \
         that has no value.",
        "error",
    ),
    rule(
        "reach",
        "ReachableLabel",
        "A label that was asked for is reachable.",
        "Some execution comes to the statement with the label, or to the symbol on top of the \
         stack, that was asked for.",
        "error",
    ),
    rule(
        "termination",
        "EndlessExecution",
        "An execution may never end.",
        "Some execution goes on for ever: its loop can be repeated as often as one likes, perhaps \
         on a stack that grows.",
        "error",
    ),
    rule(
        "ltl",
        "ViolatedFormula",
        "A temporal formula is violated.",
        "Some infinite execution does not satisfy the formula of linear temporal logic.",
        "error",
    ),
    rule(
        "never",
        "ForbiddenExecution",
        "A forbidden execution is possible.",
        "The automaton of forbidden executions accepts some execution.",
        "error",
    ),
    rule(
        "input",
        "WrongInput",
        "The input is wrong.",
        "Nothing is decided: the program, a property or a file that goes with them has an error.",
        "error",
    ),
    rule(
        "no-overflow",
        "SignedOverflow",
        "A signed computation can overflow.",
        "Some execution computes a signed number that does not fit its type.",
        "error",
    ),
    rule(
        "defined",
        "UndefinedStep",
        "An undefined step can be taken.",
        "Some execution takes a step whose effect C does not define.",
        "error",
    ),
    rule(
        "slic",
        "ViolatedRule",
        "A rule about an interface can be violated.",
        "Some execution uses functions in a way that a rule about them forbids.",
        "error",
    ),
];

/// The rule of errors in the input.
pub const INPUT: Reference = Reference {
    id: RULES[5].id,
    index: 5,
};

pub const NOTIFICATIONS: [Rule; 2] = [
    rule(
        "unknown",
        "UndecidedProperty",
        "A property is undecided.",
        "A limit of time or memory has passed, or the run was interrupted, before the property \
         was decided.",
        "warning",
    ),
    rule(
        "internal",
        "InternalError",
        "The checker has found a mistake of its own.",
        "Nothing is claimed about the program.",
        "error",
    ),
];

pub const UNKNOWN: Reference = Reference {
    id: NOTIFICATIONS[0].id,
    index: 0,
};

pub const INTERNAL: Reference = Reference {
    id: NOTIFICATIONS[1].id,
    index: 1,
};

/// The rule of a kind of property.
pub fn rule_of(kind: Kind) -> Reference {
    let index = match kind {
        Kind::Assertions | Kind::Assertion => 0,
        // What is not decided is not violated.
        Kind::Reach | Kind::Prp => 1,
        Kind::Terminates => 2,
        Kind::Ltl => 3,
        Kind::Never => 4,
        Kind::NoOverflow => 6,
        Kind::Defined => 7,
        Kind::Slic => 8,
    };
    Reference {
        id: RULES[index].id,
        index,
    }
}
