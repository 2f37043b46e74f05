//! Search for calls of functions of kit, such as `createApp`.

use oxc_ast::AstKind;
use oxc_ast::ast::{CallExpression, Declaration, Expression, Statement};
use oxc_ast_visit::Visit;

use super::Located;
use crate::lower::Lowering;
use crate::modules::{ModuleId, Symbol};

/// Returns all function calls in a module, in the order of the source.
pub(super) fn calls<'a>(lowering: &Lowering<'a>, module: ModuleId) -> Vec<&'a CallExpression<'a>> {
    struct Calls<'a>(Vec<&'a CallExpression<'a>>);

    impl<'a> Visit<'a> for Calls<'a> {
        fn enter_node(&mut self, kind: AstKind<'a>) {
            if let AstKind::CallExpression(call) = kind {
                self.0.push(call);
            }
        }
    }

    let mut calls = Calls(Vec::new());
    let module = lowering.graph().module(module);
    let body = module.program.body.iter();
    let statements: Vec<&'a Statement<'a>> = body.filter(|statement| may_call(statement)).collect();
    if !statements.is_empty() {
        module.stack_size.run(|| {
            for statement in statements {
                calls.visit_statement(statement);
            }
        });
    }
    calls.0
}

/// Returns false for statements that cannot contain a call, such as interfaces. Type files contain only these.
fn may_call(statement: &Statement<'_>) -> bool {
    let declaration = match statement {
        Statement::ImportDeclaration(_)
        | Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_) => return false,
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        other => other.as_declaration(),
    };
    !matches!(
        declaration,
        Some(Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_))
    )
}

/// Returns the name of the function of kit that a call calls, such as `createApp`. Its import may rename it,
/// and it may be called through a namespace (`kit.createApp`). Returns `None` for a call of another function.
pub(super) fn kit_function<'a>(
    lowering: &mut Lowering<'a>,
    module: ModuleId,
    call: &'a CallExpression<'a>,
) -> Option<&'a str> {
    let graph = &mut lowering.eval.graph;
    match &call.callee {
        Expression::Identifier(identifier) => match graph.value_symbol(module, identifier.name.as_str()) {
            Symbol::Kit(name) => Some(name),
            _ => None,
        },
        Expression::StaticMemberExpression(member) => match &member.object {
            Expression::Identifier(object) => match graph.value_symbol(module, object.name.as_str()) {
                Symbol::Kit("*") => Some(member.property.name.as_str()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Returns an expression as a call if it calls the function of kit with the given name.
pub(super) fn kit_call<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    name: &str,
) -> Option<&'a CallExpression<'a>> {
    let Expression::CallExpression(call) = located.expression else {
        return None;
    };
    (kit_function(lowering, located.module, call) == Some(name)).then_some(call)
}

/// Returns an expression as a call if it calls one of the functions of kit with the given names.
pub(super) fn kit_call_of_any<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    names: &[&str],
) -> Option<&'a CallExpression<'a>> {
    names.iter().find_map(|name| kit_call(lowering, located, name))
}
