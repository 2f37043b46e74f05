//! Combines the generated modules of all types into few JavaScript files with small declarations, because a
//! module costs time: Node loads it, and TypeScript parses and checks it.
//!
//! - `runtime.js` contains the code of all types that routes need. Applications load only this file.
//! - `codecs.js` exports the code of all types: it exports `runtime.js` again, and contains the code of all other types.
//! - `validators/<Type>.validator.ts` exports one validator from `codecs.js`.
//!
//! A combined file consists of the functions and constants of the modules, one after the other, and their
//! imports. Functions and constants that several modules contain come first, each once. Private names are unique in the
//! program (`text::Module`), so they do not collide. If two modules would
//! export the same name, the build writes each module into `modules/` instead. Modules that a validator of a
//! plugin imports are there too, because imports from the combined file would be a cycle.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use kit_ir::DeclarationId;
use rustc_hash::FxHashSet;

use crate::artifact::Artifact;
use crate::context::Context;
use crate::fingerprint::Fingerprint;
use crate::items::{Items, ValidatorSource, moved, type_imports};
use crate::job::{Generated, Job};
use crate::shared_items::{SharedItems, SharedTexts};
use crate::text::{Exported, Imports, NO_CHECK, header};
use crate::validator;

/// Path of the file with the code of all types that routes need.
const RUNTIME: &str = "runtime.js";
/// Path of the file that exports the code of all types.
const CODECS: &str = "codecs.js";
/// Directory of modules that are not combined.
const MODULES: &str = "modules/";

/// Returns the path of the file that exports the functions of a module, relative to the output directory.
pub(crate) fn path_of(context: Context<'_>, file: &str) -> String {
    if context.analysis.exports_are_distinct() {
        CODECS.to_owned()
    } else {
        path_of_module(context, file)
    }
}

/// Returns the same path as [`path_of`], but for a type that routes need.
pub(crate) fn path_for_routes(context: Context<'_>, file: &str) -> String {
    if context.analysis.exports_are_distinct() {
        RUNTIME.to_owned()
    } else {
        path_of_module(context, file)
    }
}

/// Returns the path from which contract tests import the shape of a type.
pub(crate) fn path_of_shape(context: Context<'_>, name: &str) -> String {
    let file = validator::file_name(name);
    let path = replaced(context, &file).unwrap_or_else(|| path_of(context, &file));
    format!("../{path}")
}

/// Prints import statements for contract tests: `names` has the module of each name.
pub(crate) fn print_imports(names: &BTreeMap<String, String>) -> String {
    let mut imports = Imports::default();
    for (name, module) in names {
        let of_module = imports.values.entry(module.clone()).or_default();
        of_module.insert(name.clone(), name.clone());
    }
    imports.print()
}

fn path_of_module(context: Context<'_>, file: &str) -> String {
    replaced(context, file).unwrap_or_else(|| format!("{MODULES}{file}"))
}

/// Returns the path of the validator with which a plugin replaces a module. `None` if no plugin replaces the
/// module.
fn replaced(context: Context<'_>, file: &str) -> Option<String> {
    if context.options.replaced.is_empty() {
        return None;
    }
    let path = facade_path(file.strip_suffix(".validator.js")?);
    context.options.replaced.contains(&path).then_some(path)
}

/// Returns the path of the file that exports only the validator of one type.
fn facade_path(name: &str) -> String {
    format!("validators/{name}.validator.ts")
}

/// The generated modules of types.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    /// For each role, the module of each declaration: validators, coercers, serializers, and writers of headers.
    roles: [Vec<Option<Module>>; 4],
    shared: SharedTexts,
}

/// Module of a type.
#[derive(Debug)]
struct Module {
    file: String,
    items: Arc<Items>,
    /// Numbers of its shared functions and constants, see [`SharedTexts`].
    shared: Vec<u32>,
}

