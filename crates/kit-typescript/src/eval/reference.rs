//! Names of types: type parameters, declarations, kit's own types, TypeScript's.

use kit_diagnostics::{closest, codes};
use oxc_ast::ast::{TSTypeName, TSTypeParameter, TSTypeParameterInstantiation, TSTypeReference};
use oxc_span::GetSpan;

use super::types::Scope;
use super::utility::{self, Utility};
use super::{DEEPEST, Evaluator, MOST_INSTANCES, ScopeId, Ty, TyId};
use crate::modules::{Decl, DeclId, DeclKind, Place, Symbol};

/// The type parameters of a declaration.
pub(super) fn parameters<'a>(decl: &Decl<'a>) -> Option<&'a [TSTypeParameter<'a>]> {
    let parameters = match &decl.kind {
        DeclKind::Alias(alias) => alias.type_parameters.as_deref(),
        DeclKind::Interface(parts) => parts.first().and_then(|part| part.type_parameters.as_deref()),
        DeclKind::Unsupported(_) => None,
    };
    parameters.map(|parameters| parameters.params.as_slice())
}

fn count(arguments: usize) -> String {
    format!(
        "{arguments} type argument{}",
        if arguments == 1 { "" } else { "s" }
    )
}

impl<'a> Evaluator<'a> {
    pub(super) fn reference(&mut self, reference: &'a TSTypeReference<'a>, scope: ScopeId) -> TyId {
        let place = self.place(scope, reference.span);
        self.named_type(
            &reference.type_name,
            reference.type_arguments.as_deref(),
            place,
            scope,
        )
    }

    /// The type of a name with its arguments.
    pub(super) fn named_type(
        &mut self,
        name: &'a TSTypeName<'a>,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        place: Place,
        scope: ScopeId,
    ) -> TyId {
        let symbol = match name {
            TSTypeName::IdentifierReference(identifier) => {
                let name = identifier.name.as_str();
                let Scope { module, bindings } = &self.store.scopes[scope.index()];
                if let Some((_, bound)) = bindings.iter().find(|(parameter, _)| *parameter == name) {
                    return *bound;
                }
                let module = *module;
                self.graph.type_symbol(module, name)
            }
            TSTypeName::QualifiedName(qualified) => {
                let TSTypeName::IdentifierReference(left) = &qualified.left else {
                    return self.unsupported(
                        place,
                        "kit does not evaluate nested namespaces",
                        "import the name itself",
                    );
                };
                let module = self.store.scopes[scope.index()].module;
                match self.graph.type_symbol(module, left.name.as_str()) {
                    Symbol::Namespace(target) => {
                        let right = qualified.right.name.as_str();
                        if let Some(symbol) = self.graph.exported_type(target, right) {
                            symbol
                        } else {
                            let file = self.graph.module(target).display.clone();
                            let message = format!("{file} does not export `{right}`");
                            return self.reject(codes::UNKNOWN_EXPORT, place, message, "correct the name");
                        }
                    }
                    Symbol::Kit("*") => Symbol::Kit(qualified.right.name.as_str()),
                    Symbol::Broken(diagnostic) => Symbol::Broken(diagnostic),
                    _ => {
                        let message = format!("`{}` is no namespace that kit evaluates", left.name);
                        return self.unsupported(place, &message, "import the type by its own name");
                    }
                }
            }
            TSTypeName::ThisExpression(_) => {
                return self.unsupported(
                    place,
                    "kit does not evaluate `this` types",
                    "write the name of the interface",
                );
            }
        };
        let nodes = arguments.map_or(&[][..], |arguments| arguments.params.as_slice());
        match symbol {
            Symbol::Type(decl) => {
                let arguments = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
                self.instantiate(decl, arguments, place)
            }
            Symbol::Kit("RouteContract") => {
                let arguments: Vec<TyId> = nodes.iter().map(|node| self.store.lazy(node, scope)).collect();
                self.contract(&arguments, place)
            }
            Symbol::Kit(name) => {
                let message = format!("`{name}` of kit is no type of a value on the wire");
                self.unsupported(
                    place,
                    &message,
                    "describe the value with an interface of your own",
                )
            }
            Symbol::Broken(diagnostic) => self.store.reject(*diagnostic),
            Symbol::Namespace(_) | Symbol::Value(..) => self.reject(
                codes::UNKNOWN_TYPE,
                place,
                "this name is a value, not a type",
                "write the name of a type",
            ),
            Symbol::Global => {
                let TSTypeName::IdentifierReference(identifier) = name else {
                    return self.reject(
                        codes::UNKNOWN_TYPE,
                        place,
                        "nothing declares this type",
                        "correct the name",
                    );
                };
                let arguments: Vec<TyId> = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
                let places: Vec<Place> = nodes.iter().map(|node| self.place(scope, node.span())).collect();
                self.global(identifier.name.as_str(), &arguments, &places, place)
            }
        }
    }

