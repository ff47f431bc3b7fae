//! C programs that have no mistakes, as the front end reads and types them.

use derny::internals::c::{DataModel, Options as Reading, preprocess};
use derny::internals::lower::c::{Lowered, Options, entry, lower};
use derny::internals::source::Source;
use derny::internals::typing::{FunctionId, Program, program};
use std::path::Path;
use std::sync::Arc;

pub struct Read {
    pub source: Arc<Source>,
    pub tree: Program,
    pub main: FunctionId,
}

pub fn read(text: &str) -> Read {
    let options = Reading {
        directories: Vec::new(),
        definitions: Vec::new(),
        model: DataModel::Lp64,
        honours_markers: true,
        reader: &|path: &Path| std::fs::read(path),
    };
    let file = ("case.c".to_owned(), text.as_bytes().to_vec());
    let typed = program(preprocess(vec![file], &options), DataModel::Lp64);
    let tree = typed.program.unwrap_or_else(|| {
        let messages: Vec<_> = typed.diagnostics.iter().map(|one| &one.message).collect();
        panic!("{messages:?}\n{text}")
    });
    let main = entry(&tree, "main").expect("a function to begin with");
    Read {
        source: Arc::new(typed.source),
        tree,
        main,
    }
}

impl Read {
    pub fn lowered(&self, options: &Options) -> Lowered {
        lower(self.source.clone(), &self.tree, self.main, options)
    }
}
