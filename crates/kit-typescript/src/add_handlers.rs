//! Editor of source texts that adds handlers to the object literal of `defineHandlers<Group>({ … })`. An edit only inserts text.

use std::fmt::Write as _;
use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{Argument, ObjectExpression};
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use crate::stack::StackSize;

/// A contract without a handler in the handler map of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingHandler {
    /// Path of the file with the handler map, relative to the project's root.
    pub path: String,
    /// Offset of the call of `defineHandlers` in the file.
    pub call: u32,
    /// Name of the contract group.
    pub group: String,
    /// Key of the contract, such as `GET /notes`.
    pub key: String,
}

/// Returns the text of the source file `path` with handlers for the keys, at the end of the handler map that the call at this offset has. Each new
/// handler throws an error until the user writes it.
///
/// # Errors
///
/// Fails if the text cannot be edited. The error is the reason, as a part of a sentence.
pub fn add_handlers(path: &Path, text: &str, call: u32, keys: &[&str]) -> Result<String, String> {
    StackSize::for_text(text).run(|| edit(path, text, call, keys))
}

fn edit(path: &Path, text: &str, call: u32, keys: &[&str]) -> Result<String, String> {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
    let parsed = Parser::new(&allocator, text, kind).parse();
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        return Err("the file has a syntax error".to_owned());
    }
    let mut search = Search { call, found: None };
    search.visit_program(&parsed.program);
    let map = search
        .found
        .ok_or_else(|| "the handlers are not an object literal".to_owned())?;
    let mut handlers = String::new();
    for key in keys {
        let message = serde_json::Value::from(format!("the handler of {key} is not written yet"));
        let key = serde_json::Value::from(*key);
        let _ = write!(
            handlers,
            "  {key}: () => {{\n    throw new Error({message});\n  }},\n"
        );
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let close = map.end - 1;
    let line = text[..close].rfind('\n').map_or(0, |end| end + 1);
    let has_own_line = line > map.start && text[line..close].trim().is_empty();
    let (at, before) = if has_own_line { (line, "") } else { (close, "\n") };
    let inserted = format!("{before}{handlers}").replace('\n', line_end);
    // The last handler may lack its comma.
    let comma = map.last.filter(|last| {
        let rest = &text[*last..close];
        !without_comments(rest).contains(',')
    });
    Ok(match comma {
        Some(last) => [&text[..last], ",", &text[last..at], &inserted, &text[at..]].concat(),
        None => [&text[..at], &inserted, &text[at..]].concat(),
    })
}

/// Returns the text without comments. The text has no strings, since it is between the last property and the end of an object.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        kept.push_str(&rest[..start]);
        let end = if rest[start..].starts_with("//") {
            "\n"
        } else {
            "*/"
        };
        rest = rest[start + 2..].split_once(end).map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Object literal with the handlers.
struct HandlerObject {
    start: usize,
    end: usize,
    /// End of the last property.
    last: Option<usize>,
}

struct Search {
    call: u32,
    found: Option<HandlerObject>,
}

impl<'a> Visit<'a> for Search {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if let AstKind::CallExpression(call) = kind
            && call.span.start == self.call
            && let Some(Argument::ObjectExpression(object)) = call.arguments.first()
        {
            self.found.get_or_insert_with(|| HandlerObject::new(object));
        }
    }
}

impl HandlerObject {
    fn new(object: &ObjectExpression<'_>) -> Self {
        Self {
            start: object.span.start as usize,
            end: object.span.end as usize,
            last: object
                .properties
                .last()
                .map(|property| property.span().end as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::add_handlers;

    fn edited(map: &str) -> String {
        let text = format!("const a = 1;\nconst b = defineHandlers<B>({map});\n");
        let call = u32::try_from(text.find("defineHandlers").unwrap()).unwrap();
        let edited = add_handlers("src/b.ts".as_ref(), &text, call, &["GET /b"]).unwrap();
        let edited = edited
            .strip_prefix("const a = 1;\nconst b = defineHandlers<B>(")
            .unwrap();
        edited.strip_suffix(");\n").unwrap().to_owned()
    }

    const ADDED: &str =
        "  \"GET /b\": () => {\n    throw new Error(\"the handler of GET /b is not written yet\");\n  },\n";

    #[test]
    fn inserts_handlers_at_the_end_of_the_map_and_changes_nothing_else() {
        for (before, after) in [
            ("{}", format!("{{\n{ADDED}}}")),
            ("{\n  // none\n}", format!("{{\n  // none\n{ADDED}}}")),
            (
                "{\n  \"GET /a\": a,\n}",
                format!("{{\n  \"GET /a\": a,\n{ADDED}}}"),
            ),
            (
                "{\n  \"GET /a\": a // why, and how\n}",
                format!("{{\n  \"GET /a\": a, // why, and how\n{ADDED}}}"),
            ),
            ("{ \"GET /a\": a }", format!("{{ \"GET /a\": a, \n{ADDED}}}")),
            ("{ ...a, /* x */ }", format!("{{ ...a, /* x */ \n{ADDED}}}")),
        ] {
            assert_eq!(edited(before), after);
        }
    }

    #[test]
    fn keeps_crlf_line_ends() {
        let text = "defineHandlers<B>({\r\n});\r\n";
        assert_eq!(
            add_handlers("src/b.ts".as_ref(), text, 0, &["GET /b"]).unwrap(),
            format!("defineHandlers<B>({{\n{ADDED}}});\n").replace('\n', "\r\n")
        );
    }

    #[test]
    fn refuses_handlers_that_are_no_object_literal() {
        for text in ["defineHandlers<B>(map);", "defineHandlers<B>({", "other({})"] {
            let call = u32::from(text.starts_with("other"));
            assert!(
                add_handlers("src/b.ts".as_ref(), text, call, &["GET /b"]).is_err(),
                "{text}"
            );
        }
    }
    #[test]
    fn accepts_jsx_in_tsx_files_only() {
        let text = "const page = <p>note</p>;\ndefineHandlers<B>({});\n";
        let call = u32::try_from(text.find("defineHandlers").unwrap()).unwrap();
        let edit = |path: &str| add_handlers(path.as_ref(), text, call, &["GET /b"]);
        assert!(edit("src/page.tsx").unwrap().contains("GET /b"));
        assert_eq!(edit("src/page.ts").unwrap_err(), "the file has a syntax error");
    }
}
