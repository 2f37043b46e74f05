//! JSON Schema of unions. Literals become an `enum`. Members of which a value matches at most one become a `oneOf`, with
//! OpenAPI's `discriminator` if a property tells components apart. All other unions become an `anyOf`.

use kit_analysis::{Kinds, UnionPlan, all_disjoint, is_impossible, kinds, literal_value};
use kit_ir::{TypeId, TypeKind};
use serde_json::Value;

use super::{Discriminator, Schema, Schemas, any_of, literal_type};

impl Schemas<'_> {
    pub(super) fn union(self, members: &[TypeId]) -> Schema {
        let members: Vec<_> = members
            .iter()
            .copied()
            .filter(|member| !is_impossible(self.program, *member))
            .collect();
        if let Some(choices) = self.choices(&members) {
            return choices;
        }
        if let [only] = members.as_slice() {
            return self.schema(*only);
        }
        if members.is_empty() {
            return Schema {
                not: Some(Box::default()),
                ..Schema::default()
            };
        }
        if !all_disjoint(self.program, &members) {
            return any_of(members.iter().map(|member| self.schema(*member)).collect());
        }
        let is_object = |id: &TypeId| !kinds(self.program, *id).is_disjoint(Kinds::OBJECT);
        let (objects, others): (Vec<_>, Vec<_>) = members.iter().copied().partition(is_object);
        match self.discriminated(&objects) {
            Some(schema) if others.is_empty() => schema,
            // A discriminator only supports components, so `null` and other members without a component are members of an
            // outer union.
            Some(schema) => Schema {
                one_of: std::iter::once(schema)
                    .chain(others.iter().map(|member| self.schema(*member)))
                    .collect(),
                ..Schema::default()
            },
            None => Schema {
                one_of: members.iter().map(|member| self.schema(*member)).collect(),
                ..Schema::default()
            },
        }
    }

    /// Returns an `enum` if all members are literals or `null`.
    fn choices(self, members: &[TypeId]) -> Option<Schema> {
        let constants: Option<Vec<_>> = members
            .iter()
            .map(|member| match &self.program.types[*member].kind {
                TypeKind::Literal { value } => Some((literal_value(value), literal_type(value))),
                TypeKind::Null => Some((Value::Null, "null")),
                _ => None,
            })
            .collect();
        let constants = constants.filter(|constants| constants.len() > 1)?;
        let r#type = constants[0].1;
        let uniform = constants.iter().all(|(_, other)| *other == r#type);
        Some(Schema {
            r#type: uniform.then_some(r#type),
            choices: Some(constants.into_iter().map(|(value, _)| value).collect()),
            ..Schema::default()
        })
    }

    /// Returns a schema for components that differ in the string value of one property.
    fn discriminated(self, objects: &[TypeId]) -> Option<Schema> {
        let declarations: Vec<_> = objects
            .iter()
            .map(|id| match self.program.types[*id].kind {
                TypeKind::Reference { declaration } => Some(declaration),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let plan = UnionPlan::new(self.program, objects);
        let found = plan.discriminator()?;
        // A member may itself be a named union. Its component cannot be the target of a value of the property.
        if plan.members.len() != declarations.len() {
            return None;
        }
        let references: Vec<_> = declarations.into_iter().map(|id| self.reference(id)).collect();
        let mapping = found
            .cases
            .into_iter()
            .map(|(text, member)| Some((text, references[member].reference.clone()?)))
            .collect::<Option<_>>()?;
        Some(Schema {
            one_of: references,
            discriminator: Some(Discriminator {
                property_name: found.property,
                mapping,
            }),
            ..Schema::default()
        })
    }
}
