//! The static meaning of C: names, scopes, types, conversions, constants, initialisers.
//!
//! [`tree`] is what comes out, [`types`] has the types and their layout in memory.
//!
//! The nodes of a syntax tree come in the order of the source, each after what it is made of, so
//! that one walk over them is enough: operands wait on a stack for their operator, statements for
//! the one around them, the parts of a declarator for its end. Linear time, and no recursion. A
//! mistake is reported and gives something of unknown type, about which nothing is said again.

mod assignment;
mod barrier;
mod branches;
mod builtin;
mod call;
mod compatibility;
mod conversion;
mod declaration;
mod declarator;
mod designator;
mod fold;
mod function;
mod initialiser;
mod jumps;
mod layout;
mod library;
mod literal;
mod loops;
mod member;
mod operand;
mod operators;
mod outside;
mod pointers;
mod primary;
pub mod rule;
mod scope;
mod sequence;
mod size;
mod specifiers;
mod spelling;
mod statement;
mod static_value;
mod switch;
mod tags;
pub mod tree;
pub mod types;
mod watched;
pub mod weave;

use crate::diagnostic::Diagnostic;
use crate::names::{Name, Names};
use crate::source::{Source, Span};
use crate::syntax::Collector;
use crate::syntax::c::token::Token;
use crate::syntax::c::tree::{Node, NodeKind, Tree};
use crate::syntax::c::{DataModel, Preprocessed, parse, parse_declarations};
use crate::syntax::kit::Scoped;
use crate::syntax::slic;
use declaration::Linkage;
use declarator::{Header, Part, TypeOperand};
use function::OpenFunction;
use initialiser::Initialising;
use operand::Operand;
use rule::{OpenRule, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Declared, Meaning, Symbol, Tag};
use specifiers::Declaration;
use statement::OpenStatement;
use tags::{OpenEnumeration, OpenRecord};
use tree::{
    ExpressionId, FunctionId, ObjectId, Outside, Program, RecordId, StatementId, StatementKind,
    TypeId, Types,
};

/// What was read of C files.
#[derive(Debug)]
pub struct Typed {
    /// All files that were read.
    pub source: Source,
    /// If there is no error.
    pub program: Option<Program>,
    /// All that is wrong or doubtful, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
}

/// What files are read for that follow those of the program.
#[derive(Debug, Default)]
pub struct Following {
    /// A rule about it, which the first of them is.
    pub rule: Option<Rule>,
    /// The functions that the last of them defines. There the variable `x` of a function `f`, of any
    /// block, is also known as `f.x`.
    pub observers: Vec<FunctionId>,
}

/// The program that preprocessed files make together.
pub fn program(preprocessed: Preprocessed, model: DataModel) -> Typed {
    program_and(preprocessed, (false, false), model).0
}

/// The program that preprocessed files make together but for the last ones: a rule about it, if there
/// is one, and what observes it, if there is such a file.
pub fn program_and(
    mut preprocessed: Preprocessed,
    (has_rule, has_observers): (bool, bool),
    model: DataModel,
) -> (Typed, Following) {
    let units = &mut preprocessed.units;
    let observers = if has_observers { units.pop() } else { None };
    let rule = if has_rule { units.pop() } else { None };
    let mut collector = std::mem::take(&mut preprocessed.collector);
    let trees = parse_units(&preprocessed, &mut collector);
    let types: Vec<Name> = trees.iter().flat_map(|tree| &tree.types).copied().collect();
    let rule = rule.map(|unit| slic::parse(&unit.tokens, &preprocessed, &types, &mut collector));
    let tree = observers.as_ref().map(|unit| {
        let (vocabulary, source) = (&preprocessed.vocabulary, &preprocessed.source);
        parse_declarations(&unit.tokens, vocabulary, source, &mut collector, &types)
    });
    let names = std::mem::take(&mut preprocessed.vocabulary.names);
    let mut typing = Typing::new(&preprocessed, names, collector, model);
    let declared = typing.units(&trees);
    let mut following = Following {
        rule: rule
            .as_ref()
            .map(|rule| typing.rule(rule, declared.clone())),
        observers: Vec::new(),
    };
    let first = typing.program.functions.len() as u32;
    if let (Some(unit), Some(tree)) = (&observers, &tree) {
        typing.unit = preprocessed.units.len() as u32;
        typing.tokens = &unit.tokens;
        typing.resume_scope(declared);
        typing.observes = true;
        tree.nodes.iter().for_each(|node| typing.node(*node));
        typing.close_scope();
        let functions = first..typing.program.functions.len() as u32;
        following.observers = functions.map(FunctionId).collect();
    }
    let (program, collector) = (typing.program, typing.collector);
    let typed = typed(program, collector, preprocessed.source);
    (typed, following)
}

