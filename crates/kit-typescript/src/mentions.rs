//! Finds the texts in a module that name a route: keys of contracts, keys of handler maps, and calls of clients.

use std::ops::Range;
use std::path::Path;

use kit_ir::{Method, SOCKET_METHOD};
use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, CallExpression, Expression, ObjectProperty, ObjectPropertyKind, PropertyKey, StringLiteral,
    TSLiteral, TSType,
};
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::{SourceType, Span};

use crate::client_origins::{Origins, ProjectModules};
use crate::routes::parse_key;
use crate::stack::StackSize;

/// Text in a module that names a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteMention {
    /// Position of the text in the syntax of the module.
    pub kind: MentionKind,
    /// Method and path, such as `GET /notes/:id`. For a call, the method is the upper-case name of the called function.
    pub key: String,
    /// Range of the text in bytes, without quotes. For a call with a separate method, the range of the path.
    pub range: Range<usize>,
    /// Range of the method, such as `get` or `GET`, if the method is separate from the path.
    pub method: Option<Range<usize>>,
}

/// Position of a [`RouteMention`] in the syntax of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionKind {
    /// Property of an interface or object type, such as a contract: `"GET /notes": Route<{}>`.
    Contract,
    /// Property of an object literal, such as a handler: `"GET /notes": listNotes`.
    Property,
    /// Property of the option `on` of a group: `on: { "GET /notes": { timeoutMs: 5 } }`.
    Option,
    /// Name in brackets after a value or a type: `handlers["GET /notes"]`.
    Member,
    /// Call of a client: `api.get("/notes")`, `client.request("GET", "/notes")` or `suite.request("GET /notes")`.
    Call,
}

/// Returns all texts in a module that name a route, in the order of the source. Returns an empty list if the module has a
/// syntax error that the parser cannot pass.
///
/// Calls and names in brackets count only after a value that may be a client: an import from the generated code or from a
/// package of kit, a value that is made with such an import in this module or in an imported module of the project, or a value
/// without a visible origin in a module that imports from the generated code or a package of kit.
///
/// ```
/// use kit_typescript::{MentionKind, ProjectModules, route_mentions};
///
/// let text = r#"import { api } from "./api.ts"; const handlers = { "GET /notes": list }; api.post("/notes/:id");"#;
/// let modules = ProjectModules::new(&|_| Some("import \"@kit/client\"; export function api() {}".to_owned()));
/// let found = route_mentions("src/notes.ts".as_ref(), text, &modules);
/// assert_eq!(found[0].kind, MentionKind::Property);
/// assert_eq!(found[1].key, "POST /notes/:id");
/// assert_eq!(&text[found[1].range.clone()], "/notes/:id");
/// assert!(route_mentions("src/a.ts".as_ref(), r#"new Map().get("/notes");"#, &modules).is_empty());
/// ```
pub fn route_mentions(path: &Path, text: &str, modules: &ProjectModules<'_>) -> Vec<RouteMention> {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
    StackSize::for_text(text).run(|| {
        let parsed = Parser::new(&allocator, text, kind).parse();
        let mut origins = Origins::default();
        origins.visit_program(&parsed.program);
        let mut mentions = Mentions {
            path,
            text,
            modules,
            origins,
            found: Vec::new(),
        };
        mentions.visit_program(&parsed.program);
        mentions.found.sort_by_key(|mention| mention.range.start);
        mentions.found
    })
}

struct Mentions<'t> {
    path: &'t Path,
    text: &'t str,
    modules: &'t ProjectModules<'t>,
    origins: Origins,
    found: Vec<RouteMention>,
}

