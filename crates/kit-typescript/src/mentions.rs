//! Finds the texts in a module that name a route: keys of contracts, keys of handler maps, and calls of a client.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, CallExpression, Expression, PropertyKey, StringLiteral, TSLiteral, TSType};
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::{SourceType, Span};

use kit_ir::{Method, SOCKET_METHOD};

use crate::routes::parse_key;
use crate::stack::StackSize;

/// Text in a module that names a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteMention {
    /// Position of the text in the syntax of the module.
    pub kind: MentionKind,
    /// Method and path, such as `GET /notes/:id`. For a call, the method is the upper-case name of the called function.
    pub key: String,
    /// Range of the text in bytes, without quotes. For a call, the range of the path.
    pub range: Range<usize>,
    /// Range of the name of the called function, such as `get`. `None` if the mention is not a call.
    pub method: Option<Range<usize>>,
}

/// Position of a [`RouteMention`] in the syntax of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionKind {
    /// Property of an interface or object type, such as a contract: `"GET /notes": Route<{}>`.
    Contract,
    /// Property of an object literal, such as a handler: `"GET /notes": listNotes`.
    Property,
    /// Name in brackets after a value or a type: `handlers["GET /notes"]`.
    Member,
    /// Call of a client: `api.get("/notes")`.
    Call,
}

/// Returns all texts in a module that name a route, in the order of the source. Returns an empty list if the module has a
/// syntax error that the parser cannot pass.
///
/// ```
/// use kit_typescript::{MentionKind, route_mentions};
///
/// let text = r#"const handlers = { "GET /notes": list }; api.post("/notes/:id");"#;
/// let found = route_mentions("src/notes.ts".as_ref(), text);
/// assert_eq!(found[0].kind, MentionKind::Property);
/// assert_eq!(found[1].key, "POST /notes/:id");
/// assert_eq!(&text[found[1].range.clone()], "/notes/:id");
/// ```
pub fn route_mentions(path: &std::path::Path, text: &str) -> Vec<RouteMention> {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
    StackSize::for_text(text).run(|| {
        let parsed = Parser::new(&allocator, text, kind).parse();
        let mut mentions = Mentions {
            text,
            found: Vec::new(),
        };
        mentions.visit_program(&parsed.program);
        mentions.found.sort_by_key(|mention| mention.range.start);
        mentions.found
    })
}

struct Mentions<'t> {
    text: &'t str,
    found: Vec<RouteMention>,
}

impl Mentions<'_> {
    /// Returns the range between the quotes of a literal. Returns `None` if the literal has escapes, because its text is then
    /// not its value.
    fn inside(&self, span: Span, value: &str) -> Option<Range<usize>> {
        let range = (span.start as usize + 1)..(span.end as usize).checked_sub(1)?;
        (self.text.get(range.clone())? == value).then_some(range)
    }

    fn add(&mut self, kind: MentionKind, literal: &StringLiteral<'_>) {
        let value = literal.value.as_str();
        if parse_key(value).is_err() {
            return;
        }
        if let Some(range) = self.inside(literal.span, value) {
            self.found.push(RouteMention {
                kind,
                key: value.to_owned(),
                range,
                method: None,
            });
        }
    }

    fn add_key(&mut self, kind: MentionKind, key: &PropertyKey<'_>) {
        if let PropertyKey::StringLiteral(literal) = key {
            self.add(kind, literal);
        }
    }

    fn add_call(&mut self, call: &CallExpression<'_>) {
        let Expression::StaticMemberExpression(member) = &call.callee else {
            return;
        };
        let (value, span) = match call.arguments.first() {
            Some(Argument::StringLiteral(literal)) => (literal.value.to_string(), literal.span),
            Some(Argument::TemplateLiteral(template)) => match template.single_quasi() {
                Some(text) => (text.to_string(), template.span),
                None => return,
            },
            _ => return,
        };
        let name = member.property.name.as_str();
        let method = Method::ALL
            .into_iter()
            .map(Method::name)
            .chain([SOCKET_METHOD])
            .find(|method| {
                name.chars().all(|letter| letter.is_ascii_lowercase()) && method.eq_ignore_ascii_case(name)
            });
        let Some(method) = method else { return };
        let key = format!("{method} {value}");
        if parse_key(&key).is_err() {
            return;
        }
        if let Some(range) = self.inside(span, &value) {
            let name = member.property.span;
            self.found.push(RouteMention {
                kind: MentionKind::Call,
                key,
                range,
                method: Some(name.start as usize..name.end as usize),
            });
        }
    }
}

impl<'a> Visit<'a> for Mentions<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::TSPropertySignature(property) => self.add_key(MentionKind::Contract, &property.key),
            AstKind::ObjectProperty(property) => self.add_key(MentionKind::Property, &property.key),
            AstKind::ComputedMemberExpression(member) => {
                if let Expression::StringLiteral(literal) = &member.expression {
                    self.add(MentionKind::Member, literal);
                }
            }
            AstKind::TSIndexedAccessType(access) => {
                if let TSType::TSLiteralType(literal) = &access.index_type
                    && let TSLiteral::StringLiteral(literal) = &literal.literal
                {
                    self.add(MentionKind::Member, literal);
                }
            }
            AstKind::CallExpression(call) => self.add_call(call),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MentionKind, route_mentions};

    #[test]
    fn finds_routes_in_contracts_handlers_members_and_calls() {
        let text = "interface R { \"GET /a\": X; other: Y }\n\
                    const h = { \"GET /a\": f, 'POST /b': g, \"no route\": 1 };\n\
                    type T = R[\"GET /a\"]; h['POST /b'];\n\
                    api.get(`/a`); api.ws(\"/rooms/:id\"); api.GET(\"/a\"); api.get(`/a/${id}`); map.get(\"key\");\n";
        let found: Vec<(MentionKind, String, String)> = route_mentions("a.ts".as_ref(), text)
            .into_iter()
            .map(|mention| (mention.kind, mention.key, text[mention.range].to_owned()))
            .collect();
        let expected = [
            (MentionKind::Contract, "GET /a", "GET /a"),
            (MentionKind::Property, "GET /a", "GET /a"),
            (MentionKind::Property, "POST /b", "POST /b"),
            (MentionKind::Member, "GET /a", "GET /a"),
            (MentionKind::Member, "POST /b", "POST /b"),
            (MentionKind::Call, "GET /a", "/a"),
            (MentionKind::Call, "WS /rooms/:id", "/rooms/:id"),
        ]
        .map(|(kind, key, text)| (kind, key.to_owned(), text.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn leaves_out_literals_with_escapes() {
        assert!(route_mentions("a.ts".as_ref(), r#"const h = { "GET \u002fa": f };"#).is_empty());
    }

    #[test]
    fn returns_nothing_for_a_module_with_a_syntax_error() {
        assert!(route_mentions("a.ts".as_ref(), "const = {").is_empty());
    }
}