fn parse_units(preprocessed: &Preprocessed, collector: &mut Collector) -> Vec<Tree> {
    let parsed = preprocessed.units.iter().map(|unit| {
        let (vocabulary, source) = (&preprocessed.vocabulary, &preprocessed.source);
        parse(&unit.tokens, vocabulary, source, collector)
    });
    parsed.collect()
}

fn typed(program: Program, mut collector: Collector, source: Source) -> Typed {
    if !collector.has_errors() {
        let warnings = sequence::warnings(&program, &source).into_iter();
        warnings.for_each(|warning| collector.report(warning));
    }
    Typed {
        source,
        program: (!collector.has_errors()).then_some(program),
        diagnostics: collector.finish(),
    }
}

/// `_Generic` whose arms are being read.
#[derive(Debug)]
struct Generic {
    type_id: TypeId,
    chosen: Option<Operand>,
    default: Option<Operand>,
    span: Span,
}

/// The walk over a syntax tree, and what it has made so far.
struct Typing<'a> {
    program: Program,
    collector: Collector,
    preprocessed: &'a Preprocessed,
    /// Of the file that is read.
    tokens: &'a [Token],
    unit: u32,
    symbols: Scoped<Meaning>,
    tags: Scoped<Tag>,
    /// What has linkage between files.
    linked: FxHashMap<Name, Symbol>,
    object_linkage: FxHashMap<ObjectId, Linkage>,
    function_linkage: FxHashMap<FunctionId, Linkage>,
    /// The global variables that this file defines.
    tentative: Vec<ObjectId>,
    /// The members of structs and unions by name; without name, that there is such a one.
    members: FxHashMap<(RecordId, Option<Name>), u32>,
    /// Structs and unions of which something could not be read.
    lost_records: FxHashSet<RecordId>,
    /// Objects whose address cannot be taken.
    registers: FxHashSet<ObjectId>,
    /// The values of floating constants.
    floats: FxHashMap<ExpressionId, f64>,
    /// Calls of functions whose parameters were not known.
    loose_calls: Vec<ExpressionId>,

    operands: Vec<Operand>,
    types: Vec<TypeOperand>,
    generics: Vec<Generic>,
    declarations: Vec<Declaration>,
    parts: Vec<Part>,
    /// The parentheses of declarators that are open, by their place in `parts`.
    opens: Vec<usize>,
    headers: Vec<Header>,
    records: Vec<OpenRecord>,
    enumerations: Vec<OpenEnumeration>,
    initialisers: Vec<Initialising>,
    function: Option<OpenFunction>,
    open: Vec<OpenStatement>,
    /// Complete statements that are part of what is open.
    pending: Vec<StatementId>,
    /// What `break` leaves and `continue` repeats, the innermost last.
    breakable: Vec<StatementId>,
    loops: Vec<StatementId>,
    /// The `switch` statements among `open`.
    switches: Vec<usize>,
    barriers: barrier::Barriers,
    /// While a rule is read.
    rule: Option<OpenRule>,
    /// Whether variables of functions are known as their members.
    observes: bool,
}

impl<'a> Typing<'a> {
    fn new(
        preprocessed: &'a Preprocessed,
        names: Names,
        collector: Collector,
        model: DataModel,
    ) -> Self {
        Typing {
            program: Program {
                names,
                types: Types::new(model),
                objects: Vec::new(),
                functions: Vec::new(),
                expressions: Vec::new(),
                places: Vec::new(),
                statements: Vec::new(),
                labels: Vec::new(),
                arguments: Vec::new(),
                blocks: Vec::new(),
                writes: Vec::new(),
                cases: Vec::new(),
            },
            collector,
            preprocessed,
            tokens: &[],
            unit: 0,
            symbols: Scoped::default(),
            tags: Scoped::default(),
            linked: FxHashMap::default(),
            object_linkage: FxHashMap::default(),
            function_linkage: FxHashMap::default(),
            tentative: Vec::new(),
            members: FxHashMap::default(),
            lost_records: FxHashSet::default(),
            registers: FxHashSet::default(),
            floats: FxHashMap::default(),
            loose_calls: Vec::new(),
            operands: Vec::new(),
            types: Vec::new(),
            generics: Vec::new(),
            declarations: Vec::new(),
            parts: Vec::new(),
            opens: Vec::new(),
            headers: Vec::new(),
            records: Vec::new(),
            enumerations: Vec::new(),
            initialisers: Vec::new(),
            function: None,
            open: Vec::new(),
            pending: Vec::new(),
            breakable: Vec::new(),
            loops: Vec::new(),
            switches: Vec::new(),
            barriers: barrier::Barriers::default(),
            rule: None,
            observes: false,
        }
    }

