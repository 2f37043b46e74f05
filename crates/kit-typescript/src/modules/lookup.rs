//! Resolution of names to symbols through scopes, imports, exports and names with dots.

use kit_diagnostics::codes;

use super::module::{ImportedName, ModuleKind, NameTarget};
use super::symbol::{Meaning, Visited};
use super::{DeclKind, Graph, Location, ModuleId, Symbol};
use crate::known_types::is_known;

/// Number of bytes of stack that must be free for a step of a lookup, and the size of a new stack segment. A
/// lookup recurses for each re-export, and a chain of re-exports may be of any length.
const RED_ZONE: usize = 64 * 1024;
const MORE_STACK: usize = 1024 * 1024;

/// Maximum number of steps of one lookup. Cycles such as `import A = B.B`, `import B = C.C` can multiply the
/// steps without end.
const MAX_STEPS: u32 = 20_000;

impl<'a> Graph<'a> {
    /// Returns the symbol of a name that is used as a type in a module.
    pub(crate) fn type_symbol(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        self.steps = 0;
        self.lookup(module, name, Meaning::Type, &mut Visited::default())
    }

    /// Returns the symbol of a name that is used as a value in a module.
    pub(crate) fn value_symbol(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        self.steps = 0;
        self.lookup(module, name, Meaning::Value, &mut Visited::default())
    }

    /// Returns the type that a module exports under a name; `None` if no type has this name.
    pub(super) fn exported_type(&mut self, module: ModuleId, name: &'a str) -> Option<Symbol<'a>> {
        self.steps = 0;
        self.exported(module, name, Meaning::Type, &mut Visited::default())
    }

    /// Returns the value that a declaration file of TypeScript declares for a value of a module of the source file: in
    /// the file, or in a namespace of the file. `default` and `export=` are the names of exported expressions.
    pub(crate) fn declared_value(
        &mut self,
        module: ModuleId,
        declarations: ModuleId,
        name: &'a str,
    ) -> Option<Symbol<'a>> {
        let mut namespaces = Vec::new();
        let mut current = module;
        while let ModuleKind::Namespace { parent, name } = self.module(current).kind {
            namespaces.push(name);
            current = parent;
        }
        self.steps = 0;
        let mut block = declarations;
        for namespace in namespaces.into_iter().rev() {
            block = *self.module(block).namespaces.get(namespace)?.first()?;
        }
        if let Some(symbol) = self.own(block, name, Meaning::Value) {
            return Some(symbol);
        }
        match name {
            "default" => {
                let link = self.module(block).exports.get(name)?.clone();
                Some(self.follow_target(block, &link, Meaning::Value, &mut Visited::default()))
            }
            "export=" => self.assigned(block, Meaning::Value, &mut Visited::default()),
            _ => None,
        }
    }

    /// Returns the symbol of a type name that no known module declares. Reads the packages of types that
    /// TypeScript includes without an import, because one of these packages may declare the name.
    pub(crate) fn late_type(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        if self.include_more() {
            self.type_symbol(module, name)
        } else {
            Symbol::Global
        }
    }

    /// Resolves a name: first in the module itself, then in the other blocks of its namespace, then in the
    /// enclosing module, and last among the global names.
    pub(super) fn lookup(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        let mut current = Some(id);
        while let Some(id) = current {
            if let Some(original) = self.originals.get(&id).copied() {
                if let Some(symbol) = self.own(original, name, meaning) {
                    return symbol;
                }
                if let Some(link) = self.module(original).imports.get(name).cloned() {
                    return self.follow_target(original, &link, meaning, visited);
                }
            }
            if let Some(symbol) = self.own(id, name, meaning) {
                return symbol;
            }
            if let Some(link) = self.module(id).imports.get(name).cloned() {
                return self.follow_target(id, &link, meaning, visited);
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
        // Declarations of these global names extend the types of TypeScript and do not replace them.
        if meaning == Meaning::Type && is_known(name) {
            return Symbol::Global;
        }
        for index in 0..self.globals.len() {
            let block = self.globals[index];
            if let Some(symbol) = self.own(block, name, meaning) {
                return symbol;
            }
            if let Some(link) = self.module(block).imports.get(name).cloned() {
                return self.follow_target(block, &link, meaning, visited);
            }
        }
        if let Some(file) = self.global_namespaces.get(name) {
            return self.as_a_whole(*file, meaning, visited).unwrap_or(Symbol::Global);
        }
        Symbol::Global
    }

    /// Returns the symbol that a module itself declares under a name; imports do not count.
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

    fn follow_target(
        &mut self,
        id: ModuleId,
        target: &NameTarget<'a>,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Symbol::Global;
        }
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || match target {
            NameTarget::Local(name) => self.lookup(id, name, meaning, visited),
            NameTarget::Path(path) => {
                // `import A = A.B` refers to itself.
                let head = path.last().map_or("", |name| name.text);
                if !visited.insert((id, head, meaning)) {
                    return Symbol::Global;
                }
                self.path(id, path, meaning, visited)
            }
            NameTarget::Imported(from) => self.follow_import(id, *from, meaning, visited),
        })
    }

