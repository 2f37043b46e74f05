//! Types as text for the claims of a page. An exported type is written as its name, and an instance of a
//! generic type as its structure.

use kit_ir::{
    Constraints, DeclarationId, DeclarationOrigin, IndexKey, LiteralValue, ObjectType, Program, Property,
    TemplatePart, TypeId, TypeKind,
};

/// Returns the type of a claim as text. A named type is written as its structure, and an optional one with
/// `undefined`.
pub(crate) fn property_text(program: &Program, property: &Property, source: &str) -> String {
    let mut printer = Printer {
        program,
        source,
        inside: Vec::new(),
    };
    let mut text = match program.types[property.r#type].kind {
        TypeKind::Reference { declaration } => printer.body(declaration),
        _ => printer.r#type(property.r#type),
    };
    if property.optional {
        text = if text == "never" {
            "undefined".to_owned()
        } else {
            text + " | undefined"
        };
    }
    text
}

struct Printer<'a> {
    program: &'a Program,
    /// Source text of the page. A type that it declares is written as its name.
    source: &'a str,
    /// Declarations that contain the current type. A recursive type is written as its name.
    inside: Vec<DeclarationId>,
}

impl Printer<'_> {
    fn body(&mut self, id: DeclarationId) -> String {
        self.inside.push(id);
        let text = self.r#type(self.program.declarations[id].r#type);
        self.inside.pop();
        text
    }

    fn r#type(&mut self, id: TypeId) -> String {
        if self.program.is_anything_but_null(id) {
            return "{}".to_owned();
        }
        match &self.program.types[id].kind {
            TypeKind::Unknown => "unknown".to_owned(),
            TypeKind::Never => "never".to_owned(),
            TypeKind::Null => "null".to_owned(),
            TypeKind::Boolean => "boolean".to_owned(),
            TypeKind::Number => "number".to_owned(),
            TypeKind::String => "string".to_owned(),
            TypeKind::BigInt => "bigint".to_owned(),
            TypeKind::Date => "Date".to_owned(),
            TypeKind::Bytes => "Uint8Array".to_owned(),
            TypeKind::Literal { value } => match value {
                LiteralValue::String(text) => serde_json::Value::from(text.as_str()).to_string(),
                LiteralValue::Number(number) => number.to_string(),
                LiteralValue::Boolean(value) => value.to_string(),
                LiteralValue::BigInt(digits) => format!("{digits}n"),
            },
            TypeKind::Template { parts } => self.template(parts),
            TypeKind::Array { element } => self.list(*element),
            TypeKind::Tuple { elements } => {
                let mut texts = Vec::new();
                for element in elements {
                    let optional = if element.optional { "?" } else { "" };
                    let text = if element.rest {
                        self.list(element.r#type)
                    } else {
                        self.r#type(element.r#type)
                    };
                    let rest = if element.rest { "..." } else { "" };
                    texts.push(match &element.label {
                        Some(label) => format!("{rest}{label}{optional}: {text}"),
                        None if element.optional && text.contains(" | ") => format!("({text})?"),
                        None => format!("{rest}{text}{optional}"),
                    });
                }
                format!("[{}]", texts.join(", "))
            }
            TypeKind::Object(object) => self.object(object),
            TypeKind::Union { members } => {
                let members: Vec<String> = members
                    .iter()
                    .map(|member| {
                        let rules = rules(&self.program.types[*member].constraints);
                        format!("{rules}{}", self.r#type(*member))
                    })
                    .collect();
                members.join(" | ")
            }
            TypeKind::Reference { declaration } => {
                let named = &self.program.declarations[*declaration];
                let known =
                    matches!(named.origin, DeclarationOrigin::Named { .. }) && self.declares(&named.name);
                if known || self.inside.contains(declaration) {
                    named.name.clone()
                } else {
                    self.body(*declaration)
                }
            }
        }
    }

    fn declares(&self, name: &str) -> bool {
        ["interface", "type", "class", "enum"]
            .iter()
            .any(|keyword| self.source.contains(&format!("{keyword} {name}")))
    }

    fn list(&mut self, element: TypeId) -> String {
        let inner = self.r#type(element);
        let union = matches!(self.program.types[element].kind, TypeKind::Union { .. })
            || matches!(self.program.types[element].kind, TypeKind::Reference { .. })
                && inner.contains(" | ")
                && !inner.starts_with('{');
        if union {
            format!("({inner})[]")
        } else {
            format!("{inner}[]")
        }
    }

    fn template(&mut self, parts: &[TemplatePart]) -> String {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(fixed) => fixed.clone(),
                TemplatePart::Placeholder(id) => format!("${{{}}}", self.r#type(*id)),
            })
            .collect();
        format!("`{}`", parts.concat())
    }

    fn object(&mut self, object: &ObjectType) -> String {
        let mut members = Vec::new();
        for property in &object.properties {
            let optional = if property.optional { "?" } else { "" };
            let text = self.r#type(property.r#type);
            let rules = rules(&self.program.types[property.r#type].constraints);
            members.push(format!("{rules}{}{optional}: {text}", key(&property.name)));
        }
        for signature in &object.index {
            let key = match &signature.key {
                IndexKey::String => "string".to_owned(),
                IndexKey::Number => "number".to_owned(),
                IndexKey::Template { parts } => self.template(parts),
            };
            let rules = rules(&signature.rules);
            members.push(format!("{rules}[key: {key}]: {}", self.r#type(signature.value)));
        }
        if members.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{ {} }}", members.join("; "))
        }
    }
}

/// Returns the rules of a type as a doc comment.
fn rules(constraints: &Constraints) -> String {
    let rules = serde_json::to_value(constraints).expect("rules are plain data");
    let tags: Vec<String> = rules
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| match value {
            serde_json::Value::Bool(_) => format!("@{name}"),
            serde_json::Value::String(text) => format!("@{name} {text}"),
            other => match other.as_f64() {
                Some(number) => format!("@{name} {number}"),
                None => format!("@{name} {other}"),
            },
        })
        .collect();
    if tags.is_empty() {
        String::new()
    } else {
        format!("/** {} */ ", tags.join(" "))
    }
}

/// Returns a property name as TypeScript writes it: in quotes if it is not an identifier.
fn key(name: &str) -> String {
    let identifier = name.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
    if identifier {
        name.to_owned()
    } else {
        serde_json::Value::from(name).to_string()
    }
}
