//! Adds entities to a project: the type, its contracts, handlers and a test.

use crate::words::{Words, fill};
use crate::{Adapter, Addition, File};

/// Options of a new entity.
#[derive(Debug, Clone, Copy)]
pub struct EntityOptions<'a> {
    /// Singular name in lower-case words joined by `-`, such as `order-item`.
    pub name: &'a str,
    /// Plural name in the same form, such as `order-items`.
    pub plural: &'a str,
    /// Library with which the project queries its database.
    pub database: Adapter,
    /// True if the application has `requireAuth` in scope. The routes then require that middleware, and each row
    /// belongs to the user whose id the middleware adds to the context as `userId`.
    pub guarded: bool,
}

/// A new entity of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Files to create, and the code that registers the handlers.
    pub addition: Addition,
    /// Name of the interface.
    pub interface: String,
    /// Name of the table.
    pub table: String,
}

/// Names that the generated modules of an entity already use. An interface with one of these names would hide
/// the existing type or value.
const TAKEN: [&str; 31] = [
    "Array",
    "AuthContext",
    "Boolean",
    "Date",
    "Error",
    "Exclude",
    "Extract",
    "Function",
    "Generated",
    "Map",
    "Math",
    "NonNullable",
    "NotFoundError",
    "Number",
    "Object",
    "Omit",
    "Partial",
    "Pick",
    "Promise",
    "Readonly",
    "Record",
    "RegExp",
    "Request",
    "Required",
    "Response",
    "ReturnType",
    "RouteContract",
    "Set",
    "String",
    "Symbol",
    "TestApp",
];

/// Returns the name of an entity's interface.
///
/// ```
/// assert_eq!(kit_scaffold::interface_name("order-item").unwrap(), "OrderItem");
/// ```
///
/// # Errors
/// Returns a message for the user if the name is invalid or would hide another name.
pub fn interface_name(name: &str) -> Result<String, String> {
    let interface = Words::parse(name)
        .map_err(|error| error.replace("order-items", "order-item"))?
        .pascal_case();
    if TAKEN.contains(&interface.as_str()) {
        return Err(format!(
            "an interface `{interface}` would hide the existing name `{interface}`; choose a longer name, such as `{name}-entry`"
        ));
    }
    Ok(interface)
}

/// Returns true if a name looks like a plural: true for `notes`, false for `status`.
pub fn looks_plural(name: &str) -> bool {
    let singular = ["ss", "us", "is", "as", "news", "series", "species"];
    name.ends_with('s') && !singular.iter().any(|ending| name.ends_with(ending))
}

/// Returns the files and code for a new entity.
///
/// # Errors
/// Returns a message for the user if the name or its plural is invalid.
pub fn entity(options: &EntityOptions<'_>) -> Result<Entity, String> {
    let interface = interface_name(options.name)?;
    let words = Words::parse(options.name)?;
    let plural = Words::parse(options.plural)?;
    let lower = words.camel_case();
    let (path, table) = (plural.joined("-"), plural.joined("_"));
    // A placeholder must be listed before shorter placeholders with which it begins: `samples` before `sample`.
    let tokens = [
        ("SAMPLE_", format!("{}_", words.joined("_").to_uppercase())),
        ("Sample", interface.clone()),
        ("sampleHandlers", format!("{lower}Handlers")),
        ("sampleNotFound", format!("{lower}NotFound")),
        ("samples-path", path.clone()),
        ("samples_table", table.clone()),
        ("samplesTable", plural.camel_case()),
        ("samples", plural.joined(" ")),
        ("sample", words.joined(" ")),
    ];
    let file = |path: String, text: &str| File {
        path,
        text: fill(&of_owner(text, options.guarded), &tokens),
    };
    let handlers = match (options.database, options.guarded) {
        (Adapter::Raw, false) => include_str!("../templates/add/entity/raw.handlers.ts"),
        (Adapter::Raw, true) => include_str!("../templates/add/entity/owned-raw.handlers.ts"),
        (Adapter::Drizzle, false) => include_str!("../templates/add/entity/drizzle.handlers.ts"),
        (Adapter::Drizzle, true) => include_str!("../templates/add/entity/owned-drizzle.handlers.ts"),
        (Adapter::Kysely, false) => include_str!("../templates/add/entity/kysely.handlers.ts"),
        (Adapter::Kysely, true) => include_str!("../templates/add/entity/owned-kysely.handlers.ts"),
    };
    let files = vec![
        file(
            format!("src/{path}.types.ts"),
            include_str!("../templates/add/entity/samples-path.types.ts"),
        ),
        file(
            format!("src/{path}.routes.ts"),
            include_str!("../templates/add/entity/samples-path.routes.ts"),
        ),
        file(format!("src/{path}.handlers.ts"), handlers),
        file(
            format!("tests/{path}.test.ts"),
            include_str!("../templates/add/entity/samples-path.test.ts"),
        ),
    ];
    let guard = if options.guarded {
        ", middleware: [{ name: \"requireAuth\", middleware: requireAuth, priority: 10 }]"
    } else {
        ""
    };
    Ok(Entity {
        addition: Addition {
            files,
            import: format!("{lower}Handlers"),
            from: format!("./{path}.handlers.ts"),
            option: "routes",
            entry: format!("{{ prefix: \"/{path}\", handlers: {lower}Handlers{guard} }}"),
        },
        interface,
        table,
    })
}

