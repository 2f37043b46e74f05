//! Named types: type parameters, declarations of the application, types of kit, types of TypeScript.

use kit_diagnostics::codes;
use oxc_ast::ast::{
    TSImportType, TSTypeName, TSTypeParameter, TSTypeParameterInstantiation, TSTypeReference,
};
use oxc_span::GetSpan;

use super::cursor::{CURSOR_QUERY_TYPE, CURSOR_TYPE};
use super::decimal::DECIMAL_TYPE;
use super::kit_types::{AUTH_TYPE, KitType};
use super::library::library_type;
use super::types::{Owner, Scope};
use super::{
    BYTES_PER_WIDE_INSTANCE, Evaluator, MAX_DEPTH, MAX_INSTANCES, ScopeId, Ty, TyId, WIDE_DEPTH,
    WIDE_INSTANCES,
};
use crate::known_types::is_known;
use crate::modules::{Decl, DeclId, DeclKind, Location, Name, Symbol, import_path, type_path};

/// Returns the type parameters of a declaration; `None` if the declaration has no type parameters.
pub(super) fn parameters<'a>(decl: &Decl<'a>) -> Option<&'a [TSTypeParameter<'a>]> {
    let parameters = match &decl.kind {
        DeclKind::Alias(alias) => alias.type_parameters.as_deref(),
        DeclKind::Interface(parts) => parts.first().and_then(|part| part.type_parameters.as_deref()),
        DeclKind::Class(class) => class.type_parameters.as_deref(),
        DeclKind::Enum(_) => None,
    };
    parameters.map(|parameters| parameters.params.as_slice())
}

impl<'a> Evaluator<'a> {
    pub(super) fn reference(&mut self, reference: &'a TSTypeReference<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, reference.span);
        self.named_type(
            &reference.type_name,
            reference.type_arguments.as_deref(),
            location,
            scope,
        )
    }

    /// Evaluates a named type with its type arguments, such as `Page<Note>`.
    pub(super) fn named_type(
        &mut self,
        name: &'a TSTypeName<'a>,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        location: Location,
        scope: ScopeId,
    ) -> TyId {
        let Some(path) = type_path(name) else {
            return self.unsupported(
                location,
                "kit does not evaluate members of `this`",
                "write the name of the interface",
            );
        };
        self.path_type(&path, arguments, location, scope)
    }

