//! Generates the files that belong to the user, handlers and middleware. kit writes these files once. Handlers that
//! create, read, update, delete or list rows are complete. Every other handler responds with 501 and names the file
//! to edit.

mod code;
mod column_limits;
mod contract;
mod create;
mod filter;
mod insertion;
mod list;
mod list_order;
mod middleware_file;
mod missing;
mod nested;
mod new_row;
mod operations;
mod owner;
mod refusals;
mod related;
mod request_transaction;
mod resource;
mod unwritten;
mod upsert;
mod values;
mod view;

pub use missing::{AddedHandler, HandlerEdit, MissingHandlers, RefusedEdit, UnusedHandler};

use kit_ir::{DeclarationId, Property, Route, TypeId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::database::{Database, Parameter, RelatedColumn, Stored};
use crate::route_groups::{Group, Routes};
use crate::route_names::RouteNames;
use crate::source::{Imports, file_doc, ident, reads_field_of};
use crate::types::Types;
use crate::{File, Warning, names, print};
use code::Reason;

pub(crate) fn files(
    types: &Types<'_>,
    routes: &Routes<'_>,
    database: &Database<'_>,
) -> (Vec<File>, Vec<Warning>) {
    let context = HandlerContext {
        types,
        routes,
        database,
    };
    let mut gaps = Gaps::default();
    let mut files: Vec<File> = routes
        .groups
        .iter()
        .map(|group| context.handlers(group, &mut gaps))
        .collect();
    for known in &routes.middleware {
        let mut handled = routes.groups.iter().flat_map(|group| &group.routes);
        let has_transaction = handled.any(|handled| {
            let wrapper = context.transaction_wrapper(handled);
            wrapper.is_some_and(|wrapper| wrapper.module == known.module)
        });
        let file = middleware_file::middleware(known, types.program, database, has_transaction);
        gaps.warnings
            .extend(unwritten::middleware(known, &file.path, routes, types.program));
        files.push(file);
    }
    let mut warnings = owner::warnings(types.program, &gaps.denials);
    warnings.append(&mut gaps.warnings);
    (files, warnings)
}

/// Returns the handlers that files of the user lack, as [`crate::missing_handlers`] does.
pub(crate) fn missing(
    types: &Types<'_>,
    routes: &Routes<'_>,
    database: &Database<'_>,
    read: &dyn Fn(&str) -> Option<String>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> MissingHandlers {
    let known = HandlerContext {
        types,
        routes,
        database,
    };
    missing::find(known, read, is_wanted)
}

/// Adds the functions that handlers call to the modules of tables: filters and orders of lists, pages with the number of all
/// rows, reads by several values, and reads that lock the row.
pub(crate) fn add_functions(types: &Types<'_>, routes: &Routes<'_>, database: &mut Database<'_>) {
    let mut wanted: Vec<(String, Vec<String>, bool)> = Vec::new();
    let mut sorted: Vec<(String, Vec<String>)> = Vec::new();
    let (mut totals, mut locked) = (Vec::new(), Vec::new());
    let mut listed_by: Vec<(String, String)> = Vec::new();
    let mut deleted_by: Vec<(String, String)> = Vec::new();
    let mut related: Vec<(String, RelatedColumn)> = Vec::new();
    let known = HandlerContext {
        types,
        routes,
        database,
    };
    for handled in routes.groups.iter().flat_map(|group| &group.routes) {
        if handled.part_without_meaning(types.program).is_some() {
            continue;
        }
        if let Ok(list) = known.list_of(handled) {
            let table = &list.stored.table.name;
            if list.has_total() {
                totals.push(table.clone());
            }
            listed_by.extend(list.view.iter().flat_map(view::View::listed_by));
            if let Some(order) = list.order {
                sorted.push((table.clone(), order.properties()));
            }
            let of_others = list.filters.iter().filter_map(|filter| filter.related.clone());
            related.extend(of_others.map(|column| (table.clone(), column)));
            let properties = list.filters.into_iter().map(|filter| filter.property).collect();
            wanted.push((table.clone(), properties, handled.route.is_list));
            continue;
        }
        if let Ok((_, Some(view))) = known.answer(handled) {
            listed_by.extend(view.listed_by());
        }
        deleted_by.extend(known.deleted_by(handled));
        locked.extend(known.locked(handled).map(|stored| stored.table.name.clone()));
    }
    for (table, properties, has_cursors) in wanted {
        database.filter_by(&table, &properties, has_cursors);
    }
    for (table, column) in related {
        database.filter_by_related(&table, column);
    }
    for (table, properties) in sorted {
        database.sort_by(&table, &properties);
    }
    for table in totals {
        database.page_with_total(&table);
    }
    for table in locked {
        database.lock(&table);
    }
    for (table, column) in deleted_by {
        database.delete_by(&table, &column);
    }
    for (table, column) in listed_by {
        database.list_by_any(&table, &column);
    }
}

/// Input for generating handlers: the application's types, tables and routes.
#[derive(Clone, Copy)]
struct HandlerContext<'k, 'p> {
    types: &'k Types<'p>,
    routes: &'k Routes<'p>,
    database: &'k Database<'k>,
}

/// Imports and helper functions of a file with handlers.
#[derive(Clone, Default)]
struct Uses {
    /// Imported items of `kit_runtime`.
    runtime: Imports,
    /// Imported modules of tables, and imported items of these modules.
    tables: Imports,
    /// The enum of the errors that the contracts declare.
    errors: Imports,
    /// Imported models.
    models: Imports,
    /// Imported traits and types of the router.
    router: Imports,
    /// Helper functions, which are written before the handlers.
    functions: Vec<Function>,
    /// Connection of the current handler's queries, if they belong to the transaction of a wrapper.
    transaction: Option<TokenStream>,
    /// Reason why the current handler must not be generated: it would access rows of other owners.
    denied: Option<Denial>,
}

/// Reason why a handler must not be generated.
#[derive(Clone)]
struct Denial {
    reason: String,
    /// Name of the entity, if the reason is that the entity has no `@owner`.
    undeclared: Option<String>,
}

/// A route whose handler was not generated, and the reason.
struct DeniedRoute<'a> {
    route: &'a Route,
    /// Path of the file that contains the handler.
    path: String,
    denial: Denial,
}

/// Parts of the server that respond with 501.
#[derive(Default)]
struct Gaps<'a> {
    denials: Vec<DeniedRoute<'a>>,
    /// Warnings about handlers and middleware that kit cannot generate.
    warnings: Vec<Warning>,
}

