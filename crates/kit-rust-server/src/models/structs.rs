//! Generates structs for objects, with maps for keys that no property declares.

use std::fmt::Write as _;

use kit_ir::{DefaultValue, IndexKey, LiteralValue, ObjectType, Property, TemplatePart};

use super::defaults::Default;
use super::{Models, Place};
use crate::names;
use crate::print::{doc, in_comment};
use crate::shapes;
use crate::types::{Definition, Field, Form};

/// Map for the keys of an index signature.
struct Map<'a> {
    name: String,
    value: String,
    key: &'a IndexKey,
}

impl Models<'_, '_> {
    pub(super) fn structure(&mut self, name: &str, comment: &str, object: &ObjectType, at: &Place<'_>) {
        let mut fields: Vec<Field> = Vec::new();
        let mut texts = Vec::new();
        let mut defaults = Vec::new();
        // A property that can never have a value gets no field.
        for property in &object.properties {
            if !self.may_hold(property) {
                continue;
            }
            let field = self.field(name, property, at, &fields);
            texts.push(self.attributes(name, &field, property, &mut defaults));
            fields.push(field);
        }
        let maps = self.maps(object, at, &fields);
        let mut text = comment.to_owned();
        let (reads, writes) = self.derives();
        let sensitive = object.properties.iter().any(|property| property.tags.sensitive);
        let debug = if sensitive { "" } else { "Debug, " };
        let _ = writeln!(text, "#[derive({debug}Clone, PartialEq, {reads}, {writes})]");
        let is_camel = fields
            .iter()
            .all(|field| names::serde_camel(plain(field)) == field.property);
        if is_camel && fields.iter().any(|field| plain(field) != field.property) {
            text.push_str("#[serde(rename_all = \"camelCase\")]\n");
        }
        let mut body = String::new();
        for (field, (comment, attributes, line)) in fields.iter().zip(texts) {
            body.push_str(&comment);
            if !is_camel && plain(field) != field.property {
                let _ = writeln!(body, "    #[serde(rename = {})]", names::text(&field.property));
            }
            body.push_str(&attributes);
            body.push_str(&line);
        }
        let readers = self.map_fields(name, &maps, &mut body);
        if body.is_empty() {
            let _ = writeln!(text, "pub struct {name} {{}}");
        } else {
            let _ = write!(text, "pub struct {name} {{\n{body}}}\n");
        }
        self.module.items.push(text);
        if sensitive {
            self.module.items.push(hidden_debug(name, &fields, &maps, object));
            self.module.others.insert("std::fmt");
        }
        if !readers.is_empty() {
            self.module.items.push(format!("impl {name} {{\n{readers}}}\n"));
        }
        self.defaults_later(name, defaults);
        self.module.declared.push(name.to_owned());
        let maps = maps.into_iter().map(|map| map.name).collect();
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Struct { maps });
        self.types.structs.insert(name.to_owned(), fields);
    }

    /// Returns true if the property may have a value.
    fn may_hold(&self, property: &Property) -> bool {
        !property.optional || !kit_analysis::is_impossible(self.types.program, property.r#type)
    }

    fn field(&mut self, owner: &str, property: &Property, at: &Place<'_>, before: &[Field]) -> Field {
        let name = names::unique(names::plain_field(&property.name), |taken| {
            before.iter().any(|field| plain(field) == taken)
        });
        let is_made = property.tags.generated.is_some() && self.form == Form::Request;
        let r#type = self.bare(
            property.r#type,
            &Place {
                name: &format!("{owner}{}", names::variant(&property.name)),
                shown: format!("{}.{}", at.shown, property.name),
                span: property.span,
            },
            false,
        );
        Field {
            property: property.name.clone(),
            name: names::field(&name),
            r#type,
            optional: property.optional || is_made,
        }
    }

    /// Returns the comment, the attributes and the line of a field.
    fn attributes(
        &mut self,
        owner: &str,
        field: &Field,
        property: &Property,
        defaults: &mut Vec<Default>,
    ) -> (String, String, String) {
        let comment = doc(4, property.documentation.description.as_deref());
        let mut attributes = String::new();
        let mut r#type = field.r#type.clone();
        if field.optional {
            let optional = self.runtime("optional");
            let _ = writeln!(
                attributes,
                "    #[serde(default, with = \"{optional}\", skip_serializing_if = \"Option::is_none\")]"
            );
            r#type = format!("Option<{type}>");
        } else if let Some(default) = &property.tags.default {
            if is_default_of_type(default, &r#type) {
                attributes.push_str("    #[serde(default)]\n");
            } else {
                let function = format!("default_{}", plain(field).trim_start_matches('_'));
                let _ = writeln!(attributes, "    #[serde(default = \"{owner}::{function}\")]");
                defaults.push(Default {
                    function,
                    r#type: property.r#type,
                    rust: r#type.clone(),
                    value: default.clone(),
                    span: property.span,
                    property: property.name.clone(),
                });
            }
        }
        (comment, attributes, format!("    pub {}: {type},\n", field.name))
    }

    /// Returns a map for each index signature, in order of precedence.
    fn maps<'o>(&mut self, object: &'o ObjectType, at: &Place<'_>, fields: &[Field]) -> Vec<Map<'o>> {
        let mut maps: Vec<Map<'o>> = Vec::new();
        for signature in object.signatures() {
            let wanted = match &signature.key {
                IndexKey::String => "others".to_owned(),
                IndexKey::Number => "numbers".to_owned(),
                IndexKey::Template { parts } => fixed_name(parts),
            };
            let name = names::unique(wanted, |taken| {
                fields.iter().any(|field| plain(field) == taken) || maps.iter().any(|map| map.name == taken)
            });
            let place = Place {
                name: &format!("{}{}", at.name, names::variant(&name)),
                shown: format!("{}[]", at.shown),
                span: at.span,
            };
            maps.push(Map {
                value: self.bare(signature.value, &place, true),
                key: &signature.key,
                name,
            });
        }
        if !maps.is_empty() && fields.iter().any(|field| field.property == "__proto__") {
            self.types.problem(
                format!(
                    "`{}` has a property `__proto__` beside an index signature",
                    at.shown
                ),
                at.span,
                "give the property another name: as a key that nobody declared, it is dropped",
            );
        }
        maps
    }

    /// Returns the fields of maps, and functions that read them if serde alone would read too many keys.
    fn map_fields(&mut self, owner: &str, maps: &[Map<'_>], body: &mut String) -> String {
        let mut readers = String::new();
        for (number, map) in maps.iter().enumerate() {
            let kind = self.runtime("IndexMap");
            let about = match map.key {
                IndexKey::String => "other keys".to_owned(),
                IndexKey::Number => "other keys that are numbers".to_owned(),
                IndexKey::Template { parts } => {
                    let source = shapes::template_source(self.types.program, parts);
                    format!(
                        "other keys of the form `{}`",
                        in_comment(&source.escape_debug().to_string())
                    )
                }
            };
            let reader = if maps.len() == 1 && *map.key == IndexKey::String {
                String::new()
            } else {
                format!(", deserialize_with = \"{owner}::read_{}\"", map.name)
            };
            let (name, value) = (&map.name, &map.value);
            let _ = write!(
                body,
                "    /// What {about} hold.\n    #[serde(flatten{reader})]\n    pub {name}: {kind}<String, {value}>,\n"
            );
            if reader.is_empty() {
                continue;
            }
            let mut conditions: Vec<String> = Vec::new();
            for other in &maps[..number] {
                let keys = shapes::keys(self.types, other.key, self.module);
                conditions.push(format!("!{keys}.matches(key)"));
            }
            // `[key: string]` accepts every remaining key.
            if *map.key != IndexKey::String {
                let keys = shapes::keys(self.types, map.key, self.module);
                conditions.push(format!("{keys}.matches(key)"));
            }
            let members = self.runtime("serde_parts::members");
            let reads = self.module.serde(self.types, "Deserializer");
            let answer = format!("Result<{kind}<String, {value}>, D::Error>");
            let head = format!("    fn read_{name}<'de, D: {reads}<'de>>(deserializer: D) -> {answer} {{\n");
            if !readers.is_empty() {
                readers.push('\n');
            }
            if head.len() <= 101 {
                readers.push_str(&head);
            } else {
                let _ = write!(
                    readers,
                    "    fn read_{name}<'de, D: {reads}<'de>>(\n        deserializer: D,\n    ) -> {answer} {{\n"
                );
            }
            readers.push_str(&closure_call(&members, &conditions));
            readers.push_str("    }\n");
        }
        readers
    }
}

