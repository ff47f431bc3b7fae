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
use crate::rules::{DataVariable, Layout};
use rustc_hash::FxHashMap;
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
    list: Vec<Variable>,
    pub globals: Range<u32>,
    /// What carries return values.
    pub registers: Range<u32>,
    locals: Vec<Range<u32>>,
    global_cells: Cells,
    /// For each procedure its locals and then its return values.
    frame_cells: Vec<Cells>,
    /// What quantifiers call their variable.
    pub bound: String,
}

/// Cells by their first bits, in rising order: the variable of each, and its place there.
/// Those that have but one value have no bits, and are left out.
type Cells = Vec<(DataVariable, u32, u32)>;

/// A variable to be: what to call it, which cells it holds, and its indices.
struct Block<'a> {
    path: String,
    name: &'a str,
    first: u32,
    count: u32,
    array: Option<(i64, u32)>,
}

impl Variables {
    pub fn of(program: &Program, layout: &Layout, atoms: &Atoms, spelling: &mut Spelling) -> Self {
        let mut variables = Variables {
            list: Vec::new(),
            globals: 0..0,
            registers: 0..0,
            locals: Vec::new(),
            global_cells: Vec::new(),
            frame_cells: Vec::new(),
            bound: String::new(),
        };
        let cells = program.globals.iter().zip(0..);
        let bits = cells.map(|(_, k)| layout.global(k));
        let blocks = blocks(program, "", &program.globals, &program.declarations);
        variables.global_cells = variables.add("global", &program.globals, bits, &blocks, spelling);
        variables.globals = 0..variables.list.len() as u32;
        let registers = variables.add_registers(program);
        variables.registers = variables.globals.end..variables.list.len() as u32;
        for (id, procedure) in program.procedure_ids().zip(&program.procedures) {
            let begin = variables.list.len() as u32;
            let cells = &procedure.locals;
            let bits = (0..cells.len() as u32).map(|k| layout.cell(id, VariableId::Local(k)));
            let prefix = format!("{}.", atoms.procedure(id));
            let blocks = self::blocks(program, &prefix, cells, &procedure.declarations);
            let mut cells = variables.add("local", cells, bits, &blocks, spelling);
            for (domain, i) in procedure.returns.iter().zip(0..) {
                let bits = layout.returned(id, i);
                let register = registers.get(&(i, *domain != Domain::Boolean));
                cells.extend(
                    register
                        .filter(|_| !bits.is_empty())
                        .map(|r| (bits.start, *r, 0)),
                );
            }
            variables.frame_cells.push(cells);
            variables.locals.push(begin..variables.list.len() as u32);
        }
        variables.bound = spelling.fresh("i");
        variables
    }

    /// Adds the variables of one scope, whose cells have these bits; where the cells are.
    fn add(
        &mut self,
        kind: &'static str,
        cells: &[Cell],
        bits: impl Iterator<Item = Range<DataVariable>>,
        blocks: &[Block<'_>],
        spelling: &mut Spelling,
    ) -> Cells {
        let names: Vec<_> = blocks.iter().map(|b| (b.path.clone(), b.name)).collect();
        let names = spelling.spell(kind, &names);
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
        let cells = bits.zip(places).filter(|(bits, _)| !bits.is_empty());
        cells
            .map(|(bits, (variable, place))| (bits.start, variable, place))
            .collect()
    }

    /// One for the i-th return values of all procedures that are truth values, and one for
    /// those that are numbers. `return` is a keyword of all languages.
    fn add_registers(&mut self, program: &Program) -> FxHashMap<(u32, bool), u32> {
        let returns = || program.procedures.iter().map(|p| &p.returns);
        let most = returns().map(|returns| returns.len()).max();
        let mut registers = FxHashMap::default();
        for (i, is_number) in (0..most.unwrap_or(0)).flat_map(|i| [(i, false), (i, true)]) {
            let domains = returns().filter_map(|returns| returns.get(i));
            let domains = domains.filter(|domain| (**domain != Domain::Boolean) == is_number);
            let Some(bits) = domains.map(|domain| domain.bits().max(1)).max() else {
                continue;
            };
            registers.insert((i as u32, is_number), self.list.len() as u32);
            let (name, domain) = match is_number {
                false => (format!("return.{i}"), Domain::Boolean),
                true => {
                    let bits = bits as u8;
                    (format!("return.{i}.number"), Domain::Integer { bits })
                }
            };
            self.list.push(Variable {
                name,
                domain,
                array: None,
            });
        }
        registers
    }

    /// What carries the return values of a procedure.
    pub fn registers_of(&self, procedure: ProcedureId) -> impl Iterator<Item = u32> {
        let cells = self.frame_cells[procedure.0 as usize].iter();
        let variables = cells.map(|(_, variable, _)| *variable);
        variables.filter(|variable| self.registers.contains(variable))
    }

    pub fn locals(&self, procedure: ProcedureId) -> Range<u32> {
        self.locals[procedure.0 as usize].clone()
    }

    /// The variable that has the cell with these bits, as seen from inside a procedure, and
    /// the cell's place there; `None` if it has but one value.
    pub fn at(&self, procedure: ProcedureId, bits: &Range<DataVariable>) -> Option<(u32, u32)> {
        let find = |cells: &Cells| {
            let index = cells
                .binary_search_by_key(&bits.start, |cell| cell.0)
                .ok()?;
            Some((cells[index].1, cells[index].2))
        };
        let frame = &self.frame_cells[procedure.0 as usize];
        let found = find(frame).or_else(|| find(&self.global_cells));
        found.filter(|_| !bits.is_empty())
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
