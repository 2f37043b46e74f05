//! Types as text for messages, and the names that artifacts give to types.

use std::borrow::Cow;
use std::collections::HashMap;

use super::types::Literal;
use super::{Evaluator, KeyKind, Segment, Ty, TyId};
use crate::print::key_text;

/// Maximum depth of nested types in a message. Deeper types are written as `…`.
const MAX_TEXT_DEPTH: usize = 6;

/// Maximum number of characters of a type in a message.
const MAX_TEXT: usize = 200;

impl Evaluator<'_> {
    /// Returns a type as text for a message. Types that are not evaluated yet are copied from the source.
    pub(crate) fn text(&self, id: TyId) -> String {
        let text = self.nested_text(id, 0);
        match text.char_indices().nth(MAX_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    fn nested_text(&self, id: TyId, depth: usize) -> String {
        if depth > MAX_TEXT_DEPTH {
            return "…".to_owned();
        }
        let inner = |id: TyId| self.nested_text(id, depth + 1);
        let join = |ids: &[TyId], by: &str| ids.iter().map(|id| inner(*id)).collect::<Vec<_>>().join(by);
        match self.store.get(id) {
            Ty::Any => "any".to_owned(),
            Ty::Symbol => "symbol".to_owned(),
            Ty::UniqueSymbol(_) => "unique symbol".to_owned(),
            Ty::NonPrimitive => "object".to_owned(),
            Ty::Builtin(name, arguments) => {
                if arguments.is_empty() {
                    (*name).to_owned()
                } else {
                    format!("{name}<{}>", join(arguments, ", "))
                }
            }
            Ty::EnumMember(member) => kit_analysis::literal_source(&member.value.value()),
            Ty::Cased(case, of) => format!("{}<{}>", case.name(), inner(*of)),
            Ty::Branded(base, _) => inner(*base),
            Ty::Parameter(number) => format!("T{number}"),
            Ty::Infer(_) => "infer U".to_owned(),
            Ty::Deferred([check, extends, yes, no]) => format!(
                "{} extends {} ? {} : {}",
                inner(*check),
                inner(*extends),
                inner(*yes),
                inner(*no)
            ),
            Ty::Unknown => "unknown".to_owned(),
            Ty::Never => "never".to_owned(),
            Ty::Null => "null".to_owned(),
            Ty::Undefined => "undefined".to_owned(),
            Ty::Boolean => "boolean".to_owned(),
            Ty::Number => "number".to_owned(),
            Ty::String => "string".to_owned(),
            Ty::BigInt => "bigint".to_owned(),
            Ty::Date => "Date".to_owned(),
            Ty::Bytes => "Uint8Array".to_owned(),
            Ty::Literal(literal) => kit_analysis::literal_source(&literal.value()),
            Ty::Template(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| match part {
                        Segment::Text(text) => text.to_string(),
                        Segment::Placeholder(ty) => format!("${{{}}}", inner(*ty)),
                    })
                    .collect();
                format!("`{}`", parts.concat())
            }
            Ty::Array { element, .. } => {
                let text = inner(*element);
                if text.contains(' ') && !text.starts_with('{') {
                    format!("({text})[]")
                } else {
                    format!("{text}[]")
                }
            }
            Ty::Tuple { elements, .. } => {
                let ids: Vec<TyId> = elements.iter().map(|element| element.ty).collect();
                format!("[{}]", join(&ids, ", "))
            }
            Ty::Object(object) => {
                let object = self.store.object_at(*object);
                if object.is_function() {
                    return "() => …".to_owned();
                }
                let properties = object
                    .properties
                    .iter()
                    .filter(|property| property.key != KeyKind::Symbol)
                    .map(|property| {
                        let optional = if property.optional { "?" } else { "" };
                        format!("{}{optional}: {}", key_text(&property.name), inner(property.ty))
                    })
                    .collect::<Vec<_>>();
                if properties.is_empty() {
                    "{}".to_owned()
                } else {
                    format!("{{ {} }}", properties.join("; "))
                }
            }
            Ty::Union(members) => join(members, " | "),
            Ty::Intersection(members) => join(members, " & "),
            Ty::Kit(kind, arguments) if arguments.is_empty() => kind.name().to_owned(),
            Ty::Kit(kind, arguments) => format!("{}<{}>", kind.name(), join(arguments, ", ")),
            Ty::Named(instance) => {
                let instance = &self.store.instances[instance.index()];
                let name = self.graph.qualified_name(instance.decl);
                if instance.args.is_empty() {
                    name
                } else {
                    format!("{name}<{}>", join(&instance.args, ", "))
                }
            }
            Ty::Lazy(lazy) => {
                let lazy = &self.store.lazies[lazy.index()];
                let module = self.store.module_of(lazy.scope);
                let text = self
                    .graph
                    .module(module)
                    .slice(oxc_span::GetSpan::span(lazy.node));
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            Ty::Constrained(inner_type, _) | Ty::Defined(inner_type) => self.nested_text(*inner_type, depth),
            Ty::Invalid(_) => "?".to_owned(),
        }
    }

    /// Returns a name for a type in `PascalCase`: `PaginatedResponseOfNoteSummary`, `NoteArray`, `NoteOrNull`.
    pub(crate) fn pascal_name(&self, id: TyId) -> String {
        self.known_name(id, &mut HashMap::new())
    }

    /// Returns the name of a type. Names are cached, because nested arguments may use the same type many
    /// times.
    fn known_name(&self, id: TyId, known: &mut HashMap<TyId, String>) -> String {
        if let Some(name) = known.get(&id) {
            return name.clone();
        }
        let name = self.make_name(id, known);
        known.insert(id, name.clone());
        name
    }

    fn make_name(&self, id: TyId, known: &mut HashMap<TyId, String>) -> String {
        match self.store.get(id) {
            Ty::Named(instance) => {
                let instance = &self.store.instances[instance.index()];
                let name = pascal(&self.graph.qualified_name(instance.decl));
                let arguments: Vec<String> = instance
                    .args
                    .iter()
                    .map(|argument| self.known_name(*argument, known))
                    .collect();
                if arguments.is_empty() {
                    name
                } else {
                    shorten(format!("{name}Of{}", arguments.join("And")))
                }
            }
            Ty::Array { element, .. } => format!("{}Array", self.known_name(*element, known)),
            Ty::Union(members) => {
                let names: Vec<String> = members
                    .iter()
                    .map(|member| self.known_name(*member, known))
                    .collect();
                shorten(names.join("Or"))
            }
            Ty::Object(_) => "Object".to_owned(),
            Ty::Undefined => "Void".to_owned(),
            Ty::Bytes => "Bytes".to_owned(),
            Ty::Literal(Literal::String(text)) => pascal(text),
            Ty::Constrained(inner, _) | Ty::Defined(inner) => self.known_name(*inner, known),
            _ => pascal(&self.text(id)),
        }
    }
}

/// Shortens a long name to a readable length. If this gives two types the same name, [`crate::lower`] adds
/// numbers to the names.
fn shorten(name: String) -> String {
    const MAX: usize = 80;
    match name.char_indices().nth(MAX) {
        Some((end, _)) => name[..end].to_owned(),
        None => name,
    }
}

/// Converts a text to a `PascalCase` identifier: `user id` gives `UserId`. Letters that are not ASCII are
/// replaced by similar ASCII letters. Returns `Value` if no letter or digit remains.
pub(crate) fn pascal(text: &str) -> String {
    let latin = if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(deunicode::deunicode(text))
    };
    let mut name = String::new();
    for word in latin.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            name.push(first.to_ascii_uppercase());
            name.push_str(letters.as_str());
        }
    }
    match name.chars().next() {
        None => "Value".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("Value{name}"),
        Some(_) => name,
    }
}
