//! Editor of source texts that adds an entry to a list of `createApp({ … })`.
//!
//! An edit only inserts text: after the `[` of the list, and before the first import. All comments, commas
//! and line breaks of the source stay the same.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrayExpression, Expression, ImportDeclarationSpecifier, ObjectPropertyKind, Program, Statement,
};
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::stack::StackSize;

/// An entry to add to a list of `createApp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Name that the entry uses and that is imported, such as `bookHandlers`.
    pub import: String,
    /// Specifier of the import, such as `./books.handlers.ts`.
    pub from: String,
    /// Option of `createApp` that has the list, such as `routes`.
    pub option: &'static str,
    /// Expression to insert, on one line: `{ handlers: bookHandlers }`.
    pub entry: String,
}

/// Returns the source text with the entry and its import.
///
/// # Errors
///
/// Fails if the text cannot be edited, for example because the file does not call `createApp`. The error is the
/// reason, as a part of a sentence.
pub fn register(text: &str, registration: &Registration) -> Result<String, String> {
    StackSize::for_text(text).run(|| edit(text, registration))
}

/// Returns true if a module has an import with the given local name. Returns false for a module with a syntax
/// error.
pub fn imports(text: &str, name: &str) -> bool {
    StackSize::for_text(text).run(|| {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
        !parsed.panicked && Imports::read(&parsed.program).names.contains(&name)
    })
}

fn edit(text: &str, registration: &Registration) -> Result<String, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        return Err("the file has a syntax error".to_owned());
    }
    let imports = Imports::read(&parsed.program);
    if imports.names.iter().any(|name| *name == registration.import) {
        return Err(format!("the file already imports `{}`", registration.import));
    }
    let Some(create_app) = imports.create_app else {
        return Err("the file does not import `createApp` from `@kit/core`".to_owned());
    };
    let mut calls = Calls {
        name: create_app,
        options: Vec::new(),
    };
    calls.visit_program(&parsed.program);
    let options = match calls.options.as_slice() {
        [Some(options)] => *options,
        [None] => {
            return Err("kit can edit only options of `createApp` that are an object literal".to_owned());
        }
        [] => return Err("the file does not call `createApp`".to_owned()),
        _ => return Err("the file calls `createApp` more than once".to_owned()),
    };
    let (at, inserted) = location(text, options, registration)?;
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let import = format!(
        "import {{ {} }} from \"{}\";{line_end}",
        registration.import, registration.from
    );
    let first = imports.first;
    let inserted = inserted.replace('\n', line_end);
    // The import is usually before the call of `createApp`. If it is after the call, the two edits change
    // places.
    let mut edits = [(first, import), (at, inserted)];
    edits.sort_by_key(|(at, _)| *at);
    let [(one, before), (two, after)] = edits;
    Ok([&text[..one], &before, &text[one..two], &after, &text[two..]].concat())
}

/// Returns the offset at which to insert the new entry, and the text to insert.
fn location(text: &str, options: Span<'_>, registration: &Registration) -> Result<(usize, String), String> {
    let (option, entry) = (registration.option, &registration.entry);
    let mut spread = false;
    for property in options.properties {
        match property {
            ObjectPropertyKind::SpreadProperty(_) => spread = true,
            ObjectPropertyKind::ObjectProperty(property) => {
                if property.key.static_name().as_deref() != Some(option) {
                    continue;
                }
                let Expression::ArrayExpression(list) = &property.value else {
                    return Err(format!("`{option}` of `createApp` is not an array literal"));
                };
                return Ok(in_list(text, list, entry));
            }
        }
    }
    if spread {
        return Err(format!(
            "`{option}` of `createApp` may be set by the spread (`...`) in the options"
        ));
    }
    let at = options.start + 1;
    Ok((at, format!("\n  {option}: [{entry}],")))
}

/// Returns the insertion of an element at the start of a list. The new element gets its own line if the first
/// element has its own line.
fn in_list(text: &str, list: &ArrayExpression<'_>, entry: &str) -> (usize, String) {
    let at = list.span.start as usize + 1;
    let Some(first) = list.elements.first() else {
        return (at, entry.to_owned());
    };
    let start = oxc_span::GetSpan::span(first).start as usize;
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let indent = &text[line..start];
    if line > at && indent.trim().is_empty() {
        (at, format!("\n{indent}{entry},"))
    } else {
        (at, format!("{entry}, "))
    }
}

/// Local names that a module imports.
struct Imports<'a> {
    names: Vec<&'a str>,
    /// Local name of `createApp`; `None` if the module does not import it.
    create_app: Option<&'a str>,
    /// Offset of the first import in the module.
    first: usize,
}