impl Mentions<'_> {
    /// Returns true if a value may be a client of the application.
    fn may_be_client(&self, value: &Expression<'_>) -> bool {
        self.modules.may_be_client(self.path, &self.origins, value)
    }

    /// Returns the range between the quotes of a literal. Returns `None` if the literal has escapes, because its text is then
    /// not its value.
    fn inside(&self, span: Span, value: &str) -> Option<Range<usize>> {
        let range = (span.start as usize + 1)..(span.end as usize).checked_sub(1)?;
        (self.text.get(range.clone())? == value).then_some(range)
    }

    fn add(&mut self, kind: MentionKind, literal: &StringLiteral<'_>) {
        self.add_text(kind, literal.value.as_str(), literal.span);
    }

    fn add_text(&mut self, kind: MentionKind, value: &str, span: Span) {
        if parse_key(value).is_err() {
            return;
        }
        if let Some(range) = self.inside(span, value) {
            self.found.push(RouteMention {
                kind,
                key: value.to_owned(),
                range,
                method: None,
            });
        }
    }

    fn add_property(&mut self, property: &ObjectProperty<'_>) {
        if let PropertyKey::StringLiteral(literal) = &property.key {
            self.add(MentionKind::Property, literal);
        }
        if property.key.is_specific_static_name("on")
            && let Expression::ObjectExpression(options) = &property.value
        {
            for option in &options.properties {
                if let ObjectPropertyKind::ObjectProperty(option) = option
                    && let PropertyKey::StringLiteral(literal) = &option.key
                {
                    self.add(MentionKind::Option, literal);
                }
            }
        }
    }

    fn add_call(&mut self, call: &CallExpression<'_>) {
        let Expression::StaticMemberExpression(member) = &call.callee else {
            return;
        };
        let Some((value, span)) = call.arguments.first().and_then(text_of) else {
            return;
        };
        if !self.may_be_client(&member.object) {
            return;
        }
        // `request("GET /notes")`
        if parse_key(&value).is_ok() {
            self.add_text(MentionKind::Call, &value, span);
            return;
        }
        let name = member.property.name.as_str();
        // `request("GET", "/notes")`, or `get("/notes")`
        let second = call.arguments.get(1).and_then(text_of);
        let (method, method_range, (path, span)) =
            match (method_named(&value, |letter| letter.is_ascii_uppercase()), second) {
                (Some(method), Some(path)) => (method, self.inside(span, &value), path),
                _ => match method_named(name, |letter| letter.is_ascii_lowercase()) {
                    Some(method) => {
                        let name = member.property.span;
                        (
                            method,
                            Some(name.start as usize..name.end as usize),
                            (value, span),
                        )
                    }
                    None => return,
                },
            };
        let key = format!("{method} {path}");
        if parse_key(&key).is_err() {
            return;
        }
        if let (Some(range), Some(method)) = (self.inside(span, &path), method_range) {
            self.found.push(RouteMention {
                kind: MentionKind::Call,
                key,
                range,
                method: Some(method),
            });
        }
    }
}

/// Returns the value and the span of an argument that is a text.
fn text_of(argument: &Argument<'_>) -> Option<(String, Span)> {
    match argument {
        Argument::StringLiteral(literal) => Some((literal.value.to_string(), literal.span)),
        Argument::TemplateLiteral(template) => Some((template.single_quasi()?.to_string(), template.span)),
        _ => None,
    }
}

/// Returns the method with this name. Returns `None` if `case` is false for one of the letters.
fn method_named(name: &str, case: impl Fn(char) -> bool) -> Option<&'static str> {
    let methods = Method::ALL.into_iter().map(Method::name).chain([SOCKET_METHOD]);
    methods
        .into_iter()
        .find(|method| name.chars().all(&case) && method.eq_ignore_ascii_case(name))
}

