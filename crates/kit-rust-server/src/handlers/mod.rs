//! Generates files that the user owns: handlers and middleware, written once. Handlers of the five operations on an
//! entity are complete. Any other handler responds with 501 and names the file to edit.

mod list;
mod operations;
mod owner;
mod refusals;
mod resource;
mod unfit;
mod values;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kit_ir::{DeclarationId, Property, Route, TypeId};

use crate::database::{Database, Stored};
use crate::middleware::{Added, Middleware};
use crate::print::{Expression, import, imports, in_comment, signature};
use crate::router::{Group, Routes};
use crate::types::Types;
use crate::{File, Warning, names};

pub(crate) fn files(
    types: &Types<'_>,
    routes: &Routes<'_>,
    database: &Database<'_>,
) -> (Vec<File>, Vec<Warning>) {
    let known = Known {
        types,
        routes,
        database,
    };
    let mut denials = Vec::new();
    let mut files: Vec<File> = routes
        .groups
        .iter()
        .map(|group| known.handlers(group, &mut denials))
        .collect();
    files.extend(routes.middleware.iter().map(|known| middleware(known, database)));
    (files, owner::warnings(types.program, &denials))
}

/// Adds the filters to each table that the queries of its lists use.
pub(crate) fn add_filters(types: &Types<'_>, routes: &Routes<'_>, database: &mut Database<'_>) {
    let mut wanted: Vec<(String, Vec<String>)> = Vec::new();
    let known = Known {
        types,
        routes,
        database,
    };
    for handled in routes.groups.iter().flat_map(|group| &group.routes) {
        if let Some(list) = known.list_of(handled) {
            let properties = list.filters.into_iter().map(|filter| filter.property).collect();
            wanted.push((list.stored.table.name.clone(), properties));
        }
    }
    for (table, properties) in wanted {
        database.filter_by(&table, &properties);
    }
}

/// Input for generating handlers.
#[derive(Clone, Copy)]
struct Known<'k, 'p> {
    types: &'k Types<'p>,
    routes: &'k Routes<'p>,
    database: &'k Database<'k>,
}

/// Imports and functions that a file of handlers needs.
#[derive(Clone, Default)]
struct Uses {
    /// Imported items of the runtime.
    runtime: BTreeSet<&'static str>,
    /// True if the file uses errors of the contracts.
    errors: bool,
    models: Vec<String>,
    /// Imported modules of tables.
    modules: Vec<String>,
    /// Imported items of these modules.
    rows: Vec<(String, String)>,
    /// Functions before the handlers.
    functions: Vec<Function>,
    /// Reason why the current handler must not be generated: it would access rows that do not belong to the request.
    denied: Option<Denial>,
}

/// Reason why a handler must not be generated.
#[derive(Clone)]
struct Denial {
    reason: String,
    /// The entity that lacks `@owner`, if that is the reason.
    undeclared: Option<String>,
}

/// A route whose handler was not generated, with the reason.
struct DeniedRoute<'a> {
    route: &'a Route,
    /// File of the handler.
    path: String,
    denial: Denial,
}

/// A function that handlers share.
#[derive(Clone)]
struct Function {
    name: String,
    /// Source of the function. Functions with the same source are written once.
    text: String,
}

impl Uses {
    /// Adds a function, unless one with the same source exists. Returns its name.
    fn function(&mut self, wanted: String, text: impl Fn(&str) -> String) -> String {
        if let Some(known) = self
            .functions
            .iter()
            .find(|known| known.text == text(&known.name))
        {
            return known.name.clone();
        }
        let name = names::unique(wanted, |taken| {
            self.functions.iter().any(|known| known.name == taken)
        });
        let text = text(&name);
        self.functions.push(Function {
            name: name.clone(),
            text,
        });
        name
    }

    /// Records why the current handler must not be generated. Only the first reason is kept.
    fn deny(&mut self, reason: String) {
        let undeclared = None;
        self.denied.get_or_insert(Denial { reason, undeclared });
    }

    /// Records that a parameter's type is imported.
    fn parameter(&mut self, r#type: &str) {
        if r#type == "&BigInt" {
            self.runtime.insert("BigInt");
        }
    }

    /// Records that the module of a table is imported.
    fn module(&mut self, stored: &Stored<'_>) {
        self.modules.push(stored.module.clone());
    }

    /// Records that an item of a table's module is imported.
    fn row(&mut self, stored: &Stored<'_>, item: &str) {
        self.rows.push((stored.module.clone(), item.to_owned()));
    }

    fn imports(mut self, group: &Group<'_>) -> String {
        let runtime: Vec<String> = self
            .runtime
            .iter()
            .map(|item| format!("kit_runtime::{item}"))
            .collect();
        let mut text = imports(runtime.iter().map(String::as_str));
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("use crate::app::App;\n");
        self.modules.sort();
        self.modules.dedup();
        for module in &self.modules {
            let mut items: Vec<&str> = self
                .rows
                .iter()
                .filter(|(of, _)| of == module)
                .map(|(_, item)| item.as_str())
                .collect();
            items.sort_unstable();
            items.dedup();
            items.insert(0, "self");
            if items.len() == 1 {
                let _ = writeln!(text, "use crate::db::{module};");
            } else {
                let _ = writeln!(text, "use crate::db::{module}::{{{}}};", items.join(", "));
            }
        }
        let mut error = vec!["Error".to_owned()];
        if self.errors {
            error.push("AppError".to_owned());
        }
        text.push_str(&import("crate::error", &error));
        text.push_str(&import("crate::models", &self.models));
        let mut router: Vec<String> = group.routes.iter().map(|handled| handled.input.clone()).collect();
        router.push(group.name.clone());
        text.push_str(&import("crate::router", &router));
        text
    }
}