impl<'a> Imports<'a> {
    fn read(program: &'a Program<'a>) -> Self {
        let mut imports = Self {
            names: Vec::new(),
            create_app: None,
            first: usize::MAX,
        };
        for statement in &program.body {
            let Statement::ImportDeclaration(import) = statement else {
                continue;
            };
            imports.first = imports.first.min(import.span.start as usize);
            for specifier in import.specifiers.iter().flatten() {
                let local = specifier.local().name.as_str();
                imports.names.push(local);
                if let ImportDeclarationSpecifier::ImportSpecifier(named) = specifier
                    && import.source.value == "@kit/core"
                    && named.imported.name() == "createApp"
                {
                    imports.create_app = Some(local);
                }
            }
        }
        imports
    }
}

/// An object literal: its offset and its properties.
#[derive(Clone, Copy)]
struct Span<'a> {
    start: usize,
    properties: &'a [ObjectPropertyKind<'a>],
}

/// Finds the calls of a function. Stores the first argument of each call if it is an object literal,
/// otherwise `None`.
struct Calls<'a> {
    name: &'a str,
    options: Vec<Option<Span<'a>>>,
}

impl<'a> Visit<'a> for Calls<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if let AstKind::CallExpression(call) = kind
            && call.callee.is_specific_id(self.name)
        {
            let options = match call.arguments.first() {
                Some(Argument::ObjectExpression(object)) => Some(Span {
                    start: object.span.start as usize,
                    properties: &object.properties,
                }),
                _ => None,
            };
            self.options.push(options);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Registration, imports, register};

    fn registration(option: &'static str) -> Registration {
        Registration {
            import: "books".to_owned(),
            from: "./books.ts".to_owned(),
            option,
            entry: "{ handlers: books }".to_owned(),
        }
    }

    fn edited(options: &str) -> Result<String, String> {
        let text = format!(
            "// head\nimport {{ createApp }} from \"@kit/core\";\nconst app = createApp({options});\n"
        );
        register(&text, &registration("routes")).map(|text| {
            let head = "// head\nimport { books } from \"./books.ts\";\nimport { createApp } from \"@kit/core\";\nconst app = createApp(";
            text.strip_prefix(head).unwrap().strip_suffix(");\n").unwrap().to_owned()
        })
    }

    #[test]
    fn inserts_an_entry_at_the_start_of_the_list_and_changes_nothing_else() {
        for (before, after) in [
            ("{ routes: [] }", "{ routes: [{ handlers: books }] }"),
            ("{ routes: [a, b] }", "{ routes: [{ handlers: books }, a, b] }"),
            (
                "{ routes: [/* ] */] }",
                "{ routes: [{ handlers: books }/* ] */] }",
            ),
            (
                "{\n  routes: [\n    a, // last ]\n  ],\n}",
                "{\n  routes: [\n    { handlers: books },\n    a, // last ]\n  ],\n}",
            ),
            (
                "{ ...o, \"routes\": [...more] }",
                "{ ...o, \"routes\": [{ handlers: books }, ...more] }",
            ),
            ("{ server }", "{\n  routes: [{ handlers: books }], server }"),
            ("{}", "{\n  routes: [{ handlers: books }],}"),
        ] {
            assert_eq!(edited(before).as_deref(), Ok(after));
        }
    }

    #[test]
    fn refuses_a_call_without_a_list_that_can_be_edited() {
        for (options, why) in [
            (
                "options",
                "only options of `createApp` that are an object literal",
            ),
            ("", "only options of `createApp` that are an object literal"),
            ("{ routes }", "is not an array literal"),
            ("{ routes: [a].concat(b) }", "is not an array literal"),
            ("{ ...options }", "may be set by the spread"),
            ("{}); createApp({}", "more than once"),
            ("{", "a syntax error"),
        ] {
            let error = edited(options).unwrap_err();
            assert!(error.contains(why), "{options}: {error}");
        }
        for (text, why) in [
            ("import { books } from \"x\";", "already imports `books`"),
            ("const createApp = 1;", "does not import `createApp`"),
            (
                "import { createApp } from \"elsewhere\"; createApp({});",
                "does not import `createApp`",
            ),
            ("import { createApp } from \"@kit/core\";", "does not call"),
        ] {
            let error = register(text, &registration("routes")).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn finds_an_import_by_its_local_name() {
        let text = "import a, { b as c } from \"x\";\nconst d = 1;\n";
        assert_eq!(
            ["a", "b", "c", "d"].map(|name| imports(text, name)),
            [true, false, true, false]
        );
        assert!(!imports("import { a } from", "a"));
    }

    #[test]
    fn edits_a_file_with_a_renamed_create_app_and_crlf_line_endings() {
        let text = "import { createApp as make } from \"@kit/core\";\r\nmake({});\r\n";
        assert_eq!(
            register(text, &registration("middleware")).unwrap(),
            "import { books } from \"./books.ts\";\r\nimport { createApp as make } from \"@kit/core\";\r\n\
             make({\r\n  middleware: [{ handlers: books }],});\r\n"
        );
    }
}