    /// Evaluates a type whose name has dots, such as `Api.Page<Note>`.
    pub(super) fn path_type(
        &mut self,
        path: &[Name<'a>],
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        location: Location,
        scope: ScopeId,
    ) -> TyId {
        let module = self.store.module_of(scope);
        // `globalThis.Date` is the global type `Date`.
        let path = match path {
            [first, rest @ ..] if first.text == "globalThis" && !rest.is_empty() => rest,
            path => path,
        };
        if let [namespace, name] = path
            && let Some((known, _)) = library_type(&format!("{}.{}", namespace.text, name.text))
            && self.graph.is_undeclared_namespace(module, namespace.text)
        {
            let nodes = arguments.map_or(&[][..], |arguments| arguments.params.as_slice());
            let arguments = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
            return self.store.add(Ty::Builtin(known, arguments));
        }
        let symbol = if let [only] = path {
            if let Some((bound, _)) = self.store.binding(scope, only.text) {
                return bound;
            }
            self.graph.type_symbol(module, only.text)
        } else {
            self.graph.type_path(module, path)
        };
        let name = path.last().map_or("", |last| last.text);
        self.symbol(symbol, name, arguments, location, scope)
    }

    /// Evaluates `import("…").Name<…>`.
    pub(super) fn import_type(&mut self, import: &'a TSImportType<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, import.span);
        let path = import_path(import.qualifier.as_ref());
        let source = Name {
            text: import.source.value.as_str(),
            span: import.source.span,
        };
        let module = self.store.module_of(scope);
        let symbol = self.graph.imported_type(module, source, &path);
        let name = path.last().map_or(source.text, |last| last.text);
        self.symbol(symbol, name, import.type_arguments.as_deref(), location, scope)
    }

    /// Returns the type for a symbol to which a type name was resolved.
    fn symbol(
        &mut self,
        symbol: Symbol<'a>,
        name: &'a str,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        location: Location,
        scope: ScopeId,
    ) -> TyId {
        let nodes = arguments.map_or(&[][..], |arguments| arguments.params.as_slice());
        match symbol {
            Symbol::Type(decl) => {
                let arguments = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
                let ty = self.instantiate(decl, arguments, location);
                match nodes {
                    [argument] => self.with_schema_rules(ty, decl, argument, scope),
                    _ => ty,
                }
            }
            Symbol::Kit(name) => {
                if let Some(kind) = KitType::from_name(name) {
                    let arguments = nodes.iter().map(|node| self.store.lazy(node, scope)).collect();
                    return self.kit_type(kind, arguments, location);
                }
                if name == AUTH_TYPE {
                    let scope = nodes.first().map(|node| self.store.lazy(node, scope));
                    return self.auth_type(scope);
                }
                if name == DECIMAL_TYPE {
                    let arguments: Vec<TyId> = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
                    return self.decimal_type(&arguments, location);
                }
                if name == CURSOR_TYPE || name == CURSOR_QUERY_TYPE {
                    let arguments: Vec<TyId> =
                        nodes.iter().map(|node| self.store.lazy(node, scope)).collect();
                    return if name == CURSOR_TYPE {
                        self.cursor_type(&arguments, location)
                    } else {
                        self.cursor_query_type(&arguments, location)
                    };
                }
                let message = format!("kit's type `{name}` has no JSON form");
                self.unsupported(
                    location,
                    &message,
                    "describe the value with an interface of your own",
                )
            }
            Symbol::Broken(diagnostic) => self.store.reject(*diagnostic),
            Symbol::EnumMember(decl, index) => self.enum_member(decl, index),
            Symbol::Namespace(_) | Symbol::Value(..) => self.reject(
                codes::UNKNOWN_TYPE,
                location,
                format!("`{name}` is a value, not a type"),
                "write the name of a type, or `typeof` before the name of the value",
            ),
            Symbol::Global => {
                let arguments: Vec<TyId> = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
                let locations: Vec<Location> = nodes
                    .iter()
                    .map(|node| self.location(scope, node.span()))
                    .collect();
                if !is_known(name)
                    && let Symbol::Type(decl) = self.graph.late_type(location.module, name)
                {
                    return self.instantiate(decl, arguments, location);
                }
                self.global(name, &arguments, &locations, location)
            }
        }
    }

    /// Returns the maximum number of instances of a generic type whose type arguments are deeply nested. A project with many
    /// schemas has many such instances, each of which some bytes of the sources write out.
    fn most_wide_instances(&self) -> usize {
        WIDE_INSTANCES + self.graph.bytes / BYTES_PER_WIDE_INSTANCE
    }

    /// Returns the instance of a declaration with type arguments. Missing arguments are replaced by their
    /// defaults.
    fn instantiate(&mut self, id: DeclId, mut arguments: Vec<TyId>, location: Location) -> TyId {
        let decl = self.graph.decl(id);
        let (name, module) = (decl.name, decl.module);
        let parameters = parameters(decl).unwrap_or_default();
        let required = parameters
            .iter()
            .filter(|parameter| parameter.default.is_none())
            .count();
        if arguments.len() < required || arguments.len() > parameters.len() {
            let wanted = match (required, parameters.len()) {
                (0, 0) => "no type arguments".to_owned(),
                (least, most) if least == most => crate::known_types::argument_count(most),

                (least, most) => format!("{least} to {most} type arguments"),
            };
            let names: Vec<&str> = parameters
                .iter()
                .map(|parameter| parameter.name.name.as_str())
                .collect();
            let help = if names.is_empty() {
                format!("write `{name}`")
            } else {
                format!("write `{name}<{}>`", names.join(", "))
            };
            let message = format!("`{name}` takes {wanted}, not {}", arguments.len());
            return self.reject(codes::WRONG_TYPE_ARGUMENTS, location, message, &help);
        }
        if let Some(invalid) = arguments
            .iter()
            .find(|argument| matches!(self.store.get(**argument), Ty::Invalid(_)))
        {
            return *invalid;
        }
        for parameter in &parameters[arguments.len()..] {
            let Some(default) = &parameter.default else { break };
            let bindings = parameters
                .iter()
                .map(|earlier| earlier.name.name.as_str())
                .zip(arguments.iter().copied());
            let scope = Scope {
                module,
                parent: None,
                bindings: bindings.collect(),
                owner: Some(Owner::Declaration(id)),
            };
            let scope = self.store.scope(scope);
            let value = self.evaluate(default, scope);
            arguments.push(value);
        }
        let deepest = arguments
            .iter()
            .map(|argument| self.store.depth(*argument))
            .max()
            .unwrap_or(0);
        // A type that uses itself several times has very many instances long before their depth reaches the
        // limit.
        let wide = deepest > WIDE_DEPTH && self.store.instance_count(id) > self.most_wide_instances();
        if deepest > MAX_DEPTH || wide || self.store.instances.len() > MAX_INSTANCES + self.graph.bytes {
            return self.recursion(location, &format!("`{name}` expands without end"));
        }
        self.store.named(id, arguments.into())
    }
}
