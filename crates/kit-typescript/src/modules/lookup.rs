//! From a name to what it stands for: through scopes, imports, exports and paths.

use kit_diagnostics::{Diagnostic, codes};
use rustc_hash::FxHashSet;

use super::missing::word;
use super::module::{From, Link};
use super::{DeclId, DeclKind, Graph, ModuleId, Place, Value};
use crate::eval::is_known;

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Symbol<'a> {
    /// A type of the project or of a package.
    Type(DeclId),
    /// A member of an enum, by its number in `Graph::enum_members`.
    EnumMember(DeclId, usize),
    /// A value.
    Value(ModuleId, &'a str, Value<'a>),
    /// A namespace, or a file as a whole.
    Namespace(ModuleId),
    /// An export of one of kit's own packages, which need not be read.
    Kit(&'a str),
    /// Nothing declares it: a global of TypeScript's, or a slip.
    Global,
    /// A name that leads nowhere, explained.
    Broken(Box<Diagnostic>),
}

/// Which of its meanings a name is asked for. One name may have all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Meaning {
    Type,
    Value,
    Namespace,
}

/// The steps of one look-up, so that it ends where exports run in a circle.
pub(super) type Visited<'a> = FxHashSet<(ModuleId, &'a str, Meaning)>;

/// Stack that must be left for a step of a look-up, and how much more there is where it is not. Re-exports may be
/// chained as long as anybody likes.
const RED_ZONE: usize = 64 * 1024;
const MORE_STACK: usize = 1024 * 1024;

/// A look-up of more steps runs in circles that multiply: `import A = B.B`, `import B = C.C`, and so on.
const MOST_STEPS: u32 = 20_000;

impl<'a> Graph<'a> {
    /// What a type name means in a module.
    pub(crate) fn type_symbol(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        self.steps = 0;
        self.lookup(module, name, Meaning::Type, &mut Visited::default())
    }

    /// What a name means in an expression of a module.
    pub(crate) fn value_symbol(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        self.steps = 0;
        self.lookup(module, name, Meaning::Value, &mut Visited::default())
    }

    /// What a module exports as a type under a name.
    pub(super) fn exported_type(&mut self, module: ModuleId, name: &'a str) -> Option<Symbol<'a>> {
        self.steps = 0;
        self.exported(module, name, Meaning::Type, &mut Visited::default())
    }

    /// What a type name that nothing declares may mean after all: something of a package of types that no import names.
    pub(crate) fn late_type(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        if self.include_more() {
            self.type_symbol(module, name)
        } else {
            Symbol::Global
        }
    }

    /// Looks a name up from the inside out: in a module, in the other blocks of its namespace, in the module around it,
    /// among globals.
    pub(super) fn lookup(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        let mut current = Some(id);
        while let Some(id) = current {
            if let Some(symbol) = self.own(id, name, meaning) {
                return symbol;
            }
            if let Some(link) = self.module(id).imports.get(name).cloned() {
                return self.link(id, &link, meaning, visited);
            }
            if self.blocks(id).len() > 1 {
                for block in self.blocks(id).to_vec() {
                    if block != id
                        && self.module(block).exports.contains_key(name)
                        && let Some(symbol) = self.own(block, name, meaning)
                    {
                        return symbol;
                    }
                }
            }
            current = self.module(id).parent();
        }
        // Globals of these names add to TypeScript's own; they do not take their place.
        if meaning == Meaning::Type && is_known(name) {
            return Symbol::Global;
        }
        for index in 0..self.globals.len() {
            let block = self.globals[index];
            if let Some(symbol) = self.own(block, name, meaning) {
                return symbol;
            }
            if let Some(link) = self.module(block).imports.get(name).cloned() {
                return self.link(block, &link, meaning, visited);
            }
        }
        if let Some(file) = self.global_namespaces.get(name) {
            return self.as_a_whole(*file, meaning, visited).unwrap_or(Symbol::Global);
        }
        Symbol::Global
    }

    /// What a module itself declares.
    pub(super) fn own(&self, id: ModuleId, name: &str, meaning: Meaning) -> Option<Symbol<'a>> {
        let module = self.module(id);
        let namespace = || Some(Symbol::Namespace(*module.namespaces.get(name)?.first()?));
        let declared = || module.types.get(name).map(|decl| self.primary(*decl));
        match meaning {
            Meaning::Type => declared().map(Symbol::Type),
            Meaning::Value => match module.values.get_key_value(name) {
                Some((name, value)) => Some(Symbol::Value(id, name, *value)),
                None => namespace(),
            },
            Meaning::Namespace => namespace().or_else(|| {
                declared()
                    .filter(|decl| matches!(self.decl(*decl).kind, DeclKind::Enum(_)))
                    .map(Symbol::Type)
            }),
        }
    }

