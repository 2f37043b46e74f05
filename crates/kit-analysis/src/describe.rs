//! Short descriptions of types for messages.

use kit_ir::{ObjectType, Program, TemplatePart, TypeId};

use crate::type_printer::TypePrinter;

/// Maximum number of properties, elements or members that a description lists. `…` replaces all others.
const MAX_PROPERTIES: usize = 4;

/// Returns a type in the syntax of TypeScript, with `…` for the parts of a long type:
/// `{ kind: "a"; size: number; … }`. Named types are written as their names.
pub fn describe(program: &Program, id: TypeId) -> String {
    ShortPrinter { program, level: 0 }.text(id)
}

/// Prints types for messages, with `…` for the parts of a long type.
struct ShortPrinter<'a> {
    program: &'a Program,
    /// Number of types that contain the current type.
    level: usize,
}

impl TypePrinter for ShortPrinter<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn object(&self, object: &ObjectType) -> String {
        if self.level > 1 {
            return "{ … }".to_owned();
        }
        let properties = object.properties.iter().map(|property| {
            let mark = if property.optional { "?" } else { "" };
            format!("{}{mark}: {}", property.name, self.part(property.r#type))
        });
        let signatures = object
            .index
            .iter()
            .map(|signature| format!("[key]: {}", self.part(signature.value)));
        match shortened(properties.chain(signatures), "; ") {
            text if text.is_empty() => "{}".to_owned(),
            text => format!("{{ {text} }}"),
        }
    }

    fn template(&self, _parts: &[TemplatePart]) -> String {
        "a template of string".to_owned()
    }

    fn join(&self, parts: &mut dyn Iterator<Item = String>, separator: &str) -> String {
        shortened(parts, separator)
    }

    fn part(&self, id: TypeId) -> String {
        let inner = Self {
            program: self.program,
            level: self.level + 1,
        };
        inner.text(id)
    }
}

fn shortened(parts: impl Iterator<Item = String>, between: &str) -> String {
    let mut parts: Vec<_> = parts.take(MAX_PROPERTIES + 1).collect();
    if parts.len() > MAX_PROPERTIES {
        parts.pop();
        parts.push("…".to_owned());
    }
    parts.join(between)
}
