//! Reader of the call `createApp({ routes, middleware })` or `declareApi({ routes, middleware })`.

use kit_diagnostics::{Diagnostic, codes};
use oxc_ast::ast::Expression;

use super::calls::{calls, kit_function};
use super::expression::{Resolved, follow, properties};
use super::{
    CREATE_APP, DECLARE_API, DefinedMiddleware, Factory, LiteralOption, Located, MIDDLEWARE_MAKERS,
    WRAPPER_MAKERS, cors, environment, errors, groups, jobs, listen, literal, middleware, security_headers,
    warn_computed,
};
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId, Value};

/// Reads the call of `createApp` or `declareApi` in the modules. If there is no call, [`Factory::location`] is `None`.
pub(crate) fn read(lowering: &mut Lowering<'_>, modules: &[ModuleId]) -> Factory {
    let mut factory = Factory::default();
    for module in modules {
        for call in calls(lowering, *module) {
            let is_declared = match kit_function(lowering, *module, call) {
                Some(CREATE_APP) => false,
                Some(DECLARE_API) => true,
                _ => {
                    if factory.tls.is_none() {
                        factory.tls = listen::tls(lowering, *module, call);
                    }
                    continue;
                }
            };
            let location = Location {
                module: *module,
                span: call.span,
            };
            if let Some(first) = factory.location {
                let mut earlier = lowering.graph().label(first).message("kit reads this call");
                earlier.primary = false;
                let function = factory.function();
                let message = if factory.is_declared == is_declared {
                    format!("`{function}` is called a second time")
                } else {
                    format!("the project calls `{CREATE_APP}` and `{DECLARE_API}`")
                };
                let diagnostic = Diagnostic::warning(codes::NOT_STATICALLY_KNOWN, message)
                    .label(lowering.graph().label(location))
                    .label(earlier)
                    .note(format!(
                        "kit compiles only the routes of the first `{function}`, not those of this call"
                    ))
                    .help(format!(
                        "put each application into a separate project, or register all routes in one `{function}`"
                    ));
                lowering.report(diagnostic);
                continue;
            }
            factory.location = Some(location);
            factory.is_declared = is_declared;
            let options = call.arguments.first();
            if let Some(expression) = options.and_then(|argument| argument.as_expression()) {
                let located = Located {
                    module: *module,
                    expression,
                };
                read_options(lowering, located, &mut factory);
            } else {
                factory.has_unread_options = true;
                warn_computed(
                    lowering,
                    location,
                    "these options",
                    "write the options as an object literal",
                );
            }
        }
        defined(lowering, *module, &mut factory);
    }
    factory.environment = environment::read(lowering, modules);
    factory.jobs = jobs::read(lowering, modules);
    factory
}

fn read_options<'a>(lowering: &mut Lowering<'a>, options: Located<'a>, factory: &mut Factory) {
    let Some((members, complete)) = properties(lowering, options, "these options") else {
        factory.has_unread_options = true;
        warn_computed(
            lowering,
            options.location(),
            "these options",
            "write the options as an object literal",
        );
        return;
    };
    factory.complete = complete;
    factory.has_unread_options = !complete;
    for member in members {
        match member.name.as_str() {
            "routes" => {
                let (read, seen) = groups::read(lowering, member.value, factory.is_declared);
                factory.groups = read;
                factory.complete &= seen;
            }
            "cors" => {
                let rules = cors::read(lowering, member.value);
                factory.cors = Some((member.value.location(), rules));
            }
            "securityHeaders" => {
                factory.security_headers = match security_headers::read(lowering, member.value) {
                    security_headers::Read::Off => None,
                    security_headers::Read::On(values) => Some((member.value.location(), values)),
                };
            }
            "errors" => factory.errors = Some(errors::read(lowering, member.value)),
            "compression" => factory.compression = read_literal(lowering, member.value),
            "etag" => factory.etag = read_literal(lowering, member.value),
            "staticFiles" => factory.static_files = read_literal(lowering, member.value),
            "requestLog" => factory.request_log = read_literal(lowering, member.value),
            "csrf" => factory.csrf = read_literal(lowering, member.value),
            "limits" => factory.limits = read_literal(lowering, member.value),
            "middleware" => factory.middleware = middleware::read(lowering, member.value).0,
            // Code of the TypeScript application, and the result of this build.
            "plugins" | "compiled" => {}
            "server" => {
                if let Some(argument) = adapter_options(lowering, member.value) {
                    factory.add_option(lowering, "server", argument);
                }
            }
            name if is_undefined(member.value) => {
                factory.options.remove(name);
            }
            name => factory.add_option(lowering, name, member.value),
        }
    }
}

impl Factory {
    fn add_option<'a>(&mut self, lowering: &mut Lowering<'a>, name: &str, value: Located<'a>) {
        let read = literal::read_members(lowering, value);
        self.options.insert(name.to_owned(), (value.location(), read));
    }
}

/// Returns the options of a server adapter: the argument of a call such as `nativeServer({ maxConnections: 1000 })`. Returns
/// `None` if the expression is no call, or if the call has no argument.
fn adapter_options<'a>(lowering: &mut Lowering<'a>, server: Located<'a>) -> Option<Located<'a>> {
    let Resolved::Expression(found, _) = follow(lowering, server) else {
        return None;
    };
    let Expression::CallExpression(call) = found.expression else {
        return None;
    };
    Some(found.with(call.arguments.first()?.as_expression()?))
}

fn is_undefined(value: Located<'_>) -> bool {
    matches!(value.expression.get_inner_expression(), Expression::Identifier(name) if name.name == "undefined")
}

fn read_literal<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> LiteralOption {
    match literal::read(lowering, option) {
        literal::Read::Off => None,
        literal::Read::On(value) => Some((option.location(), value)),
    }
}

/// Adds each constant whose value is a call such as `defineMiddleware` or `declareWrapper` to `factory.defined`.
fn defined<'a>(lowering: &mut Lowering<'a>, module: ModuleId, factory: &mut Factory) {
    let constants: Vec<(&'a str, &'a Expression<'a>)> = lowering
        .graph()
        .module(module)
        .values
        .iter()
        .filter_map(|(name, value)| match value {
            Value::Const(declarator) => declarator.init.as_ref().map(|init| (*name, init)),
            _ => None,
        })
        .collect();
    for (name, init) in constants {
        let Expression::CallExpression(call) = init else {
            continue;
        };
        let is_wrapper = match kit_function(lowering, module, call) {
            Some(name) if MIDDLEWARE_MAKERS.contains(&name) => false,
            Some(name) if WRAPPER_MAKERS.contains(&name) => true,
            _ => continue,
        };
        factory.defined.push(DefinedMiddleware {
            name: name.to_owned(),
            is_wrapper,
            location: Location {
                module,
                span: call.span,
            },
        });
    }
}
