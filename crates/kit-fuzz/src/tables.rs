//! Fuzz target for tables: random entities with columns of all types, and the migration between two versions of them.

use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};
use kit_database::{Migration, Plan, Schema, Snapshot, TextFile, drizzle, expand, kysely, plan, raw};
use kit_diagnostics::{Style, render};

use crate::pipeline;

/// Types of properties, each with tags that fit. Some tags do not fit together.
const PROPERTIES: &[(&str, &[&str])] = &[
    (
        "string",
        &[
            "minLength 1",
            "maxLength 20",
            "pattern ^[a-z]+$",
            "format uuid",
            "generated uuid",
            "generated uuidv7",
            "storedAs date",
            "storedAs date @default 2026-01-31",
            "storedAs citext",
            "storedAs citext @unique @maxLength 9",
            "default abc",
            "unique where id > 3",
            "index using hash",
            "check id > 0",
        ],
    ),
    (
        "number",
        &[
            "integer",
            "storedAs smallint",
            "storedAs smallint @minimum 1 @default 7",
            "storedAs integer",
            "storedAs integer @exclusiveMinimum 0",
            "minimum -1.5",
            "integer @maximum 5000000000",
            "default 3",
            "multipleOf 0.5",
        ],
    ),
    (
        "bigint",
        &[
            "default 12",
            "index desc nulls last where id > 3",
            "index using brin",
        ],
    ),
    (
        "Decimal<6, 2>",
        &[
            "minimum 0.50",
            "exclusiveMinimum -1 @maximum 99.99",
            "default 0.5",
            "unique",
        ],
    ),
    ("Decimal<5>", &["maximum 99999"]),
    ("boolean", &["default true"]),
    (
        "Date",
        &["default now", "generated now", "generated now @onUpdate now"],
    ),
    (
        "\"x\" | \"y\"",
        &["storedAs enum x_y", "storedAs enum x_y @default y", "default x"],
    ),
    (
        "\"x\" | \"y\" | \"z\"",
        &["storedAs enum x_y_z @index", "default z"],
    ),
    ("1 | 2", &["default 1"]),
    (
        "string[]",
        &[
            "storedAs array",
            "storedAs array @default [\"x\", \"y z\"] @maxItems 3",
            "storedAs array @index using gin",
            "default [] @maxItems 3",
            "index using gin",
        ],
    ),
    ("bigint[]", &["storedAs array"]),
    ("Decimal<6, 2>[]", &["storedAs array @default []"]),
    (
        "(\"x\" | \"y\")[]",
        &["storedAs array", "storedAs array @uniqueItems"],
    ),
    ("boolean[]", &["storedAs array"]),
    ("Date[]", &["storedAs array"]),
    ("number[]", &["storedAs array"]),
    ("Uint8Array", &[]),
    ("unknown", &[]),
    ("{ a: string; b?: number[] }", &[]),
    ("`c-${number}`", &[]),
    (
        "One[\"id\"]",
        &[
            "references One.id",
            "references One.id cascade on update cascade @index",
            "references One.id restrict @index none",
        ],
    ),
];

/// Tags that fit every property.
const COMMON: &[&str] = &[
    "unique",
    "index",
    "sensitive",
    "column other",
    "check id > 0",
    "storedAs array",
];

/// Tags of the entities. `a` and `b` are properties that an entity may have.
const OF_ENTITIES: &[&str] = &[
    "unique pair (id, a)",
    "index sorted (a desc nulls last, id) where id > 3",
    "index (a, b) include (id)",
    "check positive (id > 0)",
    "references (a, b) One (id, twin) on update cascade",
    "owner a = ctx.user.id",
    "owner none",
    "tenant a",
];

/// Names of the entities, each with its tables in the two versions.
const ENTITIES: [(&str, &[&str]); 3] = [
    ("One", &["one", "billing.one"]),
    ("Two", &["two", "two", "Sales.Two"]),
    ("Three", &["three", "order", "billing.one"]),
];