impl<'k> Known<'k, '_> {
    fn handlers<'a>(self, group: &Group<'a>, denials: &mut Vec<DeniedRoute<'a>>) -> File {
        let mut uses = Uses::default();
        let file = group.file();
        let mut body = format!("impl {} for App {{\n", group.name);
        for (number, handled) in group.routes.iter().enumerate() {
            if number > 0 {
                body.push('\n');
            }
            // A handler that is discarded must not leave imports behind.
            let mut wanted = uses.clone();
            let reference = handled.route.reference();
            let (input, code) = match (self.work(group, handled, &mut wanted), wanted.denied.take()) {
                (Some(_), Some(denial)) => {
                    let code = owner::denied(&reference, &denial.reason);
                    let (route, path) = (handled.route, file.clone());
                    denials.push(DeniedRoute { route, path, denial });
                    ("_input", code)
                }
                (Some(code), None) => {
                    uses = wanted;
                    let is_used = code.contains("input.");
                    (if is_used { "input" } else { "_input" }, code)
                }
                (None, _) => ("_input", not_written(&reference, &file)),
            };
            if handled.is_open(self.types) {
                uses.runtime.insert("Reply");
            } else if let Some(id) = handled.route.slots.response {
                uses.models.push(self.types.name(id).to_owned());
            }
            let name = format!("async fn {}", handled.function);
            let given = ["&self".to_owned(), format!("{input}: {}", handled.input)];
            let result = format!("Result<{}, Error>", handled.answer(self.types));
            let head = signature(4, &name, &given, &result);
            let _ = write!(body, "{head}\n{code}    }}\n");
        }
        body.push_str("}\n");
        let functions: String = uses
            .functions
            .iter()
            .map(|function| format!("{}\n", function.text))
            .collect();
        let text = format!(
            "//! The handlers of `{}`. This file is yours: kit made it once and leaves it alone.\n\n{}\n{functions}{body}",
            group.name,
            uses.imports(group)
        );
        File::user(file, text)
    }

    /// Returns a property of a contract type.
    fn property(self, id: DeclarationId, name: &str) -> Option<&'k Property> {
        let program = self.types.program;
        let properties = program.properties(program.declarations[id].r#type);
        properties.iter().find(|property| property.name == name)
    }

    /// Returns a type with references resolved.
    fn resolved(self, id: TypeId) -> &'k kit_ir::Type {
        let program = self.types.program;
        &program.types[kit_analysis::resolve(program, id)]
    }
}

fn middleware(middleware: &Middleware, database: &Database<'_>) -> File {
    let Middleware {
        name,
        module,
        r#type,
        adds,
    } = middleware;
    let file = module.trim_start_matches("r#");
    let code = not_written(name, &format!("src/middleware/{file}.rs"));
    let fields: String = adds
        .iter()
        .map(|added| {
            let Added { context, field } = added;
            // No entity uses this context as its owner with a type that Rust supports, so no code reads the field.
            let r#type = database.type_of_context(context).unwrap_or("String");
            let r#type = if r#type == "BigInt" { "kit_runtime::BigInt" } else { r#type };
            format!("    /// `ctx.{context}`: the owner of the rows that the request may read and change.\n    pub {field}: {type},\n")
        })
        .collect();
    let body = if fields.is_empty() {
        ";".to_owned()
    } else {
        format!(" {{\n{fields}}}")
    };
    let shown = in_comment(name);
    let text = format!(
        "//! `{shown}`. This file is yours: kit made it once and leaves it alone.\n\nuse kit_runtime::{{Error, Middleware, Request}};\n\nuse crate::app::App;\n\n/// What `{shown}` adds to a request.\n#[derive(Debug, Clone)]\npub struct {type}{body}\n\nimpl Middleware<App> for {type} {{\n    const NAME: &'static str = {};\n\n    /// Refuses every request until it says which may pass.\n    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {{\n{code}    }}\n}}\n",
        names::text(name)
    );
    File::user(format!("src/middleware/{file}.rs"), text)
}

/// Returns the body of a handler that responds with an error and names the file to edit.
fn not_written(what: &str, file: &str) -> String {
    let arguments = [what, file].map(|text| Expression::plain(names::text(text)));
    let error = Expression::call("Error::not_implemented", arguments.into());
    format!(
        "        {}\n",
        Expression::call("Err", vec![error]).print(8, 0, 0)
    )
}
