//! Types of middleware whose code kit does not read: `Wrapper<{ … }>` and `Middleware<…>` in the declaration files of
//! packages, and as the types of constants.

use kit_diagnostics::codes;
use oxc_ast::ast::{Expression, Function, TSType, TSTypeAnnotation, TSTypeParameterDeclaration};
use oxc_span::GetSpan;

use super::Located;
use super::expression::MAX_CHAIN;
use crate::eval::{KitType, Ty, TyId};
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId, Name, Symbol, Value};

/// Type of a middleware, as the sources declare it.
#[derive(Debug, Clone, Copy)]
pub(super) enum DeclaredType {
    /// Middleware that is not a wrapper, with the type of the properties that it adds, if the sources name that type.
    Middleware(Option<TyId>),
    /// A wrapper, with the location of its type, and the type argument with its parts.
    Wrapper(Location, Option<TyId>),
}

/// Type expression.
#[derive(Clone, Copy)]
struct Written<'a> {
    /// Module in which the names of the type are resolved.
    module: ModuleId,
    node: &'a TSType<'a>,
    /// Type parameters of the function that returns a value of the type.
    parameters: Option<&'a TSTypeParameterDeclaration<'a>>,
}

/// Result of the search for the type of an expression.
enum Found<'a> {
    Type(Written<'a>),
    /// The declaration cannot be found, or has no type: the module of the import has none, for example.
    Nothing,
    /// A function or a value whose code kit reads, or a middleware of kit itself.
    Known,
}

/// Returns the type of a middleware that no code of the project creates. Reports a type that kit cannot read, because
/// the middleware could be a wrapper, whose replies and failures belong to the contracts.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<DeclaredType> {
    let name = written_name(lowering, located);
    match find(lowering, located) {
        Found::Known => None,
        Found::Nothing => {
            refuse(lowering, &name, located.location());
            None
        }
        Found::Type(written) => {
            let declared = classify(lowering, written);
            if declared.is_none() {
                let location = Location {
                    module: written.module,
                    span: written.node.span(),
                };
                refuse(lowering, &name, location);
            }
            declared
        }
    }
}

/// Returns the type that is written at the constant of a middleware. Ignores a type that does not say whether the
/// middleware is a wrapper, because kit reads the value of the constant too.
pub(super) fn annotated<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<DeclaredType> {
    match find(lowering, located) {
        Found::Type(written) => classify(lowering, written),
        Found::Known | Found::Nothing => None,
    }
}

/// Returns the type that TypeScript infers for the constant of a middleware; `None` if TypeScript was not run for the file
/// of the constant. Records the file, so that TypeScript is run if the program needs the type.
pub(super) fn inferred<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<DeclaredType> {
    let Some(Symbol::Value(module, name, Value::Const(declarator))) = symbol(lowering, located) else {
        return None;
    };
    if declarator.type_annotation.is_some() {
        return None;
    }
    lowering.eval.add_untyped_middleware(module);
    let graph = &mut lowering.eval.graph;
    let declarations = graph.declarations_of(graph.file(module))?;
    match graph.declared_value(module, declarations, name)? {
        Symbol::Value(module, _, Value::Const(declared)) => {
            let Found::Type(written) = of_annotation(module, declared.type_annotation.as_ref()?, None) else {
                return None;
            };
            classify(lowering, written)
        }
        _ => None,
    }
}

fn written_name<'a>(lowering: &Lowering<'a>, located: Located<'a>) -> String {
    let text = lowering.graph().module(located.module).text;
    let span = located.expression.span();
    text[span.start as usize..span.end as usize].to_owned()
}

fn refuse(lowering: &mut Lowering<'_>, name: &str, location: Location) {
    let message = format!(
        "kit cannot read the type of the middleware `{name}`, which may be a wrapper with replies and failures"
    );
    let help = "give the middleware a type that kit can read, in its package or with a constant of the project: `const limited: Wrapper<{ replies: Reply<304> }> = …`, or `Middleware<Added>` if it is not a wrapper";
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_WRAPPER, location, message)
        .help(help);
    lowering.report(diagnostic);
}

fn classify<'a>(lowering: &mut Lowering<'a>, written: Written<'a>) -> Option<DeclaredType> {
    let Written { module, node, .. } = written;
    if matches!(node, TSType::TSFunctionType(_)) {
        return Some(DeclaredType::Middleware(None));
    }
    let location = Location {
        module,
        span: node.span(),
    };
    // kit does not infer the type arguments of a call, so a type parameter of the called function stands for its constraint.
    // `Middleware<{ auth: SessionAuth<TScope, TData> }>` still says that `ctx.auth` has a `subject`.
    let outer = lowering.eval.module_scope(module);
    let scope = lowering.eval.constraint_scope(written.parameters, outer);
    let ty = lowering.eval.store.lazy(node, scope);
    let shape = lowering.eval.shape(ty);
    if let Some(arguments) = lowering.eval.kit_type_arguments(shape, KitType::Wrapper) {
        return Some(DeclaredType::Wrapper(location, arguments.first().copied()));
    }
    if let Some(arguments) = lowering.eval.kit_type_arguments(shape, KitType::Middleware) {
        return Some(DeclaredType::Middleware(arguments.first().copied()));
    }
    match *lowering.eval.store.get(shape) {
        Ty::Object(object) => {
            let is_function = !lowering.eval.store.object_at(object).calls.is_empty();
            is_function.then_some(DeclaredType::Middleware(None))
        }
        _ => None,
    }
}

