//! Generates `router.rs`: a trait for each contract group that its handlers implement, and the code that dispatches
//! requests to them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use heck::ToSnakeCase;
use kit_ir::{MiddlewareKind, Route, TypeKind};

use crate::errors::status_name;
use crate::middleware::Middleware;
use crate::print::{Expression, doc, import, imports, in_comment};
use crate::types::{Form, Types};
use crate::{File, names};

/// Routes of a program, by group.
pub(crate) struct Routes<'a> {
    pub(crate) groups: Vec<Group<'a>>,
    /// Middleware that routes use.
    pub(crate) middleware: Vec<Middleware>,
}

/// A contract group.
pub(crate) struct Group<'a> {
    /// Name in the contracts.
    contract: &'a str,
    /// Name of the trait: the name of the group, unless that name is taken.
    pub(crate) name: String,
    /// Module of the handlers.
    pub(crate) module: String,
    documentation: Option<String>,
    pub(crate) routes: Vec<Handled<'a>>,
}

impl Group<'_> {
    /// Returns the path of the handlers' file.
    pub(crate) fn file(&self) -> String {
        format!("src/handlers/{}.rs", self.module.trim_start_matches("r#"))
    }
}

/// A route with the names of its generated parts.
pub(crate) struct Handled<'a> {
    pub(crate) route: &'a Route,
    /// Name of the trait's method: `get_notes_by_id`.
    pub(crate) function: String,
    /// Name of the input struct: `GetNotesById`.
    pub(crate) input: String,
    /// Middleware that runs before the handler.
    pub(crate) middleware: Vec<Middleware>,
}

/// Returns a unique name for a field, function or module, and marks the name as taken.
pub(crate) fn unique_field(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = names::unique(names::plain_field(wanted), |name| taken.contains(name));
    let name = names::field(&plain);
    taken.insert(plain);
    name
}

/// Returns a unique name for a type, and marks the name as taken.
pub(crate) fn unique(wanted: String, taken: &mut BTreeSet<String>) -> String {
    let name = names::unique(wanted, |name| {
        taken.contains(name) || names::is_reserved(name) || names::IMPORTED.contains(&name)
    });
    taken.insert(name.clone());
    name
}

impl<'a> Routes<'a> {
    pub(crate) fn new(types: &Types<'a>) -> Self {
        let program = types.program;
        let built_in: Vec<&str> = program
            .application
            .middleware
            .iter()
            .filter(|middleware| middleware.kind == MiddlewareKind::BuiltIn)
            .map(|middleware| middleware.name.as_str())
            .collect();
        let mut groups: Vec<Group<'a>> = Vec::new();
        let mut middleware: Vec<Middleware> = Vec::new();
        let mut taken = types.taken.clone();
        // `GetAB` and `GetAb` would become the same function name.
        let mut functions = BTreeSet::from(["router".to_owned()]);
        let mut modules = BTreeSet::new();
        for route in &program.routes {
            let named = route.middleware.iter();
            let mut own: Vec<Middleware> = Vec::new();
            for name in named.filter(|name| !built_in.contains(&name.as_str())) {
                let known = middleware.iter().find(|known| known.name == *name).cloned();
                let one = known.unwrap_or_else(|| {
                    let new = Middleware::new(program, name, &mut taken, &mut modules);
                    middleware.push(new.clone());
                    new
                });
                own.push(one);
            }
            let input = unique(input_name(route), &mut taken);
            let handled = Handled {
                route,
                function: unique_field(&input, &mut functions),
                input,
                middleware: own,
            };
            if let Some(group) = groups.iter_mut().find(|group| group.contract == route.group) {
                group.routes.push(handled);
            } else {
                let known = program.groups.iter().find(|group| group.name == route.group);
                let stem = route.group.strip_suffix("Routes").filter(|stem| !stem.is_empty());
                let module = names::unique(plural(stem.unwrap_or(&route.group)), |name| {
                    let mut known = groups.iter();
                    // The modules of the groups are in a module `handlers`.
                    name == "handlers" || known.any(|group| group.module.trim_start_matches("r#") == name)
                });
                groups.push(Group {
                    contract: &route.group,
                    name: unique(names::type_name(&route.group), &mut taken),
                    module: names::field(&module),
                    documentation: known.and_then(|group| group.documentation.description.clone()),
                    routes: vec![handled],
                });
            }
        }
        Self { groups, middleware }
    }
}

