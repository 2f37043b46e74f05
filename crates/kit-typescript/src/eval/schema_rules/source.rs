//! Search of the schema in the source that a type names.

use oxc_ast::ast::{
    Expression, ObjectPropertyKind, PropertyKey, TSIndexedAccessType, TSLiteral, TSType, TSTypeQueryExprName,
};

use crate::eval::values::pattern_path;
use crate::eval::{Evaluator, ScopeId};
use crate::modules::{DeclKind, ModuleId, Name, Symbol, Value, import_path, type_path};

/// Maximum number of schemas that are nested or refer to each other. A longer chain is a cycle.
pub(super) const MAX_DEPTH: u32 = 64;

/// A schema in the source.
pub(super) struct SchemaSource<'a> {
    pub(super) module: ModuleId,
    pub(super) expression: &'a Expression<'a>,
    /// Names after the schema: `shape` and `name` for `user.shape.name`.
    pub(super) parts: Vec<&'a str>,
    /// True if the type of the constant is written. The written type states what kit checks.
    pub(super) is_annotated: bool,
}

impl<'a> Evaluator<'a> {
    /// Returns the value that a type names, and the names of the properties after the value: `schemas` and `user` for
    /// `typeof schemas.user`, `(typeof schemas)["user"]` and a type alias of these types. Returns `None` for any other type.
    pub(super) fn schema_path(
        &mut self,
        argument: &'a TSType<'a>,
        scope: ScopeId,
    ) -> Option<(Symbol<'a>, Vec<&'a str>)> {
        let module = self.store.module_of(scope);
        if let TSType::TSTypeReference(reference) = argument.without_parenthesized()
            && let Some(path) = type_path(&reference.type_name)
            && let [only] = path.as_slice()
            && self.store.binding(scope, only.text).is_some()
        {
            // A type parameter stands for any schema.
            return None;
        }
        self.schema_path_in(argument, module, 0)
    }

    fn schema_path_in(
        &mut self,
        argument: &'a TSType<'a>,
        module: ModuleId,
        depth: u32,
    ) -> Option<(Symbol<'a>, Vec<&'a str>)> {
        if depth > MAX_DEPTH {
            return None;
        }
        match argument.without_parenthesized() {
            TSType::TSTypeQuery(query) => {
                let (symbol, used, path) = match &query.expr_name {
                    TSTypeQueryExprName::TSImportType(import) => {
                        let path = import_path(import.qualifier.as_ref());
                        let source = Name {
                            text: import.source.value.as_str(),
                            span: import.source.span,
                        };
                        let (symbol, used) = self.graph.imported_value(module, source, &path);
                        (symbol, used, path)
                    }
                    name => {
                        let path = name.as_ts_type_name().and_then(type_path)?;
                        let (symbol, used) = self.graph.value_path(module, &path);
                        (symbol, used, path)
                    }
                };
                let rest = path.get(used..)?.iter().map(|name| name.text).collect();
                Some((symbol, rest))
            }
            TSType::TSIndexedAccessType(access) => {
                let name = literal_index(access)?;
                let (symbol, mut rest) = self.schema_path_in(&access.object_type, module, depth + 1)?;
                rest.push(name);
                Some((symbol, rest))
            }
            TSType::TSTypeReference(reference) if reference.type_arguments.is_none() => {
                let path = type_path(&reference.type_name)?;
                let symbol = match path.as_slice() {
                    [only] => self.graph.type_symbol(module, only.text),
                    path => self.graph.type_path(module, path),
                };
                let Symbol::Type(decl) = symbol else { return None };
                let decl = self.graph.decl(decl);
                let DeclKind::Alias(alias) = &decl.kind else {
                    return None;
                };
                if alias.type_parameters.is_some() || self.graph.is_in_package(decl.module) {
                    return None;
                }
                let (alias, module) = (*alias, decl.module);
                self.schema_path_in(&alias.type_annotation, module, depth + 1)
            }
            _ => None,
        }
    }

    /// Returns the schema of a value, or of a property of the value; `None` if the source does not write the schema out.
    pub(super) fn schema_of_symbol(
        &mut self,
        symbol: &Symbol<'a>,
        path: &[&'a str],
    ) -> Option<SchemaSource<'a>> {
        let mut rest = Vec::new();
        let (mut module, mut expression, is_annotated) = match *symbol {
            Symbol::Value(module, _, Value::Const(declarator)) => {
                let is_annotated = declarator.type_annotation.is_some();
                (module, declarator.init.as_ref()?, is_annotated)
            }
            Symbol::Value(module, name, Value::Destructured(declarator)) => {
                rest = pattern_path(&declarator.id, name)?;
                let is_annotated = declarator.type_annotation.is_some();
                (module, declarator.init.as_ref()?, is_annotated)
            }
            Symbol::Value(module, _, Value::Default(expression)) => (module, expression, false),
            _ => return None,
        };
        rest.extend(path);
        let mut rest = rest.as_slice();
        for _ in 0..MAX_DEPTH {
            expression = expression.get_inner_expression();
            match expression {
                Expression::Identifier(name) => {
                    let symbol = self.graph.value_symbol(module, name.name.as_str());
                    match symbol {
                        Symbol::Value(found, _, Value::Const(declarator))
                            if declarator.type_annotation.is_none() =>
                        {
                            module = found;
                            expression = declarator.init.as_ref()?;
                        }
                        _ => return None,
                    }
                }
                Expression::ObjectExpression(object) => {
                    let (first, others) = rest.split_first()?;
                    let mut found = None;
                    for property in &object.properties {
                        let ObjectPropertyKind::ObjectProperty(property) = property else {
                            return None;
                        };
                        if property.computed {
                            return None;
                        }
                        if static_name(&property.key) == Some(first) {
                            found = Some(&property.value);
                        }
                    }
                    expression = found?;
                    rest = others;
                }
                _ => {
                    return Some(SchemaSource {
                        module,
                        expression,
                        parts: rest.to_vec(),
                        is_annotated,
                    });
                }
            }
        }
        None
    }
}

/// Returns the text in the brackets of `(typeof schemas)["user"]`; `None` for any other index.
pub(super) fn literal_index<'a>(access: &'a TSIndexedAccessType<'a>) -> Option<&'a str> {
    match &access.index_type {
        TSType::TSLiteralType(index) => match &index.literal {
            TSLiteral::StringLiteral(name) => Some(name.value.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the name of a property that the source writes out.
pub(super) fn static_name<'a>(key: &'a PropertyKey<'a>) -> Option<&'a str> {
    match key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.as_str()),
        PropertyKey::StringLiteral(text) => Some(text.value.as_str()),
        _ => None,
    }
}