    fn model(&self) -> DataModel {
        self.program.types.model
    }

    /// All files; gives what they have declared.
    fn units(&mut self, trees: &[Tree]) -> Declared {
        let mut declared = Declared::default();
        for (index, tree) in trees.iter().enumerate() {
            declared.extend(self.unit(index, tree));
        }
        self.settle_calls();
        declared
    }

    /// A file; gives what it has declared.
    fn unit(&mut self, index: usize, tree: &Tree) -> Declared {
        self.unit = index as u32;
        self.tokens = &self.preprocessed.units[index].tokens;
        self.open_scope();
        for node in &tree.nodes {
            self.node(*node);
        }
        self.complete_globals();
        self.suspend_scope()
    }

    fn node(&mut self, Node { kind, span }: Node) {
        match kind {
            NodeKind::Identifier(name) => self.identifier(name, span),
            NodeKind::Callee(name) => self.callee(name, span),
            NodeKind::Constant(token) => self.literal(token, span),
            NodeKind::Parentheses => self.parentheses(span),
            NodeKind::Unary(operator) => self.unary(operator, span),
            NodeKind::Binary(operator) => self.binary(operator),
            NodeKind::Assign => self.assign(),
            NodeKind::CompoundAssign(operator) => self.compound_assign(operator),
            NodeKind::Conditional => self.conditional(),
            NodeKind::Elvis => self.elvis(),
            NodeKind::Index => self.index(span),
            NodeKind::Call(count) => self.call(count, span),
            NodeKind::Member(name) => self.member(name, span),
            NodeKind::Arrow(name) => self.arrow(name, span),
            NodeKind::Cast => self.cast(span),
            NodeKind::SizeofExpression => self.sizeof_expression(span),
            NodeKind::Sizeof => self.sizeof_type(span),
            NodeKind::AlignofExpression => {
                let operand = self.pop();
                let type_id = self.operand_type(operand);
                self.alignof(type_id, span.to(operand.span));
            }
            NodeKind::Alignof => {
                let type_id = self.pop_type().qualified.id;
                self.alignof(type_id, span);
            }
            NodeKind::CompoundLiteral => self.begin_compound_literal(span),
            NodeKind::EndCompoundLiteral => self.end_compound_literal(span),
            NodeKind::Offsetof => self.offsetof(span),
            NodeKind::EndOffsetof => self.end_offsetof(span),
            NodeKind::Generic => self.generic(),
            NodeKind::GenericArm => self.generic_arm(span, false),
            NodeKind::GenericDefault => self.generic_arm(span, true),
            NodeKind::EndGeneric => self.end_generic(span),
            NodeKind::ChooseExpression => self.choose(span),
            NodeKind::TypesCompatible => self.types_compatible(span),
            NodeKind::VaArg => {
                self.pop_value();
                let type_id = self.pop_type().qualified.id;
                self.push_outside(Outside::VariableArguments, type_id, span);
            }
            NodeKind::LabelAddress(name) => self.label_address(name, span),
            NodeKind::StatementExpression => self.begin_statement_expression(),
            NodeKind::EndStatementExpression => self.end_statement_expression(span),
            _ => self.declaration_node(kind, span),
        }
    }