/// Returns the name of the input struct: `GET /notes/:id` gives `GetNotesById`.
fn input_name(route: &Route) -> String {
    let method = names::variant(&route.method.name().to_lowercase());
    format!("{method}{}", route.path.name(names::variant))
}

/// Returns the plural of a name, by the rules for table names.
fn plural(name: &str) -> String {
    let snake = name.to_snake_case();
    let stem = snake.strip_suffix('y');
    match stem.filter(|stem| stem.ends_with(|last: char| !"aeiou".contains(last))) {
        Some(stem) => format!("{stem}ies"),
        None if snake.ends_with('s') => snake,
        None => format!("{snake}s"),
    }
}

impl Handled<'_> {
    /// Returns the expression of a value below `ctx` in the handler, or `None` if no middleware of the route adds the
    /// value. If several middleware add it, the last one counts, as in TypeScript.
    pub(crate) fn added(&self, context: &str) -> Option<String> {
        self.middleware.iter().rev().find_map(|middleware| {
            let added = middleware.adds.iter().find(|added| added.context == context)?;
            Some(format!("input.{}.{}", middleware.module, added.field))
        })
    }

    /// Returns the type of the response. If the contract does not specify it, the handler decides (`Reply`).
    pub(crate) fn answer(&self, types: &Types<'_>) -> String {
        match self.route.slots.response {
            Some(_) if self.is_open(types) => "Reply".to_owned(),
            Some(id) => types.name(id).to_owned(),
            None => "()".to_owned(),
        }
    }

    /// Returns true if the response type of the contract is `unknown`.
    pub(crate) fn is_open(&self, types: &Types<'_>) -> bool {
        self.route.slots.response.is_some_and(|id| {
            let program = types.program;
            matches!(
                program.types[program.declarations[id].r#type].kind,
                TypeKind::Unknown
            )
        })
    }

    /// Returns the parts of the input: name, type, comment.
    fn parts(&self, types: &Types<'_>) -> Vec<(&'static str, String, &'static str)> {
        let slots = &self.route.slots;
        let name_of = |id| types.name_in(id, Form::Request).to_owned();
        [
            ("params", slots.params, "The path parameters."),
            ("query", slots.query, "The query."),
            ("body", slots.body, "The body."),
        ]
        .into_iter()
        .filter_map(|(name, id, comment)| Some((name, name_of(id?), comment)))
        .collect()
    }
}

