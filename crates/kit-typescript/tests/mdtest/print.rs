//! Types as text for the claims of a page. An exported type is written as its name, and an instance of a
//! generic type as its structure.

use std::cell::RefCell;

use kit_analysis::{TypePrinter, is_identifier, string_literal};
use kit_ir::{
    Constraints, Decimal, DeclarationId, DeclarationOrigin, ObjectType, Program, Property, TypeId, TypeKind,
};

/// Returns the type of a claim as text. A named type is written as its structure, and an optional one with
/// `undefined`.
pub(crate) fn property_text(program: &Program, property: &Property, source: &str) -> String {
    let printer = ClaimPrinter {
        program,
        source,
        inside: RefCell::default(),
    };
    let mut text = match program.types[property.r#type].kind {
        TypeKind::Reference { declaration } => printer.structure(declaration),
        _ => printer.text(property.r#type),
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

/// Prints types with their rules, and types that the page does not declare as their structure.
struct ClaimPrinter<'a> {
    program: &'a Program,
    /// Source text of the page. A type that it declares is written as its name.
    source: &'a str,
    /// Declarations that contain the current type. A recursive type is written as its name.
    inside: RefCell<Vec<DeclarationId>>,
}

impl ClaimPrinter<'_> {
    fn structure(&self, id: DeclarationId) -> String {
        self.inside.borrow_mut().push(id);
        let text = self.text(self.program.declarations[id].r#type);
        self.inside.borrow_mut().pop();
        text
    }

    fn is_name(&self, id: DeclarationId) -> bool {
        let declaration = &self.program.declarations[id];
        let is_declared = |keyword: &str| self.source.contains(&format!("{keyword} {}", declaration.name));
        self.inside.borrow().contains(&id)
            || (matches!(declaration.origin, DeclarationOrigin::Named { .. })
                && ["interface", "type", "class", "enum"]
                    .into_iter()
                    .any(is_declared))
    }
}

impl TypePrinter for ClaimPrinter<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn object(&self, object: &ObjectType) -> String {
        let properties = object.properties.iter().map(|property| {
            let optional = if property.optional { "?" } else { "" };
            let rules = rules(&self.program.types[property.r#type].constraints);
            let text = self.text(property.r#type);
            format!("{rules}{}{optional}: {text}", key(&property.name))
        });
        let signatures = object.index.iter().map(|signature| {
            let rules = rules(&signature.rules);
            let key = self.index_key(&signature.key);
            format!("{rules}[key: {key}]: {}", self.part(signature.value))
        });
        let members: Vec<_> = properties.chain(signatures).collect();
        if members.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{ {} }}", members.join("; "))
        }
    }

    fn reference(&self, id: DeclarationId) -> String {
        if self.is_name(id) {
            self.program.declarations[id].name.clone()
        } else {
            self.structure(id)
        }
    }

    fn printed(&self, id: TypeId) -> TypeId {
        match self.program.types[id].kind {
            TypeKind::Reference { declaration } if !self.is_name(declaration) => {
                self.printed(self.program.declarations[declaration].r#type)
            }
            _ => id,
        }
    }

    /// Returns the text of a type, with its rules.
    fn part(&self, id: TypeId) -> String {
        rules(&self.program.types[id].constraints) + &self.text(id)
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
            other => match other.as_f64().and_then(Decimal::new) {
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
    if is_identifier(name) {
        name.to_owned()
    } else {
        string_literal(name)
    }
}