impl Modules {
    /// Generates the modules of all declarations whose modules may differ from those of the last build. `jobs` has these
    /// declarations and their jobs for each role.
    pub(crate) fn update<'a>(
        &mut self,
        context: Context<'_>,
        jobs: [(Vec<DeclarationId>, Vec<Job<'a>>); 4],
        run: impl FnOnce(Vec<Job<'a>>) -> Vec<Generated>,
    ) {
        let mut all = Vec::new();
        let ids = jobs.map(|(ids, jobs)| {
            all.extend(jobs);
            ids
        });
        let mut generated = run(all).into_iter();
        let declarations = &context.program.declarations;
        for (modules, ids) in self.roles.iter_mut().zip(ids) {
            modules.resize_with(declarations.len(), || None);
            for (id, _) in declarations
                .iter_ids()
                .filter(|(id, _)| !context.is_unchanged(*id))
            {
                modules[usize::from(id)] = None;
            }
            for (id, Generated { artifact, items }) in ids.into_iter().zip(generated.by_ref()) {
                modules[usize::from(id)] = items.map(|items| Module {
                    file: artifact.path,
                    shared: self.shared.numbers(&items),
                    items,
                });
            }
        }
        if self.shared.has_many_unused() {
            self.shared = SharedTexts::default();
            for module in self.roles.iter_mut().flatten().flatten() {
                module.shared = self.shared.numbers(&module.items);
            }
        }
    }

    fn validator(&self, id: DeclarationId) -> Option<&Module> {
        self.roles[0][usize::from(id)].as_ref()
    }
}

/// Returns the files that combine the modules of types.
pub(crate) fn emit(context: Context<'_>, modules: &Modules) -> Vec<Artifact> {
    let mut artifacts = facades(context, modules);
    if context.analysis.exports_are_distinct() {
        artifacts.extend(combined(context, modules));
    }
    artifacts.extend(separate(context, modules));
    artifacts
}

fn artifact(path: String, text: String) -> Artifact {
    Artifact {
        path,
        text: text.into(),
        dated: false,
        source: None,
    }
}

/// Returns a file for each type that exports its validator.
fn facades(context: Context<'_>, modules: &Modules) -> Vec<Artifact> {
    let declarations = context.program.declarations.iter_ids();
    let distinct = context.analysis.exports_are_distinct();
    let files = declarations.filter_map(|(id, declaration)| {
        let name = &declaration.name;
        let path = facade_path(name);
        if distinct && !context.has_file(&path) {
            return None;
        }
        let Module { file, items, .. } = modules.validator(id)?;
        let module = if distinct {
            CODECS.to_owned()
        } else {
            format!("{MODULES}{file}")
        };
        let export = format!("\nexport {{ {name}Validator }} from \"../{module}\";\n");
        Some(Artifact {
            source: Some(ValidatorSource::new(Arc::clone(items), MODULES)),
            ..artifact(path, [items.header(), &export].concat())
        })
    });
    files.collect()
}

/// The module of a type.
struct Section<'a> {
    file: &'a str,
    items: &'a Items,
    shared: &'a [u32],
    /// True if routes need the module.
    needed: bool,
}

/// Returns the modules of all types in an order in which modules come after those whose constants they use.
fn sections<'a>(context: Context<'_>, modules: &'a Modules) -> Vec<Section<'a>> {
    let analysis = context.analysis;
    let order: Vec<DeclarationId> = analysis.groups().iter().flatten().copied().collect();
    let reply_headers = order.iter().copied().filter(|id| analysis.is_reply_headers(*id));
    let headers = analysis.references().reached(reply_headers);
    let mut sections = Vec::new();
    let mut add = |modules: &'a [Option<Module>], is_needed: &dyn Fn(DeclarationId) -> bool| {
        sections.extend(order.iter().filter_map(|id| {
            let Module { file, items, shared } = modules[usize::from(*id)].as_ref()?;
            Some(Section {
                file,
                items,
                shared,
                needed: is_needed(*id),
            })
        }));
    };
    let [validators, coercers, serializers, header_writers] = &modules.roles;
    add(validators, &|id| {
        analysis.is_received(id) || analysis.is_sent(id) || headers.contains(&id)
    });
    add(coercers, &|_| true);
    add(serializers, &|id| analysis.is_sent(id));
    add(header_writers, &|_| true);
    sections
}