    fn link(
        &mut self,
        id: ModuleId,
        link: &Link<'a>,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Symbol::Global;
        }
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || match link {
            Link::Local(name) => self.lookup(id, name, meaning, visited),
            Link::Path(path) => {
                // `import A = A.B` leads to itself.
                let head = path.last().map_or("", |name| name.text);
                if !visited.insert((id, head, meaning)) {
                    return Symbol::Global;
                }
                self.path(id, path, meaning, visited)
            }
            Link::From(from) => self.from(id, *from, meaning, visited),
        })
    }

    /// Follows an import, or an export from elsewhere, of a module.
    pub(super) fn from(
        &mut self,
        id: ModuleId,
        from: From<'a>,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        if from.source.starts_with("@kit/") {
            return Symbol::Kit(from.name.unwrap_or("*"));
        }
        let place = Place {
            module: id,
            span: from.span,
        };
        let target = match self.target(self.file(id), from.source, from.require) {
            Ok(target) => target,
            Err(reason) => return self.unresolved(place, from.source, reason),
        };
        let found = match from.name {
            Some(name) => self.exported(target, name, meaning, visited),
            None => self.as_a_whole(target, meaning, visited),
        };
        if let Some(symbol) = found {
            return symbol;
        }
        let Some(name) = from.name else {
            let message = format!("`{}` as a whole is no {}", from.source, word(meaning));
            let help = "name one of its exports".to_owned();
            return self.broken(codes::UNKNOWN_TYPE, place, message, help);
        };
        let message = format!("`{}` does not export `{name}`", from.source);
        self.not_exported(place, target, name, meaning, message)
    }

    /// What `import * as` and `import … = require` stand for.
    fn as_a_whole(
        &mut self,
        target: ModuleId,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Option<Symbol<'a>> {
        match self.assigned(target, meaning, visited) {
            Some(symbol) => Some(symbol),
            None if meaning == Meaning::Type => None,
            None => Some(Symbol::Namespace(target)),
        }
    }

    /// What `export =` of a module stands for.
    fn assigned(
        &mut self,
        target: ModuleId,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Option<Symbol<'a>> {
        let (block, link) = self
            .blocks(target)
            .iter()
            .find_map(|block| self.module(*block).assigned.clone().map(|link| (*block, link)))?;
        if !visited.insert((block, "export=", meaning)) {
            return None;
        }
        match self.link(block, &link, meaning, visited) {
            Symbol::Global => None,
            symbol => Some(symbol),
        }
    }

    /// What a module exports under a name. What was found once is known from then on.
    pub(super) fn exported(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Option<Symbol<'a>> {
        if let Some(known) = self.exported.get(&(id, name, meaning)) {
            return Some(match known {
                // It may have been merged with another one since.
                Symbol::Type(decl) => Symbol::Type(self.primary(*decl)),
                other => other.clone(),
            });
        }
        if !visited.insert((id, name, meaning)) {
            return None;
        }
        let found = stacker::maybe_grow(RED_ZONE, MORE_STACK, || {
            self.find_exported(id, name, meaning, visited)
        });
        if let Some(symbol) = &found
            && !matches!(symbol, Symbol::Broken(_))
        {
            self.exported.insert((id, name, meaning), symbol.clone());
        }
        found
    }

    fn find_exported(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Option<Symbol<'a>> {
        let blocks = self.blocks(id).to_vec();
        for block in &blocks {
            if let Some(link) = self.module(*block).exports.get(name).cloned() {
                match self.link(*block, &link, meaning, visited) {
                    Symbol::Global => {}
                    symbol => return Some(symbol),
                }
            }
        }
        // What is assigned to `export =` is the default export of modules that import it as one.
        if name == "default" {
            return self.assigned(id, meaning, visited);
        }
        if let Some(Symbol::Namespace(space)) = self.assigned(id, Meaning::Namespace, visited)
            && space != id
        {
            return self.exported(space, name, meaning, visited);
        }
        self.starred(&blocks, name, meaning, visited)
    }

    /// A name that comes through `export *`. One that two stars mean differently comes through none.
    fn starred(
        &mut self,
        blocks: &[ModuleId],
        name: &'a str,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Option<Symbol<'a>> {
        let mut found: Option<(Symbol<'a>, &'a str)> = None;
        let mut broken = None;
        for block in blocks {
            for (source, span) in self.module(*block).stars.clone() {
                if source.starts_with("@kit/") {
                    continue;
                }
                let symbol = match self.target(self.file(*block), source, false) {
                    Ok(target) => self.exported(target, name, meaning, visited),
                    Err(reason) => Some(self.unresolved(Place { module: *block, span }, source, reason)),
                };
                let Some(symbol) = symbol else { continue };
                match symbol {
                    // The name may still come from another star.
                    Symbol::Broken(diagnostic) => broken = Some(Symbol::Broken(diagnostic)),
                    symbol => match &found {
                        Some((first, other)) if !same(first, &symbol) => {
                            let place = Place { module: *block, span };
                            let message = format!(
                                "both `{other}` and `{source}` export `{name}`, so this file exports neither"
                            );
                            let help =
                                format!("say which one is meant: `export {{ {name} }} from \"{other}\"`");
                            return Some(self.broken(codes::UNKNOWN_EXPORT, place, message, help));
                        }
                        Some(_) => {}
                        None => found = Some((symbol, source)),
                    },
                }
            }
        }
        found.map(|(symbol, _)| symbol).or(broken)
    }
}

fn same(a: &Symbol<'_>, b: &Symbol<'_>) -> bool {
    match (a, b) {
        (Symbol::Type(a), Symbol::Type(b)) => a == b,
        (Symbol::EnumMember(a, i), Symbol::EnumMember(b, j)) => a == b && i == j,
        (Symbol::Value(a, x, _), Symbol::Value(b, y, _)) => a == b && x == y,
        (Symbol::Namespace(a), Symbol::Namespace(b)) => a == b,
        _ => false,
    }
}
