//! Emits `runtime.ts`: all validators, coercers, serializers and header writers that routes need, in one module. The time to load a module
//! hardly depends on its size, so one module loads faster than one for each type.
//!
//! The module consists of the functions and constants of the modules of each type, one after the other, and all their
//! imports. Private names are unique in the program (`text::Module`), so they do not collide here.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{DeclarationId, Route};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::artifact::Artifact;
use crate::context::Context;
use crate::job::{Generated, Items};
use crate::text::{Imports, header};
use crate::{coercer, header_writer, serializer, validator};

/// Path of the generated module that contains all functions that routes need.
const PATH: &str = "runtime.ts";
/// Path from the modules in subdirectories, such as `validators/`, to the output directory.
const TO_OUTPUT_DIRECTORY: &str = "../";

/// Returns the path from which `routes/index.ts` imports an export of the module `own`: `runtime.ts` if it exists, else `own`
/// itself.
pub(crate) fn module_of(context: Context<'_>, own: &str) -> String {
    let module = if context.analysis.exports_are_distinct() {
        PATH
    } else {
        own
    };
    format!("{TO_OUTPUT_DIRECTORY}{module}")
}

/// Emits `runtime.ts`, into which the modules that routes need are merged. Returns `None` if no route needs a
/// module, or if two modules export the same name. `generated` contains the modules of all types. `replaced`
/// names the modules that plugins replace; the emitted module imports them.
pub(crate) fn emit(
    context: Context<'_>,
    generated: &[Generated],
    replaced: &BTreeSet<String>,
) -> Option<Artifact> {
    if !context.analysis.exports_are_distinct() {
        return None;
    }
    let modules = modules(context);
    if modules.is_empty() {
        return None;
    }
    let items: FxHashMap<&str, &Items> = generated
        .iter()
        .filter_map(|module| Some((module.artifact.path.as_str(), module.items.as_deref()?)))
        .filter(|(path, _)| !replaced.contains(*path))
        .collect();
    let mut merged = MergedModule::default();
    for (module, _) in &modules {
        if let Some(items) = items.get(module.as_str()) {
            merged.add(module, items, replaced);
        }
    }
    // Routes import everything from this module, so it must also export validators that plugins replace.
    for (module, export) in modules.iter().filter(|(module, _)| replaced.contains(module)) {
        let line = ["\nexport { ", export, " } from \"./", module, "\";\n"];
        merged.text.extend(line);
    }
    let mut text = header("all types that routes use");
    text.push_str(
        "// @ts-nocheck: copies of the modules of each type, in which TypeScript checks this code.\n\n",
    );
    text.push_str(&merged.imports.print());
    text.push_str(&merged.text);
    Some(Artifact {
        path: PATH.to_owned(),
        text: text.into(),
        dated: false,
    })
}

/// Returns the paths of the modules that routes need, each with the name that routes import. If one module
/// uses constants of another, it comes after the other.
fn modules(context: Context<'_>) -> Vec<(String, String)> {
    let (program, analysis) = (context.program, context.analysis);
    let (read, written) = (
        with_references(context, |route| {
            let headers = route.declared_replies().filter_map(|reply| reply.headers);
            let read = route.read().into_iter();
            read.chain(headers).chain(route.written()).collect()
        }),
        with_references(context, |route| route.written().collect()),
    );
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
    for id in order.iter().filter(|id| analysis.is_text(**id)) {
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
    for id in order.iter().filter(|id| analysis.is_reply_headers(**id)) {
        let name = name(id);
        modules.push((
            format!("headers/{}", header_writer::file_name(name)),
            format!("{name}HeaderWriter"),
        ));
    }
    modules
}

/// Returns the declarations that `of` returns for the routes, and all declarations to which they refer,
/// directly or through others.
fn with_references(
    context: Context<'_>,
    of: impl Fn(&Route) -> Vec<DeclarationId>,
) -> FxHashSet<DeclarationId> {
    let mut pending: Vec<DeclarationId> = context.program.routes.iter().flat_map(of).collect();
    // Error bodies are written like responses.
    pending.extend(
        context
            .program
            .application
            .declared_format()
            .map(|declared| declared.body),
    );
    let mut reached = FxHashSet::default();
    while let Some(id) = pending.pop() {
        if reached.insert(id) {
            pending.extend(context.analysis.references().of(id));
        }
    }
    reached
}

/// Several modules combined into one module.
#[derive(Default)]
struct MergedModule {
    imports: Imports,
    text: String,
}

impl MergedModule {
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
            match generated_module(module, from) {
                None => join(&mut self.imports.values, from, names),
                Some(own) if replaced.contains(&own) => {
                    join(&mut self.imports.values, &format!("./{own}"), names);
                }
                Some(_) => {}
            }
        }
        let types = types_of_program.as_ref();
        let types = types.map(|path| path.replacen(TO_OUTPUT_DIRECTORY, "./", 1));
        self.imports.types_of_program = types.or(self.imports.types_of_program.take());
    }
}

/// Returns the path of the generated module that an import refers to; `None` if the import refers to a package.
fn generated_module(module: &str, from: &str) -> Option<String> {
    if let Some(beside) = from.strip_prefix("./") {
        let (directory, _) = module.split_once('/')?;
        return Some(format!("{directory}/{beside}"));
    }
    from.strip_prefix(TO_OUTPUT_DIRECTORY).map(str::to_owned)
}

fn join(
    imports: &mut BTreeMap<String, BTreeMap<String, String>>,
    from: &str,
    names: &BTreeMap<String, String>,
) {
    let pairs = names.iter().map(|(name, local)| (name.clone(), local.clone()));
    match imports.get_mut(from) {
        Some(joined) => joined.extend(pairs),
        None => {
            imports.insert(from.to_owned(), pairs.collect());
        }
    }
}