/// Returns `runtime.js` and `codecs.js` with their declarations.
fn combined(context: Context<'_>, modules: &Modules) -> Vec<Artifact> {
    let sections = sections(context, modules);
    if sections.is_empty() {
        return Vec::new();
    }
    let (needed, others): (Vec<_>, Vec<_>) = sections.into_iter().partition(|section| section.needed);
    let mut artifacts = Vec::new();
    let mut codecs = Combined::new(&modules.shared);
    if !needed.is_empty() {
        let mut runtime = Combined::new(&modules.shared);
        for section in &needed {
            runtime.add(context, section, None);
        }
        artifacts.extend(runtime.finish(RUNTIME, "all types that routes use"));
        codecs.export(&format!("export * from \"./{RUNTIME}\";\n"));
    }
    let needed: FxHashSet<&str> = needed.iter().map(|section| section.file).collect();
    for section in &others {
        codecs.add(context, section, Some(&needed));
    }
    artifacts.extend(codecs.finish(CODECS, "all types of the project"));
    artifacts
}

/// Several modules in one file.
struct Combined<'a> {
    imports: Imports,
    /// Fingerprints of the imports from packages that are in `imports`. Most modules import the same few functions.
    known_imports: FxHashSet<Fingerprint>,
    /// Statements that export from other files.
    exports: String,
    shared: SharedItems<'a>,
    /// Parts of the code after the shared functions and constants.
    parts: Vec<Cow<'a, str>>,
    exported: Vec<&'a Exported>,
}

impl<'a> Combined<'a> {
    fn new(shared: &'a SharedTexts) -> Self {
        Self {
            imports: Imports::default(),
            known_imports: FxHashSet::default(),
            exports: String::new(),
            shared: SharedItems::new(shared),
            parts: Vec::new(),
            exported: Vec::new(),
        }
    }

    fn export(&mut self, statement: &str) {
        self.exports.push_str(statement);
    }

    /// Adds a module. `in_runtime` has the modules in `runtime.js`; `None` if this file is `runtime.js`, which contains all modules
    /// to which its modules refer.
    fn add(&mut self, context: Context<'_>, section: &'a Section<'a>, in_runtime: Option<&FxHashSet<&str>>) {
        let (file, items) = (section.file, section.items);
        if let Some(path) = replaced(context, file) {
            for Exported { name, .. } in &items.exported {
                self.export(&format!("export {{ {name} }} from \"./{path}\";\n"));
            }
            return;
        }
        let own = self.shared.add(items, section.shared);
        // A large program has thousands of modules, whose names are in the names of their functions anyway.
        if context.analysis.is_large() {
            self.parts.push(Cow::Borrowed("\n"));
        } else {
            self.parts.extend(["\n// ", file, "\n"].map(Cow::Borrowed));
        }
        self.parts.push(own);
        self.exported.extend(&items.exported);
        let are_known = !self.known_imports.insert(items.package_imports);
        // The runtime has thousands of modules, and most of their imports are from each other.
        if are_known && in_runtime.is_none() && context.options.replaced.is_empty() {
            return;
        }
        for (from, names) in &items.imports.values {
            let to = match from.strip_prefix("./") {
                None if are_known => None,
                None => Some(Cow::Borrowed(from.as_str())),
                Some(file) => match replaced(context, file) {
                    Some(path) => Some(Cow::Owned(format!("./{path}"))),
                    None if in_runtime.is_some_and(|known| known.contains(file)) => {
                        Some(Cow::Owned(format!("./{RUNTIME}")))
                    }
                    None => None,
                },
            };
            let Some(to) = to else { continue };
            let joined = self.imports.values.entry(to.into_owned()).or_default();
            for (name, local) in names {
                if !joined.contains_key(name) {
                    joined.insert(name.clone(), local.clone());
                }
            }
        }
    }