/// Prepares a template for rows that belong to a user, or for rows that do not. The template has parts that
/// apply only to rows of a user: lines between `// <owned>` and `// </owned>`, the tag `@owner`, and
/// `"userId"` among the keys that an input omits. If `owned` is false, removes these parts. Always removes
/// the markers.
fn of_owner(text: &str, owned: bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut within = false;
    for line in text.split_inclusive('\n') {
        match line.trim() {
            "// <owned>" => within = true,
            "// </owned>" => within = false,
            _ if owned => kept.push_str(line),
            _ if within || line.contains("@owner") => {}
            _ => kept.push_str(&line.replace("\"userId\" | ", "")),
        }
    }
    // A removed block leaves two adjacent empty lines.
    kept.replace("\n\n\n", "\n\n")
}

#[cfg(test)]
mod tests {
    use super::{EntityOptions, entity, interface_name, looks_plural};
    use crate::Adapter;

    #[test]
    fn replaces_every_placeholder_name_in_the_templates() {
        for database in Adapter::ALL {
            for guarded in [true, false] {
                let made = entity(&EntityOptions {
                    name: "order-item",
                    plural: "order-items",
                    database,
                    guarded,
                })
                .unwrap();
                assert_eq!(
                    (made.interface.as_str(), made.table.as_str()),
                    ("OrderItem", "order_items")
                );
                for file in made.addition.files {
                    let lower = file.text.to_lowercase();
                    assert!(!lower.contains("sample"), "{}:\n{}", file.path, file.text);
                    assert!(!lower.contains("owned>"), "{}:\n{}", file.path, file.text);
                    // If rows belong to users, every file except the contracts mentions `userId`; otherwise no file
                    // does.
                    let has_owner = file.text.contains("userId");
                    let is_about_rows = !file.path.ends_with(".routes.ts");
                    assert_eq!(
                        has_owner,
                        guarded && is_about_rows,
                        "{}:\n{}",
                        file.path,
                        file.text
                    );
                    assert_eq!(
                        file.text.contains("@owner userId = ctx.userId"),
                        guarded && file.path.ends_with(".types.ts"),
                        "{}",
                        file.path
                    );
                }
            }
        }
    }

    #[test]
    fn refuses_an_entity_name_that_would_hide_another_name() {
        for name in ["date", "route-contract", "Book", "", "a/b"] {
            assert!(interface_name(name).is_err(), "{name}");
        }
        assert!(interface_name("record-entry").is_ok());
    }

    #[test]
    fn recognizes_plural_names() {
        for name in ["books", "order-items", "categories"] {
            assert!(looks_plural(name), "{name}");
        }
        for name in [
            "book", "address", "status", "analysis", "canvas", "news", "series",
        ] {
            assert!(!looks_plural(name), "{name}");
        }
    }
}