/// Formats `members(deserializer, |key| …)` like rustfmt.
fn closure_call(members: &str, conditions: &[String]) -> String {
    let condition = conditions.join(" && ");
    let flat = format!("        {members}(deserializer, |key| {condition})\n");
    if flat.len() <= 101 && flat.trim().len() - members.len() - 2 <= 60 {
        return flat;
    }
    let line = format!("        {members}(deserializer, |key| {{\n            {condition}\n        }})\n");
    if line.lines().all(|line| line.len() <= 100) {
        return line;
    }
    let conditions = conditions.join("\n                && ");
    format!("        {members}(deserializer, |key| {{\n            {conditions}\n        }})\n")
}

/// Returns the name of a field without the prefix `r#`.
fn plain(field: &Field) -> &str {
    field.name.trim_start_matches("r#")
}

/// Returns a name made from the fixed text of a template.
fn fixed_name(parts: &[TemplatePart]) -> String {
    let fixed: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            TemplatePart::Text(text) => Some(text.as_str()),
            TemplatePart::Placeholder(_) => None,
        })
        .collect();
    match names::plain_field(&fixed.join("_")).trim_start_matches('_') {
        "" | "value" => "matching".to_owned(),
        name => names::field(name),
    }
}

/// Returns true if the default equals the `Default` of the Rust type.
fn is_default_of_type(default: &DefaultValue, rust: &str) -> bool {
    match default {
        DefaultValue::Null => rust.starts_with("Option<"),
        DefaultValue::Literal(value) => rust == "bool" && *value == LiteralValue::Boolean(false),
        DefaultValue::Json(text) => rust.starts_with("Vec<") && text == "[]",
        DefaultValue::Now => false,
    }
}

/// Returns an implementation of `Debug` that hides sensitive fields.
fn hidden_debug(name: &str, fields: &[Field], maps: &[Map<'_>], object: &ObjectType) -> String {
    let mut body = String::new();
    for field in fields {
        let plain = plain(field);
        let property = object.property(&field.property);
        let value = if property.is_some_and(|property| property.tags.sensitive) {
            "&\"[redacted]\"".to_owned()
        } else {
            format!("&self.{}", field.name)
        };
        let _ = writeln!(body, "            .field(\"{plain}\", {value})");
    }
    for map in maps {
        let _ = writeln!(body, "            .field(\"{0}\", &self.{0})", map.name);
    }
    format!(
        "impl fmt::Debug for {name} {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{\n        f.debug_struct(\"{name}\")\n{body}            .finish()\n    }}\n}}\n"
    )
}