    /// What belongs to declarations.
    fn declaration_node(&mut self, kind: NodeKind, span: Span) {
        match kind {
            NodeKind::Declaration(context) => self.begin_declaration(context, span),
            NodeKind::Specifier(specifier) => self.specifier(specifier, span),
            NodeKind::TypedefName(name) => self.typedef_name(name),
            NodeKind::UnknownType => self.unknown_type(),
            NodeKind::TypeofExpression => self.typeof_expression(),
            NodeKind::Typeof => self.typeof_type(),
            NodeKind::Atomic => self.atomic_type(),
            NodeKind::Alignas => {
                self.pop_type();
            }
            NodeKind::AlignasExpression => {
                self.pop_value();
            }
            NodeKind::Attribute(attribute) => self.attribute(attribute, span),
            NodeKind::Record {
                is_union,
                tag,
                defines,
            } => self.record(is_union, tag, defines, span),
            NodeKind::EndRecord { packed } => self.end_record(packed, span),
            NodeKind::Enumeration { tag, defines } => self.enumeration(tag, defines, span),
            NodeKind::Enumerator { name, has_value } => self.enumerator(name, has_value, span),
            NodeKind::EndEnumeration => self.end_enumeration(span),
            NodeKind::Specifiers => self.end_specifiers(),
            NodeKind::Declarator => self.begin_declarator(),
            NodeKind::Pointer => self.parts.push(Part::Pointer(Default::default())),
            NodeKind::Qualifier(qualifier) => self.pointer_qualifier(specifiers::one(qualifier)),
            NodeKind::Open => self.open_part(),
            NodeKind::Close => self.close_part(),
            NodeKind::DeclaredName(name) => self.parts.push(Part::Name(name, span)),
            NodeKind::Array(length) => self.array_part(length, span),
            NodeKind::Parameters => self.begin_parameters(),
            NodeKind::Parameter => self.parameter(span),
            NodeKind::EndParameters { variadic } => self.end_parameters(variadic),
            NodeKind::OldParameters => self.old_parameters(),
            NodeKind::OldParameter(name) => self.old_parameter(name, span),
            NodeKind::BitField => self.bit_field(span),
            NodeKind::EndMember => self.end_member(span),
            NodeKind::Declare { initialised } => self.declare_declarator(initialised),
            NodeKind::Initialiser => self.end_initialiser(span),
            NodeKind::TypeName => self.type_name(),
            NodeKind::EndDeclaration => self.end_declaration(span),
            NodeKind::Function => self.begin_function(span),
            NodeKind::EndFunction => self.end_function(span),
            NodeKind::StaticAssert { message } => self.static_assert(message),
            NodeKind::List => self.begin_list(span),
            NodeKind::EndList => self.end_list(span),
            NodeKind::Item => self.item(),
            NodeKind::DesignateField(name) => self.designate_field(name, span),
            NodeKind::DesignateIndex => self.designate_index(false, span),
            NodeKind::DesignateRange => self.designate_index(true, span),
            _ => self.statement_node(kind, span),
        }
    }

    /// What belongs to statements.
    fn statement_node(&mut self, kind: NodeKind, span: Span) {
        match kind {
            NodeKind::Block => self.begin_block(span),
            NodeKind::EndBlock => self.end_block(),
            NodeKind::ExpressionStatement => self.expression_statement(span),
            NodeKind::Empty => self.emit(StatementKind::Empty, span),
            NodeKind::If => self.begin_if(span),
            NodeKind::Then => self.then(span),
            NodeKind::Else => self.or_else(),
            NodeKind::EndIf => self.end_if(),
            NodeKind::While => self.begin_while(span),
            NodeKind::Body => self.body(span),
            NodeKind::EndWhile => self.end_while(),
            NodeKind::Do => self.begin_do(span),
            NodeKind::DoWhile => self.do_while(span),
            NodeKind::EndDo => self.end_do(span),
            NodeKind::For => self.begin_for(span),
            NodeKind::ForCondition => self.for_condition(),
            NodeKind::ForStep => self.for_step(),
            NodeKind::EndFor => self.end_for(),
            NodeKind::Switch => self.begin_switch(span),
            NodeKind::EndSwitch => self.end_switch(),
            NodeKind::Case { is_range } => self.case(is_range, span),
            NodeKind::Default => self.default(span),
            NodeKind::Label(name) => self.label(name, span),
            NodeKind::EndLabel => self.end_label(),
            NodeKind::LocalLabel(name) => self.local_label(name, span),
            NodeKind::Goto(name) => self.goto(name, span),
            NodeKind::ComputedGoto => {
                self.pop_value();
                self.emit(StatementKind::Outside(Outside::ComputedGoto), span);
            }
            NodeKind::Break => self.break_or_continue(true, span),
            NodeKind::Continue => self.break_or_continue(false, span),
            NodeKind::Return { has_value } => self.return_statement(has_value, span),
            NodeKind::Assembly => self.emit(StatementKind::Outside(Outside::Assembly), span),
            NodeKind::Abort { text } => self.abort(text, span),
            NodeKind::Halt => self.emit(StatementKind::Halt, span),
            NodeKind::Lost(name) => self.lost(name, span),
            NodeKind::Unreadable => self.unreadable(span),
            _ => {}
        }
    }

    /// The operand's place has its parentheses.
    fn parentheses(&mut self, span: Span) {
        if let Some(operand) = self.operands.last_mut() {
            operand.span = operand.span.to(span);
            if let operand::OperandKind::Value(id) = operand.kind {
                let span = operand.span;
                self.widen(id, span);
            }
        }
    }
}
