//! Types of values, for `typeof`. If only TypeScript can infer the type of a value, the type comes from the declarations
//! that TypeScript emits, or is an error.
//!
//! Literals, objects, arrays, `as const`, `satisfies`, assertions and annotations are evaluated. A call has
//! the declared result type of its function, if that needs no inferred type arguments. The error for any
//! other expression shows the annotation to write.

mod call;
mod expression;
mod inferred;
mod schemas;

use kit_diagnostics::codes;
use oxc_ast::ast::{
    BindingPattern, Expression, Function as FunctionNode, PropertyKey, TSType, TSTypeQuery,
    TSTypeQueryExprName, VariableDeclarator,
};
use oxc_span::GetSpan;

pub(super) use self::inferred::Uninferred;
use super::function::Signature;
use super::{Evaluator, KeyKind, Object, Property, ScopeId, Ty, TyId};
use crate::modules::{DeclId, DeclKind, Location, ModuleId, Name, Symbol, Value, import_path, type_path};

/// Treatment of literals in a value: `"a"` gets the type `"a"` or the type `string`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Widening {
    /// In `as const`: literals keep their types, and all properties are readonly.
    Const,
    /// Value of a `const` variable. A literal keeps its literal type, but literals in its properties get the
    /// general type, such as `string`.
    Declared,
    /// Value of a variable or property that may change: `"a"` has the type `string`.
    Mutable,
    /// Value with an expected type. A literal keeps its literal type only if the expected type contains literals: `"x"`
    /// has the type `"x"` if `"x" | "y"` is expected, and the type `string` if `string` is expected.
    For(TyId),
}

impl<'a> Evaluator<'a> {
    /// Evaluates `typeof name` and `typeof name.property`.
    pub(super) fn type_query(&mut self, query: &'a TSTypeQuery<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, query.span);
        let module = self.store.module_of(scope);
        match &query.expr_name {
            TSTypeQueryExprName::TSImportType(import) => {
                let path = import_path(import.qualifier.as_ref());
                let source = Name {
                    text: import.source.value.as_str(),
                    span: import.source.span,
                };
                let (symbol, used) = self.graph.imported_value(module, source, &path);
                self.symbol_value(symbol, &path[used..], location)
            }
            name => match name.as_ts_type_name().and_then(type_path) {
                Some(path) => self.path_value(module, &path, location),
                None => self.unsupported(location, "kit does not evaluate `typeof this`", "write `this`"),
            },
        }
    }