/// Returns the type of an expression: that of a name, also in a namespace, or the type that a called function returns.
fn find<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Found<'a> {
    let expression = located.expression.get_inner_expression();
    match expression {
        Expression::CallExpression(call) => called(lowering, located.with(&call.callee)),
        _ => value(lowering, located.with(expression)),
    }
}

fn value<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Found<'a> {
    let mut current = located;
    for _ in 0..MAX_CHAIN {
        let Some(symbol) = symbol(lowering, current) else {
            return Found::Known;
        };
        let next = match symbol {
            Symbol::Value(module, _, Value::Const(declarator) | Value::Variable(declarator)) => {
                if let Some(annotation) = &declarator.type_annotation {
                    return of_annotation(module, annotation, None);
                }
                let Some(init) = &declarator.init else {
                    return Found::Nothing;
                };
                Located {
                    module,
                    expression: init,
                }
            }
            Symbol::Value(module, _, Value::Default(expression)) => Located { module, expression },
            Symbol::Value(_, _, Value::Function(_)) | Symbol::Kit(_) => return Found::Known,
            _ => return Found::Nothing,
        };
        let inner = next.expression.get_inner_expression();
        if matches!(inner, Expression::CallExpression(_)) {
            return find(lowering, next.with(inner));
        }
        current = next.with(inner);
    }
    Found::Nothing
}

/// Returns the type that a called function returns.
fn called<'a>(lowering: &mut Lowering<'a>, callee: Located<'a>) -> Found<'a> {
    let expression = callee.expression.get_inner_expression();
    match symbol(lowering, callee.with(expression)) {
        Some(Symbol::Value(module, _, Value::Function(function))) => returned(module, function),
        Some(Symbol::Value(module, _, Value::Const(declarator) | Value::Variable(declarator))) => {
            match (&declarator.type_annotation, &declarator.init) {
                (Some(annotation), _) => match &annotation.type_annotation {
                    TSType::TSFunctionType(function) => {
                        of_annotation(module, &function.return_type, function.type_parameters.as_deref())
                    }
                    _ => Found::Nothing,
                },
                (None, Some(init)) => match init.get_inner_expression() {
                    Expression::ArrowFunctionExpression(arrow) => match &arrow.return_type {
                        Some(annotation) => {
                            of_annotation(module, annotation, arrow.type_parameters.as_deref())
                        }
                        None => Found::Known,
                    },
                    Expression::FunctionExpression(function) => returned(module, function),
                    _ => Found::Known,
                },
                (None, None) => Found::Nothing,
            }
        }
        Some(Symbol::Broken(_) | Symbol::Global) => Found::Nothing,
        _ => Found::Known,
    }
}

fn returned<'a>(module: ModuleId, function: &'a Function<'a>) -> Found<'a> {
    match &function.return_type {
        Some(annotation) => of_annotation(module, annotation, function.type_parameters.as_deref()),
        None if function.body.is_none() => Found::Nothing,
        None => Found::Known,
    }
}

fn of_annotation<'a>(
    module: ModuleId,
    annotation: &'a TSTypeAnnotation<'a>,
    parameters: Option<&'a TSTypeParameterDeclaration<'a>>,
) -> Found<'a> {
    Found::Type(Written {
        module,
        node: &annotation.type_annotation,
        parameters,
    })
}

/// Returns the symbol of a name, or of a name in a namespace: `limits.strict`. Returns `None` for other expressions.
fn symbol<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<Symbol<'a>> {
    let graph = &mut lowering.eval.graph;
    match located.expression {
        Expression::Identifier(identifier) => {
            Some(graph.value_symbol(located.module, identifier.name.as_str()))
        }
        Expression::StaticMemberExpression(member) => {
            let Expression::Identifier(object) = &member.object else {
                return None;
            };
            let path = [
                Name {
                    text: object.name.as_str(),
                    span: object.span,
                },
                Name {
                    text: member.property.name.as_str(),
                    span: member.property.span,
                },
            ];
            let (symbol, used) = graph.value_path(located.module, &path);
            (used == path.len()).then_some(symbol)
        }
        _ => None,
    }
}