pub(crate) fn file(types: &Types<'_>, routes: &Routes<'_>) -> File {
    let mut text =
        String::from("//! The routes: what their handlers get, and the way of a request to them.\n\n");
    let mut runtime: Vec<String> = ["Context", "Error", "Request", "Response", "Router", "Routes"]
        .map(str::to_owned)
        .into();
    if !types.program.routes.is_empty() {
        runtime.push("StatusCode".to_owned());
    }
    let mut models: Vec<String> = Vec::new();
    for handled in routes.groups.iter().flat_map(|group| &group.routes) {
        models.extend(handled.parts(types).into_iter().map(|(_, name, _)| name));
        let answer = handled.route.slots.response.filter(|_| !handled.is_open(types));
        models.extend(answer.map(|id| types.name(id).to_owned()));
    }
    if models.is_empty() && types.program.routes.is_empty() {
        runtime.retain(|name| matches!(name.as_str(), "Router" | "Routes"));
    }
    if routes
        .groups
        .iter()
        .flat_map(|group| &group.routes)
        .any(|handled| handled.is_open(types))
    {
        runtime.push("Reply".to_owned());
    }
    runtime.retain(|name| !types.declares(name));
    text.push_str(&import("kit_runtime", &runtime));
    text.push_str("\nuse crate::app::App;\n");
    let middleware: Vec<String> = routes
        .middleware
        .iter()
        .map(|middleware| format!("crate::middleware::{}::{}", middleware.module, middleware.r#type))
        .collect();
    text.push_str(&imports(middleware.iter().map(String::as_str)));
    text.push_str(&import("crate::models", &models));
    for group in &routes.groups {
        text.push('\n');
        text.push_str(&group_trait(types, group));
    }
    for handled in routes.groups.iter().flat_map(|group| &group.routes) {
        text.push('\n');
        text.push_str(&input(types, handled));
    }
    text.push('\n');
    text.push_str(&router(types, routes));
    for group in &routes.groups {
        for handled in &group.routes {
            text.push('\n');
            text.push_str(&dispatch(types, group, handled));
        }
    }
    File::output("router.rs", &text)
}

fn group_trait(types: &Types<'_>, group: &Group<'_>) -> String {
    let mut text = doc(0, group.documentation.as_deref());
    if text.is_empty() {
        text = format!("/// The handlers of `{}`.\n", group.contract);
    }
    let _ = writeln!(text, "pub trait {} {{", group.name);
    for (number, handled) in group.routes.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let route = handled.route;
        let _ = writeln!(text, "    /// `{}`", route.reference());
        for comment in [
            route.summary.as_deref(),
            route.documentation.description.as_deref(),
        ]
        .into_iter()
        .flatten()
        {
            text.push_str("    ///\n");
            text.push_str(&doc(4, Some(comment)));
        }
        let (function, input, answer) = (&handled.function, &handled.input, handled.answer(types));
        let answer = format!("-> impl Future<Output = Result<{answer}, Error>> + Send;");
        let flat = format!("    fn {function}(&self, input: {input}) {answer}\n");
        // rustfmt counts the semicolon twice.
        if flat.len() <= 100 {
            text.push_str(&flat);
        } else if flat.len() == 101 {
            let _ = write!(text, "    fn {function}(&self, input: {input})\n    {answer}\n");
        } else {
            let _ = write!(
                text,
                "    fn {function}(\n        &self,\n        input: {input},\n    ) {answer}\n"
            );
        }
    }
    text.push_str("}\n");
    text
}

fn input(types: &Types<'_>, handled: &Handled<'_>) -> String {
    let mut text = format!(
        "/// What the handler of `{}` gets.\n#[derive(Debug)]\npub struct {} {{\n",
        handled.route.reference(),
        handled.input
    );
    for (name, r#type, comment) in handled.parts(types) {
        let _ = writeln!(text, "    /// {comment}\n    pub {name}: {type},");
    }
    for middleware in &handled.middleware {
        let _ = writeln!(
            text,
            "    /// What `{}` adds.\n    pub {}: {},",
            in_comment(&middleware.name),
            middleware.module,
            middleware.r#type
        );
    }
    let context = types.of_runtime("Context");
    let _ = write!(
        text,
        "    /// What is known of the request.\n    pub context: {context},\n}}\n"
    );
    text
}

fn router(types: &Types<'_>, routes: &Routes<'_>) -> String {
    let [made, maker] = ["Router", "Routes"].map(|name| types.of_runtime(name));
    let mut text = format!(
        "/// Answers every request of the application.\npub fn router(app: App) -> {made}<App> {{\n    {maker}::new(app)\n"
    );
    let groups = routes.groups.iter();
    for (group, handled) in groups.flat_map(|group| group.routes.iter().map(move |handled| (group, handled)))
    {
        let route = handled.route;
        let parameters: Vec<_> = route
            .parameters
            .iter()
            .map(|name| Expression::plain(names::text(name)))
            .collect();
        let call = Expression::call(
            ".route",
            vec![
                Expression::plain(names::text(&route.reference())),
                Expression::List(parameters),
                Expression::plain(&handled.function),
            ],
        );
        let _ = writeln!(text, "        {}", call.print(8, 0, 0));
        let _ = writeln!(text, "        {}", source(types, handled).print(8, 0, 0));
        let place = vec![text_of(&group.file()), text_of(&handled.function)];
        let _ = writeln!(
            text,
            "        {}",
            Expression::call(".handler", place).print(8, 0, 0)
        );
    }
    text.push_str("        .openapi(include_str!(\"schemas/openapi.json\"))\n        .into_router()\n}\n");
    text
}

/// Returns the call that sets the source location of a route, for errors in development.
fn source(types: &Types<'_>, handled: &Handled<'_>) -> Expression {
    let (program, route) = (types.program, handled.route);
    let file = program.path(route.span);
    let elsewhere = kit_ir::Slot::ALL.into_iter().filter_map(|slot| {
        let declaration = &program.declarations[route.slots.get(slot)?];
        let path = program.path(declaration.span);
        let entry = || Expression::call("", vec![text_of(slot.name()), text_of(path)]);
        (path != file).then(entry)
    });
    let place = format!("{file}:{}", route.span.line);
    Expression::call(
        ".source",
        vec![
            text_of(&place),
            Expression::List(elsewhere.collect()),
            Expression::List(route.tests.iter().map(|test| text_of(test)).collect()),
        ],
    )
}

fn text_of(text: &str) -> Expression {
    Expression::plain(names::text(text))
}

/// Prints the function that passes a request to its handler, one line per phase.
fn dispatch(types: &Types<'_>, group: &Group<'_>, handled: &Handled<'_>) -> String {
    let function = &handled.function;
    let [request, response] = ["Request", "Response"].map(|name| types.of_runtime(name));
    let mut text =
        format!("async fn {function}(app: App, request: {request}) -> Result<{response}, Error> {{\n");
    if text.len() - 1 > 100 {
        text = format!(
            "async fn {function}(\n    app: App,\n    request: {request},\n) -> Result<{response}, Error> {{\n"
        );
    }
    for middleware in &handled.middleware {
        let _ = writeln!(
            text,
            "    let {} = request.middleware(&app).await?;",
            middleware.module
        );
    }
    let parts = handled.parts(types);
    for (name, ..) in &parts {
        let _ = writeln!(text, "    let {name} = request.{name}()?;");
    }
    text.push_str("    let context = request.into_context()?;\n");
    let mut fields: Vec<String> = parts.iter().map(|(name, ..)| (*name).to_owned()).collect();
    fields.extend(
        handled
            .middleware
            .iter()
            .map(|middleware| middleware.module.clone()),
    );
    let _ = writeln!(text, "    let input = {} {{", handled.input);
    for field in fields {
        let _ = writeln!(text, "        {field},");
    }
    text.push_str("        context: context.clone(),\n    };\n");
    let mut status = status_name(handled.route.status).replace("StatusCode", &types.of_runtime("StatusCode"));
    if status.contains('(') {
        let _ = writeln!(text, "    let status = {status};");
        "status".clone_into(&mut status);
    }
    let call = format!("{}::{}(&app, input).await?", group.name, handled.function);
    let arguments = ["&context", &status].map(Expression::plain);
    let empty = Expression::call(format!("{response}::empty"), arguments.into());
    if handled.is_open(types) {
        let _ = write!(
            text,
            "    let answer = {call};\n    {response}::reply(&context, {status}, answer)\n}}\n"
        );
    } else if handled.route.slots.response.is_some() {
        let _ = write!(
            text,
            "    let answer = {call};\n    {response}::json(&context, {status}, &answer)\n}}\n"
        );
    } else {
        let _ = write!(
            text,
            "    {call};\n    {}\n}}\n",
            Expression::call("Ok", vec![empty]).print(4, 0, 0)
        );
    }
    text
}