    /// Returns the JavaScript file and its declarations.
    fn finish(self, path: &str, from: &str) -> [Artifact; 2] {
        let (header, imports) = (header(from), self.imports.print());
        let before_shared = if self.shared.parts().is_empty() { "" } else { "\n" };
        let head = [
            header.as_str(),
            NO_CHECK,
            "\n",
            &self.exports,
            &imports,
            before_shared,
        ]
        .concat();
        let parts = self.shared.parts().iter().chain(&self.parts);
        let length: usize = parts.clone().map(|part| part.len()).sum();
        let mut code = String::with_capacity(head.len() + length);
        code.push_str(&head);
        parts.for_each(|part| code.push_str(part));
        let declarations = declarations(&header, &self.exports, self.exported.into_iter(), "./types.ts");
        [
            artifact(path.to_owned(), code),
            artifact(declarations_path(path), declarations),
        ]
    }
}

/// Returns the path of the declarations of a JavaScript file.
fn declarations_path(path: &str) -> String {
    format!("{}.d.ts", path.trim_end_matches(".js"))
}

/// Returns the text of the declarations of a JavaScript file. `types` is the path to the types of the program.
fn declarations<'a>(
    header: &str,
    exports: &str,
    exported: impl Iterator<Item = &'a Exported> + Clone,
    types: &str,
) -> String {
    let mut text = [header, "\n", &type_imports(exported.clone(), types), exports].concat();
    for (position, Exported { name, r#type, .. }) in exported.enumerate() {
        let before = if position == 0 { "\n" } else { "" };
        text.extend([before, "export declare const ", name, ": ", r#type, ";\n"]);
    }
    text
}

/// Returns the modules that are not combined: all modules if two of them export the same name, else those that
/// validators of plugins refer to.
fn separate(context: Context<'_>, modules: &Modules) -> Vec<Artifact> {
    let distinct = context.analysis.exports_are_distinct();
    if distinct && context.options.replaced.is_empty() {
        return Vec::new();
    }
    let wanted = distinct.then(|| references_of_replaced(context));
    let sections = sections(context, modules)
        .into_iter()
        .filter(|section| wanted.as_ref().is_none_or(|wanted| wanted.contains(section.file)));
    let files = sections.flat_map(|Section { file, items, .. }| {
        let path = format!("{MODULES}{file}");
        if let Some(new) = replaced(context, file) {
            let text = format!("{}\nexport * from \"../{new}\";\n", items.header());
            return [
                artifact(declarations_path(&path), text.clone()),
                artifact(path, text),
            ];
        }
        let imports = moved(&items.imports, |file| {
            replaced(context, file).map(|path| format!("../{path}"))
        });
        let code = [items.header(), NO_CHECK, "\n", &imports.print(), items.code()].concat();
        let declarations = declarations(items.header(), "", items.exported.iter(), "../types.ts");
        let declarations = artifact(declarations_path(&path), declarations);
        [declarations, artifact(path, code)]
    });
    files.collect()
}

/// Returns the modules of all validators to which replaced validators refer, directly or through others.
fn references_of_replaced(context: Context<'_>) -> FxHashSet<String> {
    let declarations = &context.program.declarations;
    let file = |id: DeclarationId| validator::file_name(&declarations[id].name);
    let is_replaced = |id: &DeclarationId| replaced(context, &file(*id)).is_some();
    let ids = declarations.iter_ids().map(|(id, _)| id);
    let references = context.analysis.references();
    let of_replaced = ids.filter(is_replaced).flat_map(|id| references.of(id));
    references
        .reached(of_replaced.copied())
        .into_iter()
        .map(file)
        .collect()
}