/// An entity: the end of its comment, and its properties, each with its name and its declaration.
struct Entity {
    tags: String,
    properties: Vec<(String, String)>,
}

/// Entities of a version. An entity that is `None` does not exist.
type Model = Vec<Option<Entity>>;

/// Compiles two versions of random entities, generates their schema files, and plans the migrations. Returns true if neither
/// version has an error, so that all checks ran.
///
/// # Panics
///
/// Panics if a part of kit panics; if a snapshot or a migration differs after it was written and read; if a plan does not end in
/// the tables that the types describe; if the statements of a plan that loses no values are detected as a loss.
pub fn tables(data: &[u8]) -> bool {
    let mut bytes = Unstructured::new(data);
    let model = |bytes: &mut Unstructured<'_>, before: Option<&Model>| {
        model(bytes, before).unwrap_or_else(|_| vec![None, None, None])
    };
    let was = model(&mut bytes, None);
    let becomes = model(&mut bytes, Some(&was));
    let (Some(before), Some(after)) = (schema(&was), schema(&becomes)) else {
        return false;
    };
    for schema in [&before, &after] {
        for emit in [drizzle::emit, kysely::emit, raw::emit] {
            files_are_distinct(&emit(schema));
            assert_eq!(emit(schema), emit(schema), "the same tables, other files");
        }
        let first = plan(None, schema).expect("tables of an empty database have a plan");
        ends_in(&first, None, schema);
    }
    let snapshot = Snapshot::of(&before);
    match plan(Some(&snapshot), &after) {
        Ok(next) => ends_in(&next, Some(&snapshot), &after),
        Err(error) => {
            assert!(error.problems.iter().all(|problem| !problem.message.is_empty()));
        }
    }
    if let Ok((halves, expansion)) = expand(Some(&snapshot), &after, &[]) {
        let migration =
            Migration::in_two_halves("20260101000000", "halves", &halves, expansion, Some(&snapshot));
        is_read_as_written(&migration.expect("a migration"));
    }
    true
}

/// Asserts that a plan ends in the tables of the schema, and that its migration is read as it was written.
fn ends_in(plan: &Plan, previous: Option<&Snapshot>, schema: &Schema) {
    let after = plan.snapshot(previous);
    let again = kit_database::plan(Some(&after), schema).expect("a plan without changes");
    assert!(again.is_empty(), "a second migration follows:\n{}", again.sql());
    let read = Snapshot::from_json(&after.to_json()).expect("kit reads its own snapshot");
    assert_eq!(read, after, "a snapshot differs after it was written and read");
    let migration = Migration::create("20260101000000", "next", plan, previous).expect("a migration");
    is_read_as_written(&migration);
    let losses = kit_migrate::find_data_loss(&migration.sql).expect("statements that can be split");
    assert!(
        plan.is_destructive() || losses.is_empty(),
        "the plan loses nothing, but its statements do:\n{}",
        migration.sql
    );
}

fn is_read_as_written(migration: &Migration) {
    let files = migration.files();
    let text = |name: &str| {
        let file = files.iter().find(|file| file.path.ends_with(name));
        file.map(|file| file.text.as_str()).unwrap_or_default()
    };
    let read = Migration::read(
        &migration.name,
        text("migration.sql"),
        text("changes.json"),
        Some(text("snapshot.json")),
    );
    assert_eq!(
        read.expect("kit reads its own migration").files(),
        files,
        "a migration differs after it was written and read"
    );
    kit_migrate::split_statements(&migration.sql).expect("statements that can be split");
}

fn files_are_distinct(files: &[TextFile]) {
    for (number, file) in files.iter().enumerate() {
        let same = |earlier: &TextFile| earlier.path.eq_ignore_ascii_case(&file.path);
        assert!(!files[..number].iter().any(same), "{} is made twice", file.path);
    }
}

