//! `runtime.ts`: all validators, coercers and serializers that routes need, in one module. Loading a module costs the same, however
//! small it is, and an application would load one for each of them.
//!
//! The texts are those of the modules that each of them has: their items, one after the other, with the imports of all. That
//! they fit into one module is what their names are made for (`text::Module`).

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{DeclarationId, Program, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::job::{Items, Ready};
use crate::text::{Imports, header};
use crate::{Artifact, Context, coercer, serializer, validator};

/// Where it is.
const PATH: &str = "runtime.ts";
/// The modules that it is made of are a directory further down.
const UP: &str = "../";

/// The module that `routes/index.ts` takes something from which is made in the module `own`.
pub(crate) fn module_of(context: Context<'_>, own: &str) -> String {
    let module = if context.analysis.exports_are_apart() {
        PATH
    } else {
        own
    };
    format!("{UP}{module}")
}

/// The module, where there are routes that need one. `made` are the modules of each type; of those named in `replaced` the text is
/// somebody else's, so that they are imported.
pub(crate) fn emit(context: Context<'_>, made: &[Ready], replaced: &BTreeSet<String>) -> Option<Artifact> {
    if !context.analysis.exports_are_apart() {
        return None;
    }
    let modules = modules(context);
    if modules.is_empty() {
        return None;
    }
    let items: FxHashMap<&str, &Items> = made
        .iter()
        .filter_map(|ready| Some((ready.artifact.path.as_str(), ready.items.as_deref()?)))
        .filter(|(path, _)| !replaced.contains(*path))
        .collect();
    let mut merged = Merged::default();
    for (module, _) in &modules {
        if let Some(items) = items.get(module.as_str()) {
            merged.add(module, items, replaced);
        }
    }
    // What is not here is reached through here all the same.
    for (module, export) in modules.iter().filter(|(module, _)| replaced.contains(module)) {
        let line = ["\nexport { ", export, " } from \"./", module, "\";\n"];
        merged.text.extend(line);
    }
    let mut text = header("all types that routes use");
    text.push_str("// @ts-nocheck: these are the texts of the modules of each type, which are checked where they stand.\n\n");
    text.push_str(&merged.imports.print());
    text.push_str(&merged.text);
    Some(Artifact {
        path: PATH.to_owned(),
        text: text.into(),
        dated: false,
    })
}

/// The modules that routes need, each after those whose constants it uses, with what routes use of them.
fn modules(context: Context<'_>) -> Vec<(String, String)> {
    let (program, analysis) = (context.program, context.analysis);
    let (read, written) = (reached(context, &Slot::ALL), reached(context, &[Slot::Response]));
    let name = |id: &DeclarationId| &program.declarations[*id].name;
    let order: Vec<DeclarationId> = analysis.groups().iter().flatten().copied().collect();
    let mut modules = Vec::new();
    for id in order.iter().filter(|id| read.contains(id)) {
        let name = name(id);
        modules.push((
            format!("validators/{}", validator::file_name(name)),
            format!("{name}Validator"),
        ));
    }
    let text = |id: &&DeclarationId| {
        let of = |slot| analysis.first_use(**id, slot).is_some();
        of(Slot::Params) || of(Slot::Query)
    };
    for id in order.iter().filter(text) {
        let name = name(id);
        modules.push((
            format!("coercers/{}", coercer::file_name(name)),
            format!("{name}Coercer"),
        ));
    }
    for id in order.iter().filter(|id| written.contains(id)) {
        let name = name(id);
        modules.push((
            format!("serializers/{}", serializer::file_name(name)),
            format!("{name}Serializer"),
        ));
    }
    modules
}

/// The declarations that stand in these slots, and all that they refer to.
fn reached(context: Context<'_>, slots: &[Slot]) -> FxHashSet<DeclarationId> {
    let Program { routes, .. } = context.program;
    let mut open: Vec<DeclarationId> = routes
        .iter()
        .flat_map(|route| slots.iter().filter_map(|slot| route.slots.get(*slot)))
        .collect();
    let mut reached = FxHashSet::default();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(context.analysis.references().of(id));
        }
    }
    reached
}

/// Modules that have become one.
#[derive(Default)]
struct Merged {
    imports: Imports,
    text: String,
}

impl Merged {
    fn add(&mut self, module: &str, items: &Items, replaced: &BTreeSet<String>) {
        self.text.extend(["\n// ", module, "\n"]);
        self.text.push_str(items.text());
        let Imports {
            values,
            types,
            types_of_program,
        } = &items.imports;
        for (from, names) in types {
            join(&mut self.imports.types, from, names);
        }
        for (from, names) in values {
            match target(module, from) {
                None => join(&mut self.imports.values, from, names),
                Some(own) if replaced.contains(&own) => {
                    join(&mut self.imports.values, &format!("./{own}"), names);
                }
                Some(_) => {}
            }
        }
        let types = types_of_program.as_ref();
        let types = types.map(|path| path.replacen(UP, "./", 1));
        self.imports.types_of_program = types.or(self.imports.types_of_program.take());
    }
}

/// The generated module that an import of another one leads to; nothing for a package.
fn target(module: &str, from: &str) -> Option<String> {
    if let Some(beside) = from.strip_prefix("./") {
        let (directory, _) = module.split_once('/')?;
        return Some(format!("{directory}/{beside}"));
    }
    from.strip_prefix(UP).map(str::to_owned)
}

fn join(
    imports: &mut BTreeMap<String, BTreeMap<String, String>>,
    from: &str,
    names: &BTreeMap<String, String>,
) {
    let pairs = names.iter().map(|(name, local)| (name.clone(), local.clone()));
    match imports.get_mut(from) {
        Some(known) => known.extend(pairs),
        None => {
            imports.insert(from.to_owned(), pairs.collect());
        }
    }
}