/// A helper function that several handlers may call.
#[derive(Clone)]
struct Function {
    name: String,
    /// Code of the function. If two handlers need the same code, it is written once.
    code: TokenStream,
}

impl Uses {
    /// Adds a helper function and returns its name. If a function with the same code exists, returns the name
    /// of that function. If another function has the name `wanted`, the new name gets a number.
    fn function(&mut self, wanted: String, code: impl Fn(&Ident) -> TokenStream) -> Ident {
        // A function in a file of the user has other tokens than the code from which it was printed.
        let is_same = |known: &&Function| {
            let code = code(&ident(&known.name));
            known.code.to_string() == code.to_string() || print::file(&known.code) == print::file(&code)
        };
        if let Some(known) = self.functions.iter().find(is_same) {
            return ident(&known.name);
        }
        let name = names::unique(wanted, |taken| {
            self.functions.iter().any(|known| known.name == taken)
        });
        let function = ident(&name);
        let code = code(&function);
        self.functions.push(Function { name, code });
        function
    }

    /// Records why the current handler must not be generated. If there are several reasons, the first reason is
    /// kept.
    fn deny(&mut self, reason: String) {
        let undeclared = None;
        self.denied.get_or_insert(Denial { reason, undeclared });
    }

    /// Imports the type of a function parameter.
    fn parameter(&mut self, r#type: &Parameter) {
        if let Parameter::BigInt(own) | Parameter::Decimal(own) = r#type
            && !own.is_qualified
        {
            self.runtime(own.item.name());
        }
    }

    /// Imports an item of `kit_runtime`.
    fn runtime(&mut self, item: &str) {
        self.runtime.add_path(&format!("kit_runtime::{item}"));
    }

    /// Imports a model.
    fn model(&mut self, name: &str) {
        self.models.add("crate::models", name);
    }

    /// Imports the module of a table.
    fn module(&mut self, stored: &Stored<'_>) {
        self.tables.add_module(&format!("crate::db::{}", stored.module));
    }

