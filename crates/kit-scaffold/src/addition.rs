//! Creates the files and code that `kit scaffold add` adds to a project for a route group or a middleware.

use crate::file::File;
use crate::words::{Words, fill};

/// Kind of code that is added to a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A route group: contracts, handlers, and the entry in `routes`.
    Route,
    /// A middleware, and the entry in `middleware`.
    Middleware,
}

/// New files, and the code that registers them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// Files to create. None of them may exist yet.
    pub files: Vec<File>,
    /// Name that the application imports from the new module.
    pub import: String,
    /// Path of the imported module, relative to `src/`.
    pub from: String,
    /// Name of the option of `createApp` that registers the new code: `routes` or `middleware`.
    pub option: &'static str,
    /// Source of the entry that is added to the list of this option.
    pub entry: String,
}

/// Returns the files and code for a route group or middleware with the given name. A name consists of lower-case words
/// joined by `-`: `order-items`.
///
/// # Errors
/// Returns a message for the user if the name is invalid.
pub fn addition(kind: Kind, name: &str) -> Result<Addition, String> {
    let words = Words::parse(name)?;
    let (upper, lower) = (words.pascal_case(), words.camel_case());
    if kind == Kind::Middleware && kit_analysis::is_reserved_word(name) {
        return Err(format!(
            "`{name}` is a keyword, so it cannot be the name of a constant"
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
