//! Types that TypeScript itself declares, such as `Date` and `Promise`.

use kit_diagnostics::{closest, codes};

use super::library::library_type;
use super::types::Index;
use super::{Evaluator, Object, Ty, TyId};
use crate::known_types::{BUILTINS, Utility, argument_count, parameters_of};
use crate::modules::Location;

impl Evaluator<'_> {
    /// Evaluates a type that TypeScript itself declares, such as `Partial` or `Date`. Reports a name that is
    /// not declared anywhere.
    pub(super) fn global(
        &mut self,
        name: &str,
        arguments: &[TyId],
        locations: &[Location],
        location: Location,
    ) -> TyId {
        if let Some(utility) = Utility::from_name(name) {
            if arguments.len() != utility.arity() {
                let message = format!(
                    "`{name}` takes {}, not {}",
                    argument_count(utility.arity()),
                    arguments.len()
                );
                return self.reject(codes::WRONG_TYPE_ARGUMENTS, location, message, utility.form());
            }
            return self.utility(utility, arguments, locations, location);
        }
        if let Some(builtin) = BUILTINS.iter().find(|builtin| **builtin == name) {
            let mut arguments = arguments.to_vec();
            while arguments.len() < parameters_of(name) {
                arguments.push(self.store.add(Ty::Any));
            }
            return self.store.add(Ty::Builtin(builtin, arguments.into()));
        }
        let ty = match name {
            "Date" => Ty::Date,
            "Uint8Array" => Ty::Bytes,
            "PropertyKey" => return self.any_key(),
            "ArrayLike" if arguments.len() == 1 => return self.array_like(arguments[0], location),
            "String" => Ty::Builtin("String", [].into()),
            "Number" => Ty::Builtin("Number", [].into()),
            "Boolean" => Ty::Builtin("Boolean", [].into()),
            "BigInt" => Ty::Builtin("BigInt", [].into()),
            "Object" => {
                return self.unsupported(
                    location,
                    "`Object` does not say which properties the value has",
                    "write the properties",
                );
            }
            _ => match library_type(name) {
                Some((known, _)) => Ty::Builtin(known, arguments.into()),
                None => return self.undeclared(name, location),
            },
        };
        self.store.add(ty)
    }

    fn array_like(&mut self, element: TyId, location: Location) -> TyId {
        let key = self.store.add(Ty::Number);
        let object = Object {
            properties: vec![super::Property {
                readonly: true,
                ..super::Property::plain("length".into(), super::KeyKind::Text, key, location)
            }],
            index: vec![Index::plain(key, element)],
            nominal: true,
            ..Object::default()
        };
        self.store.object(object)
    }

    fn undeclared(&mut self, name: &str, location: Location) -> TyId {
        let module = self.graph.module(location.module);
        if let Some(error) = &module.syntax_error {
            return self.store.reject(error.clone());
        }
        let known = module
            .types
            .keys()
            .copied()
            .chain(Utility::NAMES.iter().copied())
            .chain(["Date"]);
        let near = closest(name, known);
        let replacement = near.and_then(|near| self.graph.correction(location, name, near));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "declare it, or import it: `import type {{ {name} }} from \"./{}.ts\"`",
                name.to_lowercase()
            ),
        };
        let message = format!("the type `{name}` is not declared");
        let diagnostic = self.diagnostic(codes::UNKNOWN_TYPE, location, message);
        self.store.reject(diagnostic.help(help).replacement(replacement))
    }
}
