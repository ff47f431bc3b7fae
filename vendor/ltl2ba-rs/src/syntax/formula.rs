//! Formulas as they were written: a hash-consed arena of nodes.
//!
//! Nodes are numbered, children before parents, and equal subformulas share a number.
//! Whoever needs a value for each subformula walks the numbers upwards with a table:
//! no recursion, so a formula may be nested as deeply as memory allows. Dropping the
//! arena drops two vectors.

use crate::syntax::proposition::Proposition;
use rustc_hash::FxHashMap;

/// Number of a subformula within its [`Formula`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The number as an index into tables over [`Formula::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators with one operand.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Unary {
    /// `!f`
    Not,
    /// `X f`: at the next position.
    Next,
    /// `F f`: now or later.
    Finally,
    /// `G f`: now and for ever.
    Globally,
}

/// Operators with two operands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Binary {
    /// `f && g`
    And,
    /// `f || g`
    Or,
    /// `f xor g`
    Xor,
    /// `f -> g`
    Implies,
    /// `f <-> g`
    Iff,
    /// `f U g`: `g` holds now or later, and `f` until then.
    Until,
    /// `f R g`: `g` holds up to and including the first `f`, for ever if there is none.
    Release,
    /// `f W g`: `f` until `g`, where `g` need not come. The same as `g R (f | g)`.
    WeakUntil,
    /// `f M g`: `f R g` where `f` must come. The same as `g U (f & g)`.
    StrongRelease,
}

/// One subformula.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true` or `false`.
    Constant(bool),
    /// The proposition of that index in [`Formula::propositions`].
    Proposition(u32),
    /// An operator with one operand.
    Unary(Unary, NodeId),
    /// An operator with two operands.
    Binary(Binary, NodeId, NodeId),
}

/// A formula: its nodes, the root among them, and its propositions.
#[derive(Clone, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, NodeId>,
    propositions: Vec<Proposition>,
    /// Indices of the propositions by text.
    indices: FxHashMap<String, u32>,
    root: NodeId,
}

impl Default for Formula {
    fn default() -> Self {
        Self::new()
    }
}

impl Formula {
    /// The formula `true`, to be built upon with [`Formula::add`].
    pub fn new() -> Self {
        let mut formula = Formula {
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            propositions: Vec::new(),
            indices: FxHashMap::default(),
            root: NodeId(0),
        };
        formula.root = formula.add(Node::Constant(true));
        formula
    }

    /// Adds a node unless there is an equal one, and gives its number.
    ///
    /// # Panics
    /// If an operand or a proposition of the node is not of this formula.
    pub fn add(&mut self, node: Node) -> NodeId {
        let known = self.nodes.len();
        let valid = match node {
            Node::Constant(_) => true,
            Node::Proposition(index) => (index as usize) < self.propositions.len(),
            Node::Unary(_, f) => f.index() < known,
            Node::Binary(_, f, g) => f.index() < known && g.index() < known,
        };
        assert!(valid, "a node must be built from nodes of its own formula");
        if let Some(&id) = self.numbers.get(&node) {
            return id;
        }
        let id = NodeId(known as u32);
        self.nodes.push(node);
        self.numbers.insert(node, id);
        id
    }

    /// Adds a proposition unless there is one of the same text, and gives its index.
    pub fn add_proposition(&mut self, proposition: Proposition) -> u32 {
        if let Some(&index) = self.indices.get(&proposition.text) {
            return index;
        }
        let index = self.propositions.len() as u32;
        self.indices.insert(proposition.text.clone(), index);
        self.propositions.push(proposition);
        index
    }

    /// Makes `root` the formula that is meant.
    pub fn set_root(&mut self, root: NodeId) {
        assert!(root.index() < self.nodes.len());
        self.root = root;
    }

    /// The negation of the formula.
    pub fn negated(&self) -> Formula {
        let mut formula = self.clone();
        let root = formula.add(Node::Unary(Unary::Not, formula.root));
        formula.root = root;
        formula
    }

    /// The root's number.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The subformulas, each once, in preorder: the root first, left before right.
    pub fn subformulas(&self) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut stack = vec![self.root];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            order.push(id);
            match self.node(id) {
                Node::Constant(_) | Node::Proposition(_) => {}
                Node::Unary(_, f) => stack.push(f),
                Node::Binary(_, f, g) => stack.extend([g, f]),
            }
        }
        order
    }

    /// All nodes, children before parents; some may not belong to the root.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The propositions, in the order of their first occurrence.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }
}
