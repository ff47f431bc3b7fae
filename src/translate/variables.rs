//! The variables of the system: which cells of the program each one holds.
//!
//! `.pds` has scalars and arrays of one dimension. A field of a struct is a variable of its
//! own, and its cells in all entries of an array stand side by side, in the program form
//! already; so every range of cells that an index may lead to lies in one variable. An array
//! of one dimension keeps its indices, all others are numbered from 0.
//!
//! Locals are called `p.x`, so that none hides a global. Return values travel in globals that
//! matter only from a `return` to the end of the call: no rule in between keeps them.

use super::names::{Atoms, Spelling};
use crate::program::{Cell, Declaration, Domain, ProcedureId, Program, Shape, VariableId};
use std::ops::Range;

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub domain: Domain,
    /// For an array, its smallest index and its length.
    pub array: Option<(i64, u32)>,
}

#[derive(Debug)]
pub struct Variables {
    /// Globals, registers, and then the locals of each procedure.
    pub list: Vec<Variable>,
    pub globals: Range<u32>,
    locals: Vec<Range<u32>>,
    /// The variable of each global cell, and the place of the cell in it.
    global_cells: Vec<(u32, u32)>,
    local_cells: Vec<Vec<(u32, u32)>>,
    /// For each return value the variables that carry it: as a truth value, as a number.
    registers: Vec<[Option<u32>; 2]>,
    /// What quantifiers call their variable.
    pub bound: String,
}

/// A variable to be: what to call it, which cells it holds, and its indices.
struct Block<'a> {
    path: String,
    name: &'a str,
    first: u32,
    count: u32,
    array: Option<(i64, u32)>,
}

impl Variables {
    pub fn of(program: &Program, atoms: &Atoms, spelling: &mut Spelling) -> Self {
        let mut variables = Variables {
            list: Vec::new(),
            globals: 0..0,
            locals: Vec::new(),
            global_cells: Vec::new(),
            local_cells: Vec::new(),
            registers: Vec::new(),
            bound: String::new(),
        };
        let (cells, declarations) = (&program.globals, &program.declarations);
        let (range, places) = variables.add(program, ("global", ""), cells, declarations, spelling);
        variables.globals = range;
        variables.global_cells = places;
        variables.add_registers(program);
        for (procedure, name) in program.procedures.iter().zip(&atoms.procedures) {
            let (cells, declarations) = (&procedure.locals, &procedure.declarations);
            let prefix = format!("{name}.");
            let kind = ("local", prefix.as_str());
            let (range, places) = variables.add(program, kind, cells, declarations, spelling);
            variables.locals.push(range);
            variables.local_cells.push(places);
        }
        variables.bound = spelling.fresh("i");
        variables
    }