    /// Returns the type of a value with a name such as `a` or `a.b.c`.
    fn path_value(&mut self, module: ModuleId, path: &[Name<'a>], location: Location) -> TyId {
        if let [only] = path
            && only.text == "undefined"
        {
            return self.store.add(Ty::Undefined);
        }
        let (symbol, used) = self.graph.value_path(module, path);
        if let Symbol::Global = symbol {
            let name = path.first().map_or("", |first| first.text);
            if name == "globalThis" {
                return self.global_object(&path[1..], location);
            }
            return self.reject(
                codes::UNKNOWN_TYPE,
                location,
                format!("`{name}` is not a declared value with a type that kit can read"),
                "name a constant, a function or a class",
            );
        }
        self.symbol_value(symbol, &path[used..], location)
    }

    /// Returns the type of `globalThis`, or of a property of it. kit does not know the global values, so any name is a
    /// property with the type `any`, which has no JSON form.
    fn global_object(&mut self, properties: &[Name<'a>], location: Location) -> TyId {
        let any = self.store.add(Ty::Any);
        if !properties.is_empty() {
            return any;
        }
        let mut object = Object::default();
        let key = self.store.add(Ty::String);
        self.index_signature(&mut object, key, any, location);
        self.store.object(object)
    }

    /// Returns the type of the value that a symbol refers to, or of a property in it.
    fn symbol_value(&mut self, symbol: Symbol<'a>, properties: &[Name<'a>], location: Location) -> TyId {
        let schema = symbol.clone();
        let mut ty = match symbol {
            Symbol::Value(module, name, value) => self.value_once(module, name, value, location),
            Symbol::EnumMember(decl, index) => self.enum_member(decl, index),
            Symbol::Broken(diagnostic) => self.store.reject(*diagnostic),
            _ => {
                return self.unsupported(
                    location,
                    "kit does not evaluate `typeof` of a namespace or module as a whole",
                    "name one of its constants",
                );
            }
        };
        let mut owner = ty;
        for property in properties {
            let key = self.store.text(property.text);
            owner = ty;
            ty = self.value_member(ty, key, location);
        }
        let path: Vec<&'a str> = properties.iter().map(|property| property.text).collect();
        self.with_property_rules(ty, owner, &schema, &path, location)
    }

    fn value_once(&mut self, module: ModuleId, name: &'a str, value: Value<'a>, location: Location) -> TyId {
        if let Some(known) = self.values.get(&(module, name)) {
            return known.unwrap_or_else(|| {
                let message = format!("the type of `{name}` depends on itself");
                let diagnostic = self.diagnostic(codes::RECURSIVE_ALIAS, location, message);
                self.store.reject(diagnostic.help("write its type after a colon"))
            });
        }
        self.values.insert((module, name), None);
        let unreplaced = self.uninferred.unreplaced.len();
        let mut ty = self.value(module, name, value, location);
        if self.uninferred.unreplaced.len() > unreplaced {
            ty = self
                .inferred_value(module, name, location, unreplaced)
                .unwrap_or(ty);
        }
        self.values.insert((module, name), Some(ty));
        ty
    }

    fn value(&mut self, module: ModuleId, name: &'a str, value: Value<'a>, location: Location) -> TyId {
        let scope = self.module_scope(module);
        match value {
            Value::Const(declarator) => self.variable(declarator, scope, location, Widening::Declared),
            Value::Variable(declarator) => self.variable(declarator, scope, location, Widening::Mutable),
            Value::Function(function) => self.overloads(module, name, function, scope),
            Value::Declared(decl) => self.declared_value(decl, location),
            Value::Default(expression) => self.expression_type(expression, scope, Widening::Declared),
            Value::Destructured(declarator) => self.destructured(declarator, name, scope, location),
        }
    }

    /// Returns the type of a class or an enum as a value, as in `typeof Note`.
    fn declared_value(&mut self, id: DeclId, location: Location) -> TyId {
        let decl = self.graph.decl(id);
        let module = decl.module;
        match &decl.kind {
            DeclKind::Class(class) => {
                let class = *class;
                let scope = self.module_scope(module);
                self.class_value(id, class, scope)
            }
            DeclKind::Enum(_) => {
                let members = self.graph.enum_members(id);
                let mut object = Object::default();
                for (index, member) in members.iter().enumerate() {
                    let ty = self.enum_member(id, index);
                    object.insert(Property {
                        readonly: true,
                        ..Property::plain(member.name.into(), KeyKind::Text, ty, location)
                    });
                }
                self.store.object(object)
            }
            _ => self.unsupported(location, "this name is a type, not a value", "leave out `typeof`"),
        }
    }

    fn overloads(
        &mut self,
        module: ModuleId,
        name: &str,
        function: &'a FunctionNode<'a>,
        scope: ScopeId,
    ) -> TyId {
        let all = self.graph.overloads(module, name).to_vec();
        if all.len() < 2 {
            return self.function_value(function, scope);
        }
        // The declaration with the body is not an overload that callers see.
        let mut calls = Vec::new();
        for overload in all.iter().filter(|overload| overload.body.is_none()) {
            let ty = self.function_value(overload, scope);
            if let Some(object) = self.as_object(ty) {
                calls.extend(object.calls.iter().cloned());
            }
        }
        self.store.object(Object {
            calls,
            ..Object::default()
        })
    }

    fn variable(
        &mut self,
        declarator: &'a VariableDeclarator<'a>,
        scope: ScopeId,
        location: Location,
        widening: Widening,
    ) -> TyId {
        if let Some(annotation) = &declarator.type_annotation {
            let node = &annotation.type_annotation;
            if let TSType::TSTypeOperatorType(operator) = node
                && matches!(&operator.type_annotation, TSType::TSSymbolKeyword(_))
            {
                let location = self.location(scope, declarator.span);
                return self.store.add(Ty::UniqueSymbol(location));
            }
            return self.evaluate(node, scope);
        }
        match &declarator.init {
            Some(Expression::CallExpression(call)) if is_symbol_call(&call.callee) => {
                let location = self.location(scope, declarator.span);
                self.store.add(Ty::UniqueSymbol(location))
            }
            Some(expression) => self.expression_type(expression, scope, widening),
            None => self.unsupported(
                location,
                "the declaration of this constant has neither a type nor a value",
                "write the type of the constant",
            ),
        }
    }

    /// Returns the type of a variable in a destructuring declaration. Only TypeScript can infer the type if the pattern has a
    /// default, a rest or a list.
    fn destructured(
        &mut self,
        declarator: &'a VariableDeclarator<'a>,
        name: &'a str,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let mut whole = self.variable(declarator, scope, location, Widening::Declared);
        if matches!(self.shape_of(whole), Ty::Invalid(_)) {
            return whole;
        }
        let Some(path) = pattern_path(&declarator.id, name) else {
            let location = self.location(scope, declarator.id.span());
            return self.uninferred(
                location,
                &format!("`{name}` in this pattern"),
                "a declaration for each name: `const user = schemas.user`",
            );
        };
        for part in path {
            let key = self.store.text(part);
            whole = self.value_member(whole, key, location);
        }
        whole
    }

    /// Returns the type of a function from the annotations in its declaration.
    pub(super) fn function_value(&mut self, function: &'a FunctionNode<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, function.span);
        let signature = Signature {
            type_parameters: function.type_parameters.as_deref(),
            this: function.this_param.as_deref(),
            parameters: &function.params,
            result: function.return_type.as_deref(),
            method: false,
        };
        let mut signature = self.signature(&signature, scope);
        if function.return_type.is_none() {
            signature.result = self.uninferred(
                location,
                "the result of this function",
                "a result type: `(): Note`",
            );
        }
        self.store.object(Object {
            calls: vec![signature],
            ..Object::default()
        })
    }
}

/// Returns the names of the properties that lead to a variable of a pattern: `user` and `id` for the variable `key` in
/// `{ user: { id: key } }`. Returns `None` for other parts of patterns.
pub(super) fn pattern_path<'a>(pattern: &'a BindingPattern<'a>, name: &str) -> Option<Vec<&'a str>> {
    match pattern {
        BindingPattern::BindingIdentifier(identifier) => (identifier.name == name).then(Vec::new),
        BindingPattern::ObjectPattern(object) => object.properties.iter().find_map(|property| {
            let key = match &property.key {
                PropertyKey::StaticIdentifier(key) if !property.computed => key.name.as_str(),
                PropertyKey::StringLiteral(key) => key.value.as_str(),
                _ => return None,
            };
            let mut path = pattern_path(&property.value, name)?;
            path.insert(0, key);
            Some(path)
        }),
        _ => None,
    }
}

fn is_symbol_call(callee: &Expression<'_>) -> bool {
    match callee {
        Expression::Identifier(name) => name.name == "Symbol",
        Expression::StaticMemberExpression(member) => {
            member.property.name == "for"
                && matches!(&member.object, Expression::Identifier(name) if name.name == "Symbol")
        }
        _ => false,
    }
}
