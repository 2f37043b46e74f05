//! What a project stores: tables, and the files that come of them.

use std::sync::Arc;

use kit_database::{Migration, Schema, TextFile, draft, drizzle, plan};
use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use kit_ir::Program;

use crate::output::OutputFile;
use crate::{Adapter, ResolvedConfig};

/// How far the types are ahead of the committed migrations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// Changes that `kit migrate:generate` would write.
    pub changes: usize,
    /// Differences that it would refuse.
    pub problems: usize,
}

/// The tables of a program.
pub(crate) fn schema(program: &Program, config: &ResolvedConfig, diagnostics: &mut Diagnostics) -> Schema {
    let (schema, found) = Schema::from_program(program);
    diagnostics.extend(found);
    if config.adapter.adapter == Adapter::Kysely && !schema.tables.is_empty() {
        diagnostics.push(
            Diagnostic::warning(
                codes::CONFIGURATION_INVALID,
                "this project uses kysely, for which kit makes no schema files yet",
            )
            .note("migrations are made all the same")
            .help("write the row types by hand for now"),
        );
    }
    schema
}

/// What there would be to migrate.
pub(crate) fn pending(schema: &Schema, migrations: &[Migration]) -> PendingChanges {
    match plan(Migration::latest_snapshot(migrations), schema) {
        Ok(plan) => PendingChanges {
            changes: plan.changes.len(),
            problems: 0,
        },
        Err(error) => PendingChanges {
            changes: 0,
            problems: error.problems.len(),
        },
    }
}

/// The files of an earlier build, with what they were made of.
#[derive(Debug, Default)]
pub(crate) struct Drafted(Option<(Schema, Vec<Migration>, Adapter, Vec<OutputFile>)>);

impl Drafted {
    /// The same as [`artifacts`]; made anew only where tables or migrations changed.
    pub(crate) fn artifacts(
        &mut self,
        schema: &Schema,
        migrations: &[Migration],
        config: &ResolvedConfig,
    ) -> Vec<OutputFile> {
        let adapter = config.adapter.adapter;
        if let Some((tables, earlier, with, files)) = &self.0
            && (tables, earlier.as_slice(), with) == (schema, migrations, &adapter)
        {
            return files.clone();
        }
        let files = artifacts(schema, migrations, config);
        self.0 = Some((schema.clone(), migrations.to_vec(), adapter, files.clone()));
        files
    }
}

/// The schema files and the draft of the next migration.
fn artifacts(schema: &Schema, migrations: &[Migration], config: &ResolvedConfig) -> Vec<OutputFile> {
    let mut files = Vec::new();
    if config.adapter.adapter == Adapter::Drizzle {
        files.extend(below("schemas", drizzle::emit(schema)));
    }
    if !schema.tables.is_empty() || !migrations.is_empty() {
        let drafted = draft(Migration::latest_snapshot(migrations), schema);
        files.extend(below("migrations", drafted));
    }
    files
        .into_iter()
        .map(|file| OutputFile {
            path: file.path,
            text: Arc::new(file.text),
            generated_at: None,
        })
        .collect()
}

/// Files of a room, put into its directory.
fn below(directory: &str, files: Vec<TextFile>) -> impl Iterator<Item = TextFile> {
    files.into_iter().map(move |file| TextFile {
        path: format!("{directory}/{}", file.path),
        ..file
    })
}