    fn contract(&mut self, arguments: &[TyId], place: Place) -> TyId {
        if arguments.len() > 4 {
            let message = format!(
                "`RouteContract` takes at most 4 type arguments, not {}",
                arguments.len()
            );
            let help = "write `RouteContract<Params, Query, Body, Response>`";
            return self.reject(codes::WRONG_TYPE_ARGUMENTS, place, message, help);
        }
        let mut slots = [self.store.add(Ty::Undefined); 4];
        slots[..arguments.len()].copy_from_slice(arguments);
        self.store.add(Ty::Contract(slots))
    }

    /// A declaration with arguments, defaults filled in.
    fn instantiate(&mut self, id: DeclId, mut arguments: Vec<TyId>, place: Place) -> TyId {
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
                (least, most) if least == most => count(most),

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
            return self.reject(codes::WRONG_TYPE_ARGUMENTS, place, message, &help);
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
                bindings: bindings.collect(),
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
        if deepest > DEEPEST || self.store.instances.len() > MOST_INSTANCES {
            return self.recursion(place, &format!("`{name}` expands without end"));
        }
        self.store.named(id, arguments)
    }

    /// A type that TypeScript declares, or one that nobody does.
    fn global(&mut self, name: &str, arguments: &[TyId], places: &[Place], place: Place) -> TyId {
        if let Some(utility) = Utility::from_name(name) {
            if arguments.len() != utility.arity() {
                let message = format!(
                    "`{name}` takes {}, not {}",
                    count(utility.arity()),
                    arguments.len()
                );
                return self.reject(codes::WRONG_TYPE_ARGUMENTS, place, message, utility.form());
            }
            return self.utility(utility, arguments, places, place);
        }
        let ty = match name {
            "Date" => Ty::Date,
            "Uint8Array" => Ty::Bytes,
            "String" | "Number" | "Boolean" | "BigInt" => {
                let primitive = name.to_lowercase();
                let message = format!("`{name}` is the object around a {primitive}");
                return self.unsupported(place, &message, &format!("write `{primitive}`"));
            }
            "Object" => {
                return self.unsupported(
                    place,
                    "`Object` says nothing about the properties",
                    "write the properties",
                );
            }
            _ if utility::has_no_json(name) => return self.without_json(place, &format!("`{name}`")),
            _ if utility::not_yet(name) => {
                let message = format!("kit does not evaluate `{name}` yet");
                return self.unsupported(place, &message, "write the type that it evaluates to");
            }
            _ => {
                let module = self.graph.module(place.module);
                if let Some(error) = &module.syntax_error {
                    return self.store.reject(error.clone());
                }
                let known = module
                    .types
                    .keys()
                    .copied()
                    .chain(Utility::NAMES.iter().copied())
                    .chain(["Date"]);
                let help = match closest(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!(
                        "declare it, or import it: `import type {{ {name} }} from \"./{}.ts\"`",
                        name.to_lowercase()
                    ),
                };
                return self.reject(
                    codes::UNKNOWN_TYPE,
                    place,
                    format!("nothing declares the type `{name}`"),
                    &help,
                );
            }
        };
        self.store.add(ty)
    }
}
