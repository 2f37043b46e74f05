//! Merging of declarations with the same name: interfaces, blocks of a namespace, augmented modules, global
//! names.

use std::path::Path;

use indexmap::IndexMap;
use oxc_ast::ast::Statement;

use super::graph::Reference;
use super::module::ModuleKind;
use super::{DeclId, DeclKind, Graph, ModuleId, Symbol};

impl<'a> Graph<'a> {
    /// Returns the declarations that were merged into a type: interfaces in other blocks and files, and
    /// interfaces of a class.
    pub(crate) fn merged(&self, id: DeclId) -> &[DeclId] {
        self.merged.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the declaration that a declaration was merged into, or the declaration itself if it was not
    /// merged.
    pub(super) fn primary(&self, id: DeclId) -> DeclId {
        self.primary.get(&id).copied().unwrap_or(id)
    }

    /// Returns the modules whose declarations merge with the declarations of a module, including the module
    /// itself.
    pub(super) fn blocks(&self, id: ModuleId) -> &[ModuleId] {
        &self.spaces[self.space_of[id.0 as usize]]
    }

    /// Merges the declarations of new modules with the declarations of the graph, and collects their global
    /// names and augmentations.
    pub(super) fn register(&mut self, first_module: usize, first_decl: usize) {
        for index in first_decl..self.decls.len() {
            let id = DeclId(u32::try_from(index).expect("counted when added"));
            let decl = &self.decls[index];
            if let Some(first) = self.module(decl.module).types.get(decl.name)
                && *first != id
            {
                self.merge(*first, id);
            }
        }
        let new = first_module..self.modules.len();
        let id = |index: usize| ModuleId(u32::try_from(index).expect("counted when added"));
        let mut script = false;
        for index in new {
            match self.modules[index].kind {
                ModuleKind::File { script: is_script } => {
                    self.merge_modules(vec![id(index)], false);
                    self.references_of(id(index));
                    if let Some(name) = self.modules[index].global_name {
                        self.global_namespaces.entry(name).or_insert(id(index));
                    }
                    // Depending on `tsconfig.json`, a `.ts` file without imports may be a module. In practice
                    // a file that declares global types is a `.d.ts` file.
                    script = is_script && self.modules[index].display.ends_with(".d.ts");
                    if script {
                        self.add_global(id(index));
                    }
                }
                ModuleKind::Namespace { .. } => {}
                ModuleKind::Global { .. } => {
                    self.merge_modules(vec![id(index)], false);
                    self.add_global(id(index));
                }
                ModuleKind::Ambient { specifier, .. } => {
                    self.merge_modules(vec![id(index)], false);
                    if script {
                        if let Some(known) = self.ambient.get(specifier) {
                            let known = *known;
                            self.join(known, id(index));
                        } else {
                            self.ambient.insert(specifier, id(index));
                        }
                    } else {
                        self.augmentations.push((id(index), specifier));
                    }
                }
            }
        }
    }

    fn add_global(&mut self, id: ModuleId) {
        self.globals.push(id);
        let all = self.globals.clone();
        self.merge_modules(all, true);
    }

    /// Merges the declarations of a block into a module that the block augments, also into types that the
    /// module re-exports.
    fn augment(&mut self, module: ModuleId, block: ModuleId) {
        let declared: Vec<(&'a str, DeclId)> = self
            .module(block)
            .types
            .iter()
            .map(|(name, decl)| (*name, *decl))
            .collect();
        for (name, decl) in declared {
            if let Some(Symbol::Type(known)) = self.exported_type(module, name) {
                self.merge(known, decl);
            }
        }
        self.join(module, block);
    }

    /// Adds a block to the group of modules whose declarations merge with the declarations of a module.
    fn join(&mut self, module: ModuleId, block: ModuleId) {
        let mut blocks = self.blocks(module).to_vec();
        if !blocks.contains(&block) {
            blocks.push(block);
            self.merge_modules(blocks, false);
        }
    }

    /// Puts modules into one group: exported types with the same name become one type, and exported
    /// namespaces with the same name become one namespace. If `all` is true, names that are not exported are
    /// merged too, as for global names.
    fn merge_modules(&mut self, blocks: Vec<ModuleId>, all: bool) {
        // Namespaces can nest deeply, so nested namespaces wait in this list instead of a recursive call.
        let mut open = vec![(blocks, all)];
        while let Some((blocks, all)) = open.pop() {
            let inner = self.merge_one_level(blocks, all);
            open.extend(inner.into_iter().map(|blocks| (blocks, false)));
        }
    }

    /// Puts modules into one group, without their nested namespaces. Returns the groups that these namespaces
    /// form.
    fn merge_one_level(&mut self, blocks: Vec<ModuleId>, all: bool) -> Vec<Vec<ModuleId>> {
        let mut types: IndexMap<&'a str, DeclId> = IndexMap::new();
        let mut namespaces: IndexMap<&'a str, Vec<ModuleId>> = IndexMap::new();
        let mut inner: Vec<Vec<ModuleId>> = Vec::new();
        let mut same: Vec<(DeclId, DeclId)> = Vec::new();
        let is_single = blocks.len() == 1;
        for block in &blocks {
            let module = self.module(*block);
            let shared = |name: &str| all || module.exports.contains_key(name);
            if !is_single {
                for (name, decl) in module.types.iter().filter(|(name, _)| shared(name)) {
                    let first = *types.entry(name).or_insert(*decl);
                    if first != *decl {
                        same.push((first, *decl));
                    }
                }
            }
            for (name, nested) in &module.namespaces {
                if !is_single && shared(name) {
                    namespaces.entry(name).or_default().extend(nested);
                } else {
                    inner.push(nested.clone());
                }
            }
        }
        for (first, other) in same {
            self.merge(first, other);
        }
        let space = self.spaces.len();
        for block in &blocks {
            self.space_of[block.0 as usize] = space;
        }
        self.spaces.push(blocks);
        inner.extend(namespaces.into_values());
        inner
    }

    /// Merges two declarations into one type if TypeScript merges them: two interfaces, an interface and a
    /// class, two enums.
    fn merge(&mut self, first: DeclId, other: DeclId) {
        let (first, other) = (self.primary(first), self.primary(other));
        if first == other {
            return;
        }
        let fit = matches!(
            (&self.decl(first).kind, &self.decl(other).kind),
            (
                DeclKind::Interface(_),
                DeclKind::Interface(_) | DeclKind::Class(_)
            ) | (DeclKind::Class(_), DeclKind::Interface(_))
                | (DeclKind::Enum(_), DeclKind::Enum(_))
        );
        if !fit {
            return;
        }
        let (lead, follower) = if matches!(self.decl(other).kind, DeclKind::Class(_)) {
            (other, first)
        } else {
            (first, other)
        };
        let mut group = vec![follower];
        group.extend(self.merged.remove(&follower).unwrap_or_default());
        for id in &group {
            self.primary.insert(*id, lead);
        }
        self.merged.entry(lead).or_default().extend(group);
    }

    /// Merges augmentations and reads the files of `/// <reference … />`. Repeats this until nothing is left,
    /// because each file may contain further augmentations and references.
    pub(super) fn read_pending(&mut self) {
        loop {
            if let Some((block, specifier)) = self.augmentations.pop() {
                let file = self.file(block);
                // TypeScript reports an augmentation of a module that does not exist. kit ignores it.
                if let Ok(target) = self.target(file, specifier, false) {
                    self.augment(target, block);
                }
                continue;
            }
            // References in packages are followed only when a name is missing, because most of them are never
            // needed.
            let own = self.references.iter().position(|(file, reference)| {
                let is_of_project = match reference {
                    Reference::Import(specifier) => specifier.starts_with('.'),
                    Reference::Path(_) | Reference::Types(_) => true,
                };
                is_of_project && !self.resolver.is_package(&self.module(*file).path)
            });
            let Some(index) = own else { return };
            let (file, reference) = self.references.remove(index);
            self.read_reference(file, reference);
        }
    }

    /// Reads files that may declare a missing name: the files of references in packages, and the packages of
    /// types that TypeScript includes without an import. Returns true if a new file was read.
    pub(super) fn include_more(&mut self) -> bool {
        let before = self.modules.len();
        if !self.included {
            self.included = true;
            for path in self.resolver.included_types(&self.files) {
                self.load(&path);
            }
        }
        // Each file is read only once, so the loop terminates.
        while let Some((file, reference)) = self.references.pop() {
            self.read_reference(file, reference);
        }
        self.read_pending();
        self.modules.len() > before
    }

    fn read_reference(&mut self, file: ModuleId, reference: Reference<'a>) {
        let from = self.module(file).path.clone();
        let found = match reference {
            Reference::Path(path) => {
                let directory = from.parent().unwrap_or_else(|| Path::new("/"));
                Some(crate::files::normalize(&directory.join(path)))
            }
            Reference::Types(name) => self.resolver.types_package(&from, name),
            Reference::Import(specifier) => {
                let found = self.resolver.resolve(&self.files, &from, specifier, false).ok();
                self.diagnostics
                    .extend(std::mem::take(&mut self.resolver.problems));
                found
            }
        };
        // TypeScript reports a reference to a missing file. If the application needs the file, a missing name
        // is reported here.
        if let Some(path) = found {
            self.load(&path);
        }
    }

    fn references_of(&mut self, file: ModuleId) {
        let module = self.module(file);
        let mut found = Vec::new();
        for comment in &module.program.comments {
            let text = module.slice(comment.span);
            let Some(tag) = text.strip_prefix("///").map(str::trim_start) else {
                continue;
            };
            let Some(attributes) = tag.strip_prefix("<reference") else {
                continue;
            };
            if let Some(path) = attribute(attributes, "path") {
                found.push((file, Reference::Path(path)));
            } else if let Some(types) = attribute(attributes, "types") {
                found.push((file, Reference::Types(types)));
            }
        }
        for statement in &module.program.body {
            if let Statement::ImportDeclaration(import) = statement
                && import.specifiers.is_none()
            {
                found.push((file, Reference::Import(import.source.value.as_str())));
            }
        }
        self.references.extend(found);
    }
}

/// Returns the value of an attribute in the text of a directive: `a.d.ts` for `path` in `path="a.d.ts"`.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = attributes.split_once(&format!("{name}="))?;
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(value, _)| value)
}
