//! Routes of an application by their groups, with the names of the code that is generated for them.

use std::collections::BTreeSet;

use heck::ToSnakeCase;
use kit_ir::{MiddlewareKind, Route};

use crate::middleware::Middleware;
use crate::route_names::{BodyNames, RouteNames};
use crate::types::Types;
use crate::{Problem, names};

/// Routes of an application by their groups.
pub(crate) struct Routes<'a> {
    pub(crate) groups: Vec<Group<'a>>,
    /// Middleware that routes use.
    pub(crate) middleware: Vec<Middleware>,
    /// Errors for middleware that cannot be generated, because two different middleware have the same name.
    pub(crate) problems: Vec<Problem>,
}

/// A group of routes in the contracts, with its names in Rust.
pub(crate) struct Group<'a> {
    /// Name of the group in the contracts.
    pub(crate) contract: &'a str,
    /// Name of the generated trait: the name of the group, unless another type has this name.
    pub(crate) name: String,
    /// Name of the Rust module with the handlers.
    pub(crate) module: String,
    /// Description of the group in the contracts.
    pub(crate) documentation: Option<String>,
    pub(crate) routes: Vec<RouteNames<'a>>,
}

impl Group<'_> {
    /// Returns the path of the file with the handlers.
    pub(crate) fn file(&self) -> String {
        format!("src/handlers/{}.rs", self.module.trim_start_matches("r#"))
    }
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
        let mut problems: Vec<Problem> = Vec::new();
        let mut taken = types.taken.clone();
        // Two different inputs such as `GetAB` and `GetAb` would get the same function name.
        let mut functions = BTreeSet::from(["router".to_owned()]);
        let mut modules = BTreeSet::new();
        for route in &program.routes {
            let named = route.middleware.iter();
            let mut own: Vec<Middleware> = Vec::new();
            for name in named.filter(|name| !built_in.contains(&name.as_str())) {
                let known = middleware.iter().find(|known| known.name == *name).cloned();
                let one = known.unwrap_or_else(|| {
                    let new = Middleware::new(program, route, name, &mut taken, &mut modules);
                    middleware.push(new.clone());
                    new
                });
                if !one.is_that_of(route) {
                    problems.push(Problem {
                        message: format!(
                            "`{}` has the middleware `{name}`, and another route has a middleware with this name \
                             and other replies: a Rust server cannot have both",
                            route.reference()
                        ),
                        span: route.span,
                        help: "give one of them another name: `{ name: \"…\", middleware, priority: 0 }`"
                            .to_owned(),
                    });
                }
                own.push(one);
            }
            let input = names::unique_type(input_name(route), &mut taken);
            let reply =
                (!route.replies.is_empty()).then(|| names::unique_type(format!("{input}Reply"), &mut taken));
            let handled = RouteNames {
                route,
                function: names::unique_field(&input, &mut functions),
                bodies: BodyNames::new(route, &input, &mut taken),
                input,
                reply,
                middleware: own,
            };
            if let Some(group) = groups.iter_mut().find(|group| group.contract == route.group) {
                group.routes.push(handled);
            } else {
                let known = program.groups.iter().find(|group| group.name == route.group);
                let stem = route.group.strip_suffix("Routes").filter(|stem| !stem.is_empty());
                let module = names::unique(plural(stem.unwrap_or(&route.group)), |name| {
                    let mut known = groups.iter();
                    // All these modules are in a module `handlers`, so none can have that name.
                    name == "handlers" || known.any(|group| group.module.trim_start_matches("r#") == name)
                });
                groups.push(Group {
                    contract: &route.group,
                    name: names::unique_type(names::type_name(&route.group), &mut taken),
                    module: names::field(&module),
                    documentation: known.and_then(|group| group.documentation.description.clone()),
                    routes: vec![handled],
                });
            }
        }
        Self {
            groups,
            middleware,
            problems,
        }
    }
}

/// Returns the name of the struct that a handler receives: `GET /notes/:id` gives `GetNotesById`, and
/// `@operation readNote` gives `ReadNote`.
fn input_name(route: &Route) -> String {
    if let Some(operation) = &route.operation {
        return names::variant(operation);
    }
    let method = if route.is_socket() {
        "ws"
    } else {
        route.method.name()
    };
    let method = names::variant(&method.to_lowercase());
    format!("{method}{}", route.path.name(names::variant))
}

/// Returns the plural of a name, which names the module with the handlers of a group. The rules are simpler than the
/// rules for tables (`kit_analysis::plural_snake_case`). They must never change, because the file of the module
/// belongs to the user.
fn plural(name: &str) -> String {
    let snake = name.to_snake_case();
    let stem = snake.strip_suffix('y');
    match stem.filter(|stem| stem.ends_with(|last: char| !"aeiou".contains(last))) {
        Some(stem) => format!("{stem}ies"),
        None if snake.ends_with('s') => snake,
        None => format!("{snake}s"),
    }
}
