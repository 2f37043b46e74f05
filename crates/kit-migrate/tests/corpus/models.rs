//! Creates tables from TypeScript types, and the migrations between them.
#![allow(unreachable_pub)] // a module of tests has no outside

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_database::{Migration, Plan, PlanError, Schema, Snapshot, plan};
use kit_migrate::{MigrateError, Options, apply, drift};
use kit_typescript::{AnyMeaning, Input, MemoryFiles, compile};

/// Returns the schema of the entities in a TypeScript source text.
pub fn schema(types: &str) -> Schema {
    let root = Path::new("/app");
    let path: PathBuf = root.join("src/model.types.ts");
    let output = compile(&Input {
        root,
        type_files: vec![path.clone()],
        route_files: Vec::new(),
        any: AnyMeaning::Error,
        entry_files: Vec::new(),
        files: Arc::new(MemoryFiles::new([(path, types)])),
    });
    assert!(
        output.diagnostics.is_empty(),
        "{:#?}\n{types}",
        output.diagnostics
    );
    let (schema, diagnostics) = Schema::from_program(&output.program);
    assert!(!diagnostics.has_errors(), "{diagnostics:#?}\n{types}");
    schema
}

/// Plans the change between two schemas. Writes and reads the snapshot, because a committed snapshot is read from a
/// file.
pub fn between(before: Option<&Schema>, after: &Schema) -> Result<Plan, PlanError> {
    let before = before.map(|schema| {
        let text = Snapshot::of(schema).to_json();
        Snapshot::from_json(&text).expect("kit reads what it wrote")
    });
    plan(before.as_ref(), after)
}

/// Returns a migration that was written to files and read back.
pub fn migration(number: u32, plan: &Plan) -> Migration {
    let timestamp = format!("202601010000{number:02}");
    let made = Migration::create(&timestamp, "corpus", plan, None).expect("a migration");
    let files = made.files();
    let text = |name: &str| {
        let path = format!("{}/{name}", made.name);
        let file = files.iter().find(|file| file.path == path);
        file.expect("the file").text.clone()
    };
    Migration::read(
        &made.name,
        &text("migration.sql"),
        &text("changes.json"),
        Some(&text("snapshot.json")),
    )
    .expect("kit reads what it wrote")
}

/// Applies all migrations. Allows data loss only if a plan is destructive: no statement of another plan may need that
/// permission.
#[allow(clippy::result_large_err)] // a test looks at one at a time
pub fn migrate(url: &str, migrations: &[Migration]) -> Result<(), MigrateError> {
    let options = Options {
        allow_destructive: migrations.iter().any(|migration| migration.destructive),
        ..Options::default()
    };
    apply(url, migrations, &options).map(|_| ())
}

/// Returns the differences between the live tables and a schema, one line each.
pub fn differences(url: &str, schema: &Schema) -> Vec<String> {
    let drift = drift(url, &Snapshot::of(schema)).expect("a comparison");
    let mut lines: Vec<String> = drift
        .unknown
        .iter()
        // Migrations drop no extension.
        .filter(|object| *object != "extension citext")
        .map(|table| format!("unknown {table}"))
        .collect();
    lines.extend(drift.differences.iter().map(|difference| {
        format!(
            "{}: expected {}, found {}",
            difference.object,
            difference.expected.as_deref().unwrap_or("nothing"),
            difference.found.as_deref().unwrap_or("nothing")
        )
    }));
    lines
}
