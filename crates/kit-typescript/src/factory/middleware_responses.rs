//! Values that the functions of middleware return. A middleware that returns a response is an error: only handlers can send
//! responses, so a response that middleware returns through `ctx.send` would never reach a client.
//!
//! Only the `return` statements of the middleware function itself are checked. TypeScript finds more such
//! mistakes, and the server refuses the others at run time.

use kit_diagnostics::codes;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionBody, BindingPattern, CallExpression, Expression, FormalParameters, Function, FunctionBody,
    ObjectPropertyKind,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::Located;
use super::calls::kit_call;
use super::expression::{Resolved, follow};
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId, Symbol};

/// Reports each response that a middleware function returns.
pub(super) fn check<'a>(lowering: &mut Lowering<'a>, middleware: Located<'a>) {
    let Some((module, body, parameters)) = function_of(lowering, middleware) else {
        return;
    };
    let names = Names::of(parameters);
    let returned = lowering.graph().module(module).stack_size.run(|| body.returned());
    for expression in returned {
        let mut answers = Vec::new();
        alternatives(expression, &mut answers);
        for expression in answers {
            if !is_response(lowering, Located { module, expression }, &names) {
                continue;
            }
            let location = Location {
                module,
                span: expression.span(),
            };
            let text = lowering.graph().module(module).slice(expression.span());
            let shown = if text.contains('\n') { "an answer" } else { text };
            let diagnostic = lowering
                .eval
                .diagnostic(
                    codes::MIDDLEWARE_RETURNS_RESPONSE,
                    location,
                    format!("this middleware returns `{shown}`, but the client will not receive this value"),
                )
                .note("kit adds the result of a middleware to `ctx`; only a handler can return a response")
                .help(
                    "refuse the request with `ctx.fail(401, \"UNAUTHORIZED\", \"…\")`, or return the response from the handler",
                );
            lowering.report(diagnostic);
        }
    }
}

/// Returns true if the code of a middleware shows that no value that it returns has the property `name`: the middleware
/// returns nothing, refuses the request, or returns objects whose properties are written out.
pub(super) fn never_adds<'a>(lowering: &mut Lowering<'a>, middleware: Located<'a>, name: &str) -> bool {
    let Some((module, body, parameters)) = function_of(lowering, middleware) else {
        return false;
    };
    if matches!(body, Body::Value(None)) {
        return false;
    }
    let names = Names::of(parameters);
    let returned = lowering.graph().module(module).stack_size.run(|| body.returned());
    let mut values = Vec::new();
    for value in returned {
        alternatives(value, &mut values);
    }
    values.into_iter().all(|value| match value {
        Expression::Identifier(value) => value.name == "undefined",
        Expression::CallExpression(call) => names.is_failure(call),
        Expression::ObjectExpression(object) => object.properties.iter().all(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => {
                property.key.static_name().is_some_and(|known| known != name)
            }
            ObjectPropertyKind::SpreadProperty(_) => false,
        }),
        _ => false,
    })
}

/// Returns the module, the body and the parameters of the function of a middleware, which may be the argument of
/// `defineMiddleware`. Returns `None` if kit cannot read the function.
fn function_of<'a>(
    lowering: &mut Lowering<'a>,
    middleware: Located<'a>,
) -> Option<(ModuleId, Body<'a>, &'a FormalParameters<'a>)> {
    let mut found = follow(lowering, middleware);
    if let Resolved::Expression(located, _) = &found
        && let Some(call) = kit_call(lowering, *located, "defineMiddleware")
    {
        let argument = call.arguments.first()?.as_expression()?;
        found = follow(lowering, located.with(argument));
    }
    function(&found)
}

/// Returns the module, the body and the parameters of a function. Returns `None` if the expression is not a
/// function.
fn function<'a>(found: &Resolved<'a>) -> Option<(ModuleId, Body<'a>, &'a FormalParameters<'a>)> {
    Some(match *found {
        Resolved::Function(module, function) => (module, Body::of(function), &function.params),
        Resolved::Expression(Located { module, expression }, _) => match expression {
            Expression::ArrowFunctionExpression(arrow) => {
                let body = match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => Body::Block(body),
                    value => Body::Value(value.as_expression()),
                };
                (module, body, &arrow.params)
            }
            Expression::FunctionExpression(function) => (module, Body::of(function), &function.params),
            _ => return None,
        },
        Resolved::Unknown(_) => return None,
    })
}

/// Returns the values that a function returns, and the module of the function. Returns `None` if the
/// expression is not a function that kit can read.
pub(super) fn returned_values<'a>(
    lowering: &mut Lowering<'a>,
    callee: Located<'a>,
) -> Option<(ModuleId, Vec<&'a Expression<'a>>)> {
    let found = follow(lowering, callee);
    let (module, body, _) = function(&found)?;
    let returned = lowering.graph().module(module).stack_size.run(|| body.returned());
    Some((module, returned))
}

/// Body of a middleware function.
enum Body<'a> {
    Block(&'a FunctionBody<'a>),
    /// Value of an arrow function such as `() => value`; `None` if a function has no body.
    Value(Option<&'a Expression<'a>>),
}

