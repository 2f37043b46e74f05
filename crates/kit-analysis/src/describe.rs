//! Short descriptions of types for messages.

use kit_ir::{Program, TypeId, TypeKind};

use crate::template::literal_source;

/// Maximum number of properties, elements or members that a description lists. `…` stands for the others.
const MAX_PROPERTIES: usize = 4;

/// Returns a type in the syntax of TypeScript, with `…` for the parts of a long type:
/// `{ kind: "a"; size: number; … }`. Named types are written as their names.
pub fn describe(program: &Program, id: TypeId) -> String {
    describe_within(program, id, 0)
}

fn describe_within(program: &Program, id: TypeId, level: usize) -> String {
    let inner = |id: TypeId| describe_within(program, id, level + 1);
    match &program.types[id].kind {
        TypeKind::Unknown => "unknown".to_owned(),
        TypeKind::Never => "never".to_owned(),
        TypeKind::Null => "null".to_owned(),
        TypeKind::Boolean => "boolean".to_owned(),
        TypeKind::Number => "number".to_owned(),
        TypeKind::String => "string".to_owned(),
        TypeKind::BigInt => "bigint".to_owned(),
        TypeKind::Date => "Date".to_owned(),
        TypeKind::Bytes => "Uint8Array".to_owned(),
        TypeKind::Literal { value } => literal_source(value),
        TypeKind::Template { .. } => "a template of string".to_owned(),
        TypeKind::Array { element } => match &program.types[*element].kind {
            TypeKind::Union { .. } => format!("({})[]", inner(*element)),
            _ => format!("{}[]", inner(*element)),
        },
        TypeKind::Tuple { elements } => {
            let elements = elements.iter().map(|element| {
                let (dots, mark) = (
                    if element.rest { "..." } else { "" },
                    if element.optional { "?" } else { "" },
                );
                format!("{dots}{}{mark}", inner(element.r#type))
            });
            format!("[{}]", shortened(elements, ", "))
        }
        TypeKind::Object(_) if level > 1 => "{ … }".to_owned(),
        TypeKind::Object(object) => {
            let properties = object.properties.iter().map(|property| {
                let mark = if property.optional { "?" } else { "" };
                format!("{}{mark}: {}", property.name, inner(property.r#type))
            });
            let signatures = object
                .index
                .iter()
                .map(|signature| format!("[key]: {}", inner(signature.value)));
            match shortened(properties.chain(signatures), "; ") {
                text if text.is_empty() => "{}".to_owned(),
                text => format!("{{ {text} }}"),
            }
        }
        TypeKind::Union { members } => shortened(members.iter().map(|member| inner(*member)), " | "),
        TypeKind::Reference { declaration } => program.declarations[*declaration].name.clone(),
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