/// Returns the tables of a model. Returns `None` if the types have errors, which must be diagnostics that can be shown.
fn schema(model: &Model) -> Option<Schema> {
    let files = [("src/a.types.ts".to_owned(), text(model))];
    pipeline::check(&files);
    let output = pipeline::run(&files);
    let (schema, problems) = Schema::from_program(&output.program);
    for diagnostic in &problems {
        assert!(!diagnostic.message.is_empty(), "{diagnostic:?}");
        render(diagnostic, &output.sources, Style::Plain);
    }
    let has_errors = output.diagnostics.has_errors() || problems.has_errors();
    (!has_errors).then_some(schema)
}

/// Creates a random model, or a version of `before` in which most properties stay.
fn model(bytes: &mut Unstructured<'_>, before: Option<&Model>) -> Result<Model> {
    let mut model = Model::new();
    for (number, (_, tables)) in ENTITIES.iter().enumerate() {
        let earlier = before.and_then(|model| model[number].as_ref());
        if number > 0 && bytes.ratio(1, 6)? {
            model.push(None);
            continue;
        }
        let table = if bytes.ratio(5, 6)? {
            tables[0]
        } else {
            *bytes.choose(tables)?
        };
        let mut tags = format!("@table {table}");
        if bytes.ratio(1, 3)? {
            let _ = write!(tags, " @{}", bytes.choose(OF_ENTITIES)?);
        }
        let mut properties = Vec::new();
        for (name, declared) in earlier.map_or(&[][..], |entity| entity.properties.as_slice()) {
            match bytes.int_in_range(0..=9_u8)? {
                0 => {}
                1 => {
                    let renamed = format!("{name}New");
                    let declared = property(bytes, &renamed, &format!("renamedFrom {name} "))?;
                    properties.push((renamed, declared));
                }
                2 => properties.push((name.clone(), property(bytes, name, "")?)),
                _ => properties.push((name.clone(), declared.clone())),
            }
        }
        for name in ["a", "b", "c", "d"] {
            if properties.iter().all(|(known, _)| known != name) && bytes.ratio(1, 2)? {
                properties.push((name.to_owned(), property(bytes, name, "")?));
            }
        }
        model.push(Some(Entity { tags, properties }));
    }
    Ok(model)
}

/// Creates the declaration of a random property. `first` is the beginning of its tags.
fn property(bytes: &mut Unstructured<'_>, name: &str, first: &str) -> Result<String> {
    let (r#type, fitting) = *bytes.choose(PROPERTIES)?;
    let mut tags: Vec<&str> = Vec::new();
    if !first.is_empty() {
        tags.push(first.trim_end());
    }
    if !fitting.is_empty() && bytes.ratio(2, 3)? {
        tags.push(bytes.choose(fitting)?);
    }
    if bytes.ratio(1, 8)? {
        tags.push(bytes.choose(COMMON)?);
    }
    let comment = if tags.is_empty() {
        String::new()
    } else {
        format!("/** @{} */ ", tags.join(" @"))
    };
    let mark = if bytes.ratio(1, 4)? { "?" } else { "" };
    let null = if bytes.ratio(1, 5)? { " | null" } else { "" };
    Ok(format!("{comment}{name}{mark}: {type}{null};"))
}

fn text(model: &Model) -> String {
    let mut text = "import type { Decimal } from \"@kit/types\";\n".to_owned();
    for ((name, _), entity) in ENTITIES.iter().zip(model) {
        let Some(Entity { tags, properties }) = entity else {
            continue;
        };
        let pair = if *name == "One" {
            " @unique twins (id, twin)"
        } else {
            ""
        };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "/** {tags}{pair} */\nexport interface {name} {{");
        text.push_str("  /** @id @storedAs integer */ id: number;\n");
        if *name == "One" {
            text.push_str("  /** @storedAs integer @default 0 */ twin: number;\n");
        }
        for (_, declared) in properties {
            let _ = writeln!(text, "  {declared}");
        }
        text.push_str("}\n");
    }
    text
}