    /// Adds the variables of one scope; where they are, and where their cells are.
    fn add(
        &mut self,
        program: &Program,
        (kind, prefix): (&'static str, &str),
        cells: &[Cell],
        declarations: &[Declaration],
        spelling: &mut Spelling,
    ) -> (Range<u32>, Vec<(u32, u32)>) {
        let blocks = blocks(program, prefix, cells, declarations);
        let names: Vec<_> = blocks.iter().map(|b| (b.path.clone(), b.name)).collect();
        let names = spelling.spell(kind, &names);
        let begin = self.list.len() as u32;
        let mut places = vec![(0, 0); cells.len()];
        for (block, name) in blocks.iter().zip(names) {
            let variable = self.list.len() as u32;
            for k in 0..block.count {
                places[(block.first + k) as usize] = (variable, k);
            }
            self.list.push(Variable {
                name,
                domain: cells[block.first as usize].domain,
                array: block.array,
            });
        }
        (begin..self.list.len() as u32, places)
    }

    /// One for the i-th return values of all procedures that are truth values, and one for
    /// those that are numbers. `return` is a keyword of all languages.
    fn add_registers(&mut self, program: &Program) {
        let most = program.procedures.iter().map(|p| p.returns.len()).max();
        for i in 0..most.unwrap_or(0) {
            let domains = program.procedures.iter().filter_map(|p| p.returns.get(i));
            let is_truth = |domain: &&Domain| **domain == Domain::Boolean;
            let truth = domains.clone().any(|domain| is_truth(&domain));
            let bits = domains
                .filter(|d| !is_truth(d))
                .map(|d| d.bits().max(1) as u8);
            let truth = truth.then(|| self.register(format!("return.{i}"), Domain::Boolean));
            let number = bits
                .max()
                .map(|bits| self.register(format!("return.{i}.number"), Domain::Integer { bits }));
            self.registers.push([truth, number]);
        }
    }

    fn register(&mut self, name: String, domain: Domain) -> u32 {
        self.list.push(Variable {
            name,
            domain,
            array: None,
        });
        self.list.len() as u32 - 1
    }

    /// What carries return values.
    pub fn register_range(&self) -> Range<u32> {
        let end = self
            .locals
            .first()
            .map_or(self.list.len() as u32, |l| l.start);
        self.globals.end..end
    }

    pub fn locals(&self, procedure: ProcedureId) -> Range<u32> {
        self.locals[procedure.0 as usize].clone()
    }

    /// The variable that a cell belongs to, and its place there.
    pub fn cell(&self, procedure: ProcedureId, cell: VariableId) -> (u32, u32) {
        match cell {
            VariableId::Global(index) => self.global_cells[index as usize],
            VariableId::Local(index) => self.local_cells[procedure.0 as usize][index as usize],
        }
    }

    /// What carries the i-th return value, whose domain this is.
    pub fn register_of(&self, i: usize, domain: Domain) -> u32 {
        let [truth, number] = self.registers[i];
        let register = if domain == Domain::Boolean {
            truth
        } else {
            number
        };
        register.expect("each return value has a register")
    }

    pub fn get(&self, variable: u32) -> &Variable {
        &self.list[variable as usize]
    }
}

/// The variables that a row of cells is made of.
fn blocks<'a>(
    program: &'a Program,
    prefix: &str,
    cells: &[Cell],
    declarations: &'a [Declaration],
) -> Vec<Block<'a>> {
    let text = |name| program.names.text(name);
    if declarations.is_empty() {
        let block = |(first, cell): (u32, &Cell)| Block {
            path: prefix.to_owned(),
            name: text(cell.name),
            first,
            count: 1,
            array: None,
        };
        return (0..).zip(cells).map(block).collect();
    }
    let mut blocks = Vec::new();
    for declaration in declarations {
        let name = text(declaration.name);
        let (outer, element) = dimensions(&declaration.shape);
        let Shape::Struct { fields } = element else {
            blocks.push(Block {
                path: prefix.to_owned(),
                name,
                first: declaration.first,
                count: length(&outer),
                array: indices(&outer),
            });
            continue;
        };
        for field in fields {
            let (inner, _) = dimensions(&field.shape);
            let all: Vec<_> = outer.iter().chain(&inner).copied().collect();
            blocks.push(Block {
                path: format!("{prefix}{name}."),
                name: text(field.name),
                first: declaration.first + field.offset,
                count: length(&all),
                array: indices(&all),
            });
        }
    }
    blocks
}

/// The smallest index and the length of each dimension, and what is inside.
fn dimensions(shape: &Shape) -> (Vec<(i64, u32)>, &Shape) {
    let mut found = Vec::new();
    let mut shape = shape;
    while let Shape::Array {
        low,
        length,
        element,
        ..
    } = shape
    {
        found.push((*low, *length));
        shape = element;
    }
    (found, shape)
}

fn length(dimensions: &[(i64, u32)]) -> u32 {
    dimensions.iter().map(|(_, length)| length).product()
}

fn indices(dimensions: &[(i64, u32)]) -> Option<(i64, u32)> {
    match dimensions {
        [] => None,
        [one] => Some(*one),
        several => Some((0, length(several))),
    }
}