    /// Follows an import, or an export of a name that another module declares.
    pub(super) fn follow_import(
        &mut self,
        id: ModuleId,
        from: ImportedName<'a>,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        if is_known_to_compiler(from.source) {
            return Symbol::Kit(from.name.unwrap_or("*"));
        }
        let location = Location {
            module: id,
            span: from.span,
        };
        let target = match self.target(self.file(id), from.source, from.require) {
            Ok(target) => target,
            Err(reason) => return self.unresolved(location, from.source, reason),
        };
        let found = match from.name {
            Some(name) => self.exported(target, name, meaning, visited),
            None => self.as_a_whole(target, meaning, visited),
        };
        if let Some(symbol) = found {
            return symbol;
        }
        let Some(name) = from.name else {
            let message = format!("the module `{}` is not a {}", from.source, meaning.name());
            let help = "name one of its exports".to_owned();
            return self.broken(codes::UNKNOWN_TYPE, location, message, help);
        };
        let message = format!("`{}` does not export `{name}`", from.source);
        self.not_exported(location, target, name, meaning, message)
    }

    /// Returns the symbol of an import of all exports: `import * as name` or `import name = require("…")`.
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

    /// Returns the symbol that a module exports with `export =`; `None` if it has no `export =`.
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
        match self.follow_target(block, &link, meaning, visited) {
            Symbol::Global => None,
            symbol => Some(symbol),
        }
    }

    /// Returns the symbol that a module exports under a name. Results are cached.
    pub(super) fn exported(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Option<Symbol<'a>> {
        if let Some(known) = self.exported.get(&(id, name, meaning)) {
            return Some(match known {
                // After it was cached, the declaration may have been merged into another one.
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
                match self.follow_target(*block, &link, meaning, visited) {
                    Symbol::Global => {}
                    symbol => return Some(symbol),
                }
            }
        }
        // The value of `export =` is the default export for modules that import it as a default.
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

    /// Resolves a name through `export *`. If two `export *` provide different declarations of the name, the
    /// module does not export it.
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
                if is_known_to_compiler(source) {
                    continue;
                }
                let symbol = match self.target(self.file(*block), source, false) {
                    Ok(target) => self.exported(target, name, meaning, visited),
                    Err(reason) => Some(self.unresolved(Location { module: *block, span }, source, reason)),
                };
                let Some(symbol) = symbol else { continue };
                match symbol {
                    // Another `export *` may export the name without an error.
                    Symbol::Broken(diagnostic) => broken = Some(Symbol::Broken(diagnostic)),
                    symbol => match &found {
                        Some((first, other)) if !same(first, &symbol) => {
                            let location = Location { module: *block, span };
                            let message = format!(
                                "both `{other}` and `{source}` export `{name}`, so this file exports neither"
                            );
                            let help =
                                format!("choose one of the two: `export {{ {name} }} from \"{other}\"`");
                            return Some(self.broken(codes::UNKNOWN_EXPORT, location, message, help));
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

/// Packages of kit whose functions create middleware. The compiler reads them like any other package, for the doc tags and
/// the types of these functions.
const PACKAGES_WITH_MIDDLEWARE: [&str; 3] = ["auth", "idempotency", "rate-limit"];

/// Returns true if the compiler knows the exports of a package by their names and does not read its files. These are kit's
/// packages without middleware.
fn is_known_to_compiler(source: &str) -> bool {
    let Some(path) = source.strip_prefix("@kit/") else {
        return false;
    };
    let package = path.split('/').next().unwrap_or(path);
    !PACKAGES_WITH_MIDDLEWARE.contains(&package)
}
