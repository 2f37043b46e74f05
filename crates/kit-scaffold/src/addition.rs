//! What is added to a project.

use crate::File;
use crate::words::{Words, fill};

/// A kind of addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A route group: contracts, handlers, and their entry in `routes`.
    Route,
    /// A middleware, and its entry in `middleware`.
    Middleware,
}

/// New files, and what registers them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// Files that must not be there yet.
    pub files: Vec<File>,
    /// The name that the application imports.
    pub import: String,
    /// Where from, relative to `src/`.
    pub from: String,
    /// The option of `createApp`.
    pub option: &'static str,
    /// The entry in its list.
    pub entry: String,
}

/// Names of keywords that a middleware cannot be called: they would not parse as the name of a constant.
const KEYWORDS: [&str; 43] = [
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
];

/// What adding something of that name means. A name is lower-case words joined by `-`: `order-items`.
pub fn addition(kind: Kind, name: &str) -> Result<Addition, String> {
    let words = Words::parse(name)?;
    let (upper, lower) = (words.upper(), words.lower());
    if kind == Kind::Middleware
        && (KEYWORDS.contains(&name) || matches!(name, "while" | "with" | "yield" | "arguments" | "eval"))
    {
        return Err(format!(
            "`{name}` is a word of the language, which no constant can be called"
        ));
    }
    let tokens = [
        ("ExampleRoutes", format!("{upper}Routes")),
        ("exampleHandlers", format!("{lower}Handlers")),
        ("exampleMiddleware", lower.clone()),
        ("example.routes", format!("{name}.routes")),
        ("/example", format!("/{name}")),
    ];
    let file = |path: String, text: &str| File {
        path,
        text: fill(text, &tokens),
    };
    Ok(match kind {
        Kind::Route => Addition {
            files: vec![
                file(
                    format!("src/{name}.routes.ts"),
                    include_str!("../templates/add/example.routes.ts"),
                ),
                file(
                    format!("src/{name}.handlers.ts"),
                    include_str!("../templates/add/example.handlers.ts"),
                ),
            ],
            import: format!("{lower}Handlers"),
            from: format!("./{name}.handlers.ts"),
            option: "routes",
            entry: format!("{{ prefix: \"/{name}\", handlers: {lower}Handlers }}"),
        },
        Kind::Middleware => Addition {
            files: vec![file(
                format!("src/{name}.ts"),
                include_str!("../templates/add/middleware.ts"),
            )],
            import: lower.clone(),
            from: format!("./{name}.ts"),
            option: "middleware",
            entry: format!("{{ name: \"{lower}\", middleware: {lower}, priority: 0 }}"),
        },
    })
}
