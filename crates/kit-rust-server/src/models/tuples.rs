//! Generates tuples: Rust tuples if they can represent all rules, otherwise structs.

use std::fmt::Write as _;

use kit_ir::{TupleElement, TypeId};

use super::{Models, Place};
use crate::names;
use crate::print::in_comment;
use crate::types::Definition;

/// Maximum number of elements for which the standard library implements traits such as `Debug` and `PartialEq`.
const LONGEST: usize = 12;

impl Models<'_, '_> {
    /// Returns the type of a tuple that is used within another type.
    pub(super) fn bare_tuple(&mut self, id: TypeId, elements: &[TupleElement], at: &Place<'_>) -> String {
        let is_plain = elements.iter().all(|element| !element.optional && !element.rest);
        if !is_plain || is_labelled(elements) || elements.is_empty() || elements.len() > LONGEST {
            if let Some(name) = self.made(id) {
                return name;
            }
            let name = self.types.name_anonymous(self.home, at.name);
            let comment = format!("/// `{}`.\n", in_comment(&at.shown));
            self.tuple_struct(&name, &comment, elements, at);
            self.keep_made(id, &name);
            return name;
        }
        let types: Vec<String> = elements
            .iter()
            .enumerate()
            .map(|(number, element)| self.element(element, number, at))
            .collect();
        match types.as_slice() {
            [only] => format!("({only},)"),
            several => format!("({})", several.join(", ")),
        }
    }

    /// Writes a struct for a tuple. The fields have names if all elements have labels.
    pub(super) fn tuple_struct(
        &mut self,
        name: &str,
        comment: &str,
        elements: &[TupleElement],
        at: &Place<'_>,
    ) {
        let named = is_labelled(elements) || elements.is_empty();
        let mut fields: Vec<(String, String)> = Vec::new();
        for (number, element) in elements.iter().enumerate() {
            let mut r#type = self.element(element, number, at);
            if element.optional {
                r#type = format!("Option<{type}>");
            }
            let label = element.label.as_deref().unwrap_or_default();
            let field = if named {
                let wanted = names::plain_field(label);
                names::field(&names::unique(wanted, |taken| {
                    fields
                        .iter()
                        .any(|(name, _)| name.trim_start_matches("r#") == taken)
                }))
            } else {
                number.to_string()
            };
            fields.push((field, r#type));
        }
        let types: Vec<&str> = fields.iter().map(|(_, r#type)| r#type.as_str()).collect();
        // Serde serializes these structs as lists. It would serialize a struct with a single field as that field.
        let is_plain =
            !named && elements.len() > 1 && elements.iter().all(|element| !element.optional && !element.rest);
        let derives = if is_plain {
            let (reads, writes) = self.derives();
            format!(", {reads}, {writes}")
        } else {
            String::new()
        };
        let mut text = format!("{comment}#[derive(Debug, Clone, PartialEq{derives})]\npub struct {name}");
        if elements.is_empty() {
            text.push_str(" {}\n");
        } else if named {
            text.push_str(" {\n");
            for (field, r#type) in &fields {
                let _ = writeln!(text, "    pub {field}: {type},");
            }
            text.push_str("}\n");
        } else {
            let flat = format!("pub struct {name}(pub {});", types.join(", pub "));
            if flat.len() <= 100 {
                let _ = writeln!(text, "(pub {});", types.join(", pub "));
            } else {
                let _ = writeln!(text, "(\n    pub {},\n);", types.join(",\n    pub "));
            }
        }
        self.module.items.push(text);
        if !is_plain {
            self.write_list(name, elements, &fields);
            self.read_list(name, elements, &fields, named);
        }
        self.module.declared.push(name.to_owned());
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Tuple { fields, named });
    }

    fn element(&mut self, element: &TupleElement, number: usize, at: &Place<'_>) -> String {
        let part = match &element.label {
            Some(label) => names::variant(label),
            None => format!("Item{}", number + 1),
        };
        let place = Place {
            name: &format!("{}{part}", at.name),
            shown: format!("{}[{number}]", at.shown),
            span: at.span,
        };
        let r#type = self.bare(element.r#type, &place, element.rest);
        if element.rest {
            format!("Vec<{type}>")
        } else {
            r#type
        }
    }

    fn write_list(&mut self, name: &str, elements: &[TupleElement], fields: &[(String, String)]) {
        let serialize = self.module.serde(self.types, "Serialize");
        let serializer = self.module.serde(self.types, "Serializer");
        self.module.serde.insert("ser::SerializeSeq as _".to_owned());
        let mut body = String::new();
        let mut open = Vec::new();
        for (element, (field, _)) in elements.iter().zip(fields) {
            let margin = " ".repeat(8 + 4 * open.len());
            if element.rest {
                let _ = write!(
                    body,
                    "{margin}for item in &self.{field} {{\n{margin}    items.serialize_element(item)?;\n{margin}}}\n"
                );
            } else if element.optional {
                // If an optional element is absent, all later elements are absent too.
                let _ = write!(
                    body,
                    "{margin}if let Some(item) = &self.{field} {{\n{margin}    items.serialize_element(item)?;\n"
                );
                open.push(margin);
            } else {
                let _ = writeln!(body, "{margin}items.serialize_element(&self.{field})?;");
            }
        }
        for margin in open.into_iter().rev() {
            let _ = writeln!(body, "{margin}}}");
        }
        let binding = if elements.is_empty() { "items" } else { "mut items" };
        self.module.items.push(format!(
            "impl {serialize} for {name} {{\n    fn serialize<S: {serializer}>(&self, serializer: S) -> Result<S::Ok, S::Error> {{\n        let {binding} = serializer.serialize_seq(None)?;\n{body}        items.end()\n    }}\n}}\n"
        ));
    }

    fn read_list(&mut self, name: &str, elements: &[TupleElement], fields: &[(String, String)], named: bool) {
        let deserialize = self.module.serde(self.types, "Deserialize");
        let deserializer = self.module.serde(self.types, "Deserializer");
        let items = self.runtime("serde_parts::Items");
        let reads: Vec<String> = elements
            .iter()
            .enumerate()
            .map(|(number, element)| {
                if element.rest {
                    format!("items.rest({})?", elements.len() - number - 1)
                } else if element.optional {
                    "items.optional()?".to_owned()
                } else {
                    "items.required()?".to_owned()
                }
            })
            .collect();
        let body = if elements.is_empty() {
            format!("        {items}::read(deserializer)?;\n        Ok(Self {{}})\n")
        } else if named {
            let mut lines = String::new();
            for ((field, _), read) in fields.iter().zip(&reads) {
                let _ = writeln!(lines, "            {field}: {read},");
            }
            format!(
                "        let mut items = {items}::read(deserializer)?;\n        Ok(Self {{\n{lines}        }})\n"
            )
        } else {
            let flat = reads.join(", ");
            let call = if flat.len() <= 60 {
                format!("        Ok(Self({flat}))\n")
            } else {
                format!(
                    "        Ok(Self(\n            {},\n        ))\n",
                    reads.join(",\n            ")
                )
            };
            format!("        let mut items = {items}::read(deserializer)?;\n{call}")
        };
        self.module.items.push(format!(
            "impl<'de> {deserialize}<'de> for {name} {{\n    fn deserialize<D: {deserializer}<'de>>(deserializer: D) -> Result<Self, D::Error> {{\n{body}    }}\n}}\n"
        ));
    }
}

/// Returns true if every element has a label.
fn is_labelled(elements: &[TupleElement]) -> bool {
    !elements.is_empty() && elements.iter().all(|element| element.label.is_some())
}