impl<'a> Body<'a> {
    fn of(function: &'a Function<'a>) -> Self {
        function.body.as_deref().map_or(Self::Value(None), Self::Block)
    }

    fn returned(&self) -> Vec<&'a Expression<'a>> {
        match self {
            Self::Block(body) => returns(body),
            Self::Value(value) => value.iter().copied().collect(),
        }
    }
}

/// Returns the values of the `return` statements in a body, except in nested functions.
fn returns<'a>(body: &'a FunctionBody<'a>) -> Vec<&'a Expression<'a>> {
    #[derive(Default)]
    struct Returns<'a> {
        found: Vec<&'a Expression<'a>>,
        /// Number of nested functions that contain the current node.
        depth: usize,
    }

    impl<'a> Visit<'a> for Returns<'a> {
        fn enter_node(&mut self, kind: AstKind<'a>) {
            match kind {
                AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => self.depth += 1,
                AstKind::ReturnStatement(statement) if self.depth == 0 => {
                    self.found.extend(&statement.argument);
                }
                _ => {}
            }
        }

        fn leave_node(&mut self, kind: AstKind<'a>) {
            if matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)) {
                self.depth -= 1;
            }
        }
    }

    let mut returns = Returns::default();
    returns.visit_function_body(body);
    returns.found
}

/// Adds the values that an expression may have to `found`: for `condition ? a : b`, adds `a` and `b`.
fn alternatives<'a>(expression: &'a Expression<'a>, found: &mut Vec<&'a Expression<'a>>) {
    match expression.get_inner_expression() {
        Expression::ConditionalExpression(conditional) => {
            alternatives(&conditional.consequent, found);
            alternatives(&conditional.alternate, found);
        }
        Expression::LogicalExpression(logical) => {
            alternatives(&logical.left, found);
            alternatives(&logical.right, found);
        }
        Expression::AwaitExpression(awaited) => alternatives(&awaited.argument, found),
        other => found.push(other),
    }
}

/// Names of the parameters of a middleware function: its input object, and `ctx` if it is destructured.
#[derive(Default)]
struct Names<'a> {
    input: Option<&'a str>,
    ctx: Option<&'a str>,
}

impl<'a> Names<'a> {
    fn of(parameters: &'a FormalParameters<'a>) -> Self {
        let mut names = Self::default();
        match parameters.items.first().map(|parameter| &parameter.pattern) {
            Some(BindingPattern::BindingIdentifier(input)) => names.input = Some(input.name.as_str()),
            Some(BindingPattern::ObjectPattern(pattern)) => {
                let ctx = pattern
                    .properties
                    .iter()
                    .find(|property| property.key.static_name().is_some_and(|name| name == "ctx"));
                if let Some(BindingPattern::BindingIdentifier(name)) = ctx.map(|property| &property.value) {
                    names.ctx = Some(name.name.as_str());
                }
            }
            _ => {}
        }
        names
    }

    /// Returns true for a call of `ctx.fail`, which returns nothing.
    fn is_failure(&self, call: &CallExpression<'_>) -> bool {
        matches!(&call.callee, Expression::StaticMemberExpression(member)
            if member.property.name == "fail" && self.is_ctx(&member.object))
    }

    /// Returns true if an expression is `ctx` or `input.ctx`.
    fn is_ctx(&self, expression: &Expression<'_>) -> bool {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => self.ctx == Some(name.name.as_str()),
            Expression::StaticMemberExpression(member) => {
                member.property.name == "ctx"
                    && matches!(&member.object, Expression::Identifier(object) if self.input == Some(object.name.as_str()))
            }
            _ => false,
        }
    }
}

/// Returns true for a call of `ctx.send`, even after calls such as `ctx.status(…)`, and for a `Response` of
/// the web platform.
fn is_response<'a>(lowering: &mut Lowering<'a>, located: Located<'a>, names: &Names<'_>) -> bool {
    match located.expression {
        Expression::CallExpression(call) => {
            sends(call, names)
                || matches!(&call.callee, Expression::StaticMemberExpression(member)
                    if is_response_class(lowering, located.with(&member.object)))
        }
        Expression::NewExpression(new) => is_response_class(lowering, located.with(&new.callee)),
        _ => false,
    }
}

fn sends(call: &CallExpression<'_>, names: &Names<'_>) -> bool {
    let Expression::StaticMemberExpression(member) = &call.callee else {
        return false;
    };
    if member.property.name != "send" {
        return false;
    }
    let mut object = &member.object;
    loop {
        if names.is_ctx(object) {
            return true;
        }
        match object.get_inner_expression() {
            Expression::CallExpression(inner) => match &inner.callee {
                Expression::StaticMemberExpression(member) => object = &member.object,
                _ => return false,
            },
            _ => return false,
        }
    }
}

/// Returns true if an expression is the global class `Response`.
fn is_response_class<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> bool {
    let Expression::Identifier(name) = located.expression else {
        return false;
    };
    let graph = &mut lowering.eval.graph;
    name.name == "Response" && matches!(graph.value_symbol(located.module, "Response"), Symbol::Global)
}