    /// Imports an item of the module of a table.
    fn row(&mut self, stored: &Stored<'_>, item: &str) {
        self.tables.add(&format!("crate::db::{}", stored.module), item);
    }
}

impl<'k> HandlerContext<'k, '_> {
    fn handlers<'a>(self, group: &Group<'a>, gaps: &mut Gaps<'a>) -> File {
        let mut uses = Uses::default();
        let path = group.file();
        let mut handlers = Vec::new();
        for handled in &group.routes {
            self.import(group, handled, &mut uses);
            handlers.push(self.handler(group, handled, &path, &mut uses, gaps));
        }
        let comment = file_doc(&format!(
            "Handlers of `{}`. This file is yours: kit wrote it once and does not change it.",
            group.name
        ));
        let Uses {
            runtime,
            tables,
            errors,
            models,
            router,
            functions,
            ..
        } = uses;
        let functions = functions.into_iter().map(|function| function.code);
        let name = ident(&group.name);
        let file = quote! {
            #comment
            #runtime
            use crate::app::App;
            #tables
            #errors
            #models
            #router
            #(#functions)*
            impl #name for App { #(#handlers)* }
        };
        File::user(path, &file)
    }

    /// Imports the types in the signature of a handler.
    fn import(self, group: &Group<'_>, handled: &RouteNames<'_>, uses: &mut Uses) {
        uses.errors.add("crate::error", "Error");
        uses.router.add("crate::router", &group.name);
        uses.router.add("crate::router", &handled.input);
        if let Some(reply) = &handled.reply {
            uses.router.add("crate::router", reply);
        } else if let Some(contents) = &handled.bodies.contents {
            uses.router.add("crate::router", contents);
        } else if let Some(event) = &handled.bodies.event {
            uses.router.add("crate::router", event);
        } else if handled.is_open(self.types) {
            uses.runtime("Reply");
        } else if let Some(id) = handled
            .route
            .slots
            .response
            .filter(|_| !handled.route.is_socket())
        {
            uses.model(self.types.name(id));
        }
    }

    /// Returns the method that handles a route. If kit cannot generate the code, the method responds with 501.
    fn handler<'a>(
        self,
        group: &Group<'a>,
        handled: &RouteNames<'a>,
        path: &str,
        uses: &mut Uses,
        gaps: &mut Gaps<'a>,
    ) -> TokenStream {
        // If the generated code is discarded, its imports must be discarded too.
        let mut wanted = uses.clone();
        let reference = handled.route.reference();
        wanted.start(self.transaction_wrapper(handled));
        let generated = self.handler_code(group, handled, &mut wanted);
        if handled.route.has_idempotency_keys() && !wanted.is_in_transaction() {
            wanted.deny(
                "its queries must run in the transaction of the wrapper that executes repeated requests once, and the route has \
                 several wrappers"
                    .to_owned(),
            );
        }
        let code = match (generated, wanted.denied.take()) {
            (Ok(_), Some(denial)) => {
                let code = owner::denied(&reference, &denial.reason);
                let (route, path) = (handled.route, path.to_owned());
                gaps.denials.push(DeniedRoute { route, path, denial });
                code
            }
            (Ok(code), None) => {
                *uses = wanted;
                code
            }
            (Err(reason), _) => {
                gaps.warnings
                    .push(unwritten::handler(handled.route, path, &reason));
                unwritten::body(&reference, path)
            }
        };
        let input = ident(if reads_field_of(&code, "input") {
            "input"
        } else {
            "_input"
        });
        let (function, kind) = (ident(&handled.function), ident(&handled.input));
        let answer = handled.answer(self.types);
        quote! {
            async fn #function(&self, #input: #kind) -> Result<#answer, Error> { #code }
        }
    }

    /// Returns the property `name` of an object type. Returns `None` if the type has no such property.
    fn property(self, id: DeclarationId, name: &str) -> Option<&'k Property> {
        let program = self.types.program;
        let properties = program.properties(program.declarations[id].r#type);
        properties.iter().find(|property| property.name == name)
    }

    /// Returns a type. If it is a reference, returns the type that it refers to.
    fn resolved(self, id: TypeId) -> &'k kit_ir::Type {
        let program = self.types.program;
        &program.types[kit_analysis::resolve(program, id)]
    }
}
