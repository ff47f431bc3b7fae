//! What names mean: constants, global variables, and those of the module that is looked at.

use super::terms::{Environment, Meaning};
use crate::lower::layout::VariableLayout;
use crate::lower::scope::Table;
use crate::lower::unknown::{Space, Unknown};
use crate::names::Name;
use crate::program::{Domain, VariableId};
use crate::syntax::remopla::Tree;
use crate::syntax::remopla::tree::{Identifier, Part};

/// A defined name or a name of an enumeration, and its number.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    pub identifier: Identifier,
    pub value: i128,
}

/// Variables, modules and labels are spaces of names of their own; a constant and a variable
/// cannot have the same name. The tables lead to the arrays beside them, or of the tree.
pub struct Scope<'a> {
    pub tree: &'a Tree,
    pub constants: Table,
    pub constant_values: Vec<Constant>,
    pub globals: Table,
    pub global_variables: Vec<VariableLayout>,
    pub global_domains: Vec<Domain>,
    pub locals: Table,
    pub local_variables: Vec<VariableLayout>,
    pub local_domains: Vec<Domain>,
    pub modules: Table,
    pub labels: Table,
    pub enumerations: Table,
    pub structs: Table,
    /// Of the struct that is looked at.
    pub fields: Table,
    /// Only constants are allowed.
    pub constants_only: bool,
    pub unknown: Unknown,
}

impl<'a> Scope<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        let table = || Table::new(&tree.names);
        Scope {
            tree,
            constants: table(),
            constant_values: Vec::new(),
            globals: table(),
            global_variables: Vec::new(),
            global_domains: Vec::new(),
            locals: table(),
            local_variables: Vec::new(),
            local_domains: Vec::new(),
            modules: table(),
            labels: table(),
            enumerations: table(),
            structs: table(),
            fields: table(),
            constants_only: true,
            unknown: Unknown::default(),
        }
    }

    pub fn constant(&self, name: Name) -> Option<Constant> {
        let index = self.constants.get(name)?;
        Some(self.constant_values[index as usize])
    }
}

impl Environment for Scope<'_> {
    fn find(&mut self, _: &Tree, parts: &[Part]) -> Option<Meaning> {
        let name = parts.first()?.identifier.name;
        if let Some(constant) = self.constant(name) {
            return Some(Meaning::Constant(constant.value));
        }
        if self.constants_only {
            return None;
        }
        // A local hides a global of the same name.
        let (variable, first) = match self.locals.get(name) {
            Some(index) => {
                let variable = &self.local_variables[index as usize];
                (variable, VariableId::Local(variable.first))
            }
            None => {
                let index = self.globals.get(name)?;
                let variable = &self.global_variables[index as usize];
                (variable, VariableId::Global(variable.first))
            }
        };
        if variable.broken {
            return Some(Meaning::Broken);
        }
        Some(Meaning::Variable {
            first,
            shape: variable.layout.shape.clone(),
            parts: 1,
        })
    }

    fn note_unknown(&mut self, _: &Tree, parts: &[Part]) {
        if let Some(part) = parts.first() {
            let space = match self.constants_only {
                true => Space::Constant,
                false => Space::Variable,
            };
            self.unknown.note(space, part.identifier);
        }
    }

    fn domain(&self, variable: VariableId) -> Domain {
        match variable {
            VariableId::Global(index) => self.global_domains[index as usize],
            VariableId::Local(index) => self.local_domains[index as usize],
        }
    }

    fn is_constant(&self) -> bool {
        self.constants_only
    }

    fn text(&self, name: Name) -> &str {
        self.tree.names.text(name)
    }
}