impl<'a> Visit<'a> for Mentions<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::TSPropertySignature(property) => {
                if let PropertyKey::StringLiteral(literal) = &property.key {
                    self.add(MentionKind::Contract, literal);
                }
            }
            AstKind::ObjectProperty(property) => self.add_property(property),
            AstKind::ComputedMemberExpression(member) => {
                if let Expression::StringLiteral(literal) = &member.expression
                    && self.may_be_client(&member.object)
                {
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
    use std::path::Path;

    use super::{MentionKind, ProjectModules, route_mentions};

    fn found(text: &str) -> Vec<(MentionKind, String, String)> {
        // Modules of the project.
        let read = |path: &Path| {
            let text = match path.to_str()? {
                "api.ts" => {
                    "import { createClient } from \"@kit/client\"; export const api = createClient(); export const h = api;"
                }
                "map.ts" => "export class Map {}",
                "router.ts" => {
                    "import \"@kit/core\"; import e from \"express\"; export const router = e.Router(); export default router;"
                }
                "all.ts" => {
                    "export * from \"./api.ts\"; export { router as r } from \"./router.js\"; export { api as c } from \"./api\";"
                }
                "helper.ts" => "import { api } from \"./api.ts\"; export function connect() { return api; }",
                "a1.ts" => "export { x } from \"./a2.ts\";",
                "a2.ts" => "export { x } from \"./a1.ts\";",
                _ => return None,
            };
            Some(text.to_owned())
        };
        route_mentions("a.ts".as_ref(), text, &ProjectModules::new(&read))
            .into_iter()
            .map(|mention| (mention.kind, mention.key, text[mention.range].to_owned()))
            .collect()
    }

    #[test]
    fn finds_routes_in_contracts_handlers_options_members_and_calls() {
        let text = "import { api, h } from \"./api.ts\";\n\
                    interface R { \"GET /a\": X; other: Y }\n\
                    const m = { \"GET /a\": f, 'POST /b': g, \"no route\": 1, on: { \"GET /c\": {} } };\n\
                    type T = R[\"GET /a\"]; h['POST /b'];\n\
                    api.get(`/a`); api.ws(\"/rooms/:id\"); api.request(\"PUT\", \"/d\"); api.request(\"GET /e\");\n\
                    api.GET(\"/a\"); api.get(`/a/${id}`); api.get(\"key\");\n";
        let expected = [
            (MentionKind::Contract, "GET /a", "GET /a"),
            (MentionKind::Property, "GET /a", "GET /a"),
            (MentionKind::Property, "POST /b", "POST /b"),
            (MentionKind::Option, "GET /c", "GET /c"),
            (MentionKind::Property, "GET /c", "GET /c"),
            (MentionKind::Member, "GET /a", "GET /a"),
            (MentionKind::Member, "POST /b", "POST /b"),
            (MentionKind::Call, "GET /a", "/a"),
            (MentionKind::Call, "WS /rooms/:id", "/rooms/:id"),
            (MentionKind::Call, "PUT /d", "/d"),
            (MentionKind::Call, "GET /e", "GET /e"),
        ]
        .map(|(kind, key, text)| (kind, key.to_owned(), text.to_owned()));
        assert_eq!(found(text), expected);
    }

    #[test]
    fn calls_count_only_after_a_value_that_may_be_a_client() {
        for (text, count) in [
            (
                "import { createClient } from \"@kit/client\"; const api = createClient(); api.get(\"/a\");",
                1,
            ),
            (
                "import { suite } from \"@kit/testing\"; let s; const { c } = await suite(); c.get(\"/a\"); s.get(\"/a\");",
                2,
            ),
            (
                "import \"../.kit/client/index.ts\"; test(({ client }) => client.get(\"/a\"));",
                1,
            ),
            (
                "import { Map } from \"./map.ts\"; const m = new Map(); m.get(\"/a\");",
                0,
            ),
            (
                "import \"@kit/client\"; const m = new Map(); m.get(\"/a\"); const o = {}; o[\"GET /a\"];",
                0,
            ),
            (
                "import express from \"express\"; import \"@kit/core\"; express().get(\"/a\");",
                0,
            ),
            (
                "import { Router } from \"express\"; const r = Router(); r.get(\"/a\");",
                0,
            ),
            ("router.get(\"/a\");", 0),
            ("import { router } from \"./router.ts\"; router.get(\"/a\");", 0),
            ("import router from \"./router.js\"; router.get(\"/a\");", 0),
            (
                "import { r, c, api } from \"./all.ts\"; r.get(\"/a\"); c.get(\"/a\"); api.get(\"/a\");",
                2,
            ),
            ("import { connect } from \"./helper\"; connect().get(\"/a\");", 1),
            (
                "import * as all from \"./helper.ts\"; all.connect().get(\"/a\");",
                1,
            ),
            ("import { x } from \"./a1.ts\"; x.get(\"/a\");", 0),
            ("import { x } from \"./absent.ts\"; x.get(\"/a\");", 1),
            (
                "import \"@kit/core\"; const a = b; const b = a; a.get(\"/a\");",
                0,
            ),
        ] {
            assert_eq!(found(text).len(), count, "{text}");
        }
    }

    #[test]
    fn leaves_out_literals_with_escapes() {
        assert!(found(r#"const h = { "GET \u002fa": f };"#).is_empty());
    }

    #[test]
    fn returns_nothing_for_a_module_with_a_syntax_error() {
        assert!(found("const = {").is_empty());
    }
}
