//! Schemas that consist of other schemas: unions, intersections, records and tuples.

use oxc_ast::ast::{CallExpression, Expression};
use oxc_span::GetSpan;

use super::reader::{Reader, location, schemas_in};
use super::rules::{Kind, SchemaRules};
use crate::modules::ModuleId;

impl<'a> Reader<'_, 'a> {
    /// Reads the schemas of the members of a union.
    pub(super) fn members(&mut self, schemas: &[&'a Expression<'a>], module: ModuleId) -> SchemaRules {
        let members = schemas.iter().map(|schema| self.read(schema, module)).collect();
        SchemaRules::union(members)
    }

    /// Reads a record: the last argument of a call is the schema of the values, and the argument before is that of the keys.
    /// Rules of keys that are not texts are parts that kit does not read.
    pub(super) fn record(&mut self, call: &'a CallExpression<'a>, module: ModuleId) -> SchemaRules {
        let (first, second) = (Self::argument(call, 0), Self::argument(call, 1));
        let (keys, values) = match second {
            Some(values) => (first, Some(values)),
            // zod 3 allows a record with only the schema of the values.
            None => (None, first),
        };
        let mut keys = keys.map(|keys| self.read(keys, module));
        if let Some(others) = keys.take_if(|keys| keys.kind != Kind::Text) {
            self.refuse_rules(&others);
        }
        let values = values.map(|values| self.read(values, module));
        SchemaRules::record(keys, values.unwrap_or_default())
    }

    /// Reads a tuple: the first argument of a call has the schemas of the elements. The rules of a rest are parts that kit does
    /// not read.
    pub(super) fn tuple(&mut self, call: &'a CallExpression<'a>, module: ModuleId) -> SchemaRules {
        let Some(Expression::ArrayExpression(array)) =
            Self::argument(call, 0).map(Expression::get_inner_expression)
        else {
            self.refuse_rules_of(&schemas_in(call), module);
            return SchemaRules::of(Kind::List);
        };
        if let Some(rest) = Self::argument(call, 1)
            && !matches!(rest.get_inner_expression(), Expression::ObjectExpression(_))
        {
            self.refuse_rules_of(&[rest], module);
        }
        let mut elements = Vec::new();
        for element in &array.elements {
            let Some(schema) = element.as_expression() else {
                let at = location(module, element.span());
                self.unread.push((at, "the elements from here on".to_owned()));
                break;
            };
            elements.push(self.read(schema, module));
        }
        SchemaRules::tuple(elements)
    }

    /// Adds the properties of another object schema, as an intersection does. The rules of a property that both schemas have
    /// are parts that kit does not read.
    pub(super) fn intersect(&mut self, rules: &mut SchemaRules, other: SchemaRules) {
        if (rules.kind, other.kind) != (Kind::Object, Kind::Object) {
            self.refuse_rules(&other);
            return;
        }
        for property in other.properties {
            if rules.properties.iter().any(|(name, ..)| *name == property.0) {
                self.refuse_rules(&property.2);
            } else {
                rules.properties.push(property);
            }
        }
    }
}
