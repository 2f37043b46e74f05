//! The database in a build: tables, and the files that are generated from them.

use std::sync::Arc;

use kit_database::{
    Migration, Plan, PlanError, RenameTag, Schema, TextFile, committed, draft, draft_of_problems, drizzle,
    kysely, latest, plan, raw, rename_tags,
};
use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use kit_ir::Program;

use crate::output::OutputFile;
use crate::{Adapter, ResolvedConfig};

/// Differences between the types and the committed migrations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// Number of changes of the database that `kit migrate:generate` would write into a migration.
    pub changes: usize,
    /// Number of differences that `kit migrate:generate` would refuse, because it cannot migrate them.
    pub problems: usize,
}

/// Returns the tables of a program. Timestamp columns keep the type with which committed migrations created
/// them.
pub(crate) fn schema(program: &Program, migrations: &[Migration], diagnostics: &mut Diagnostics) -> Schema {
    let (mut schema, found) = Schema::from_program(program);
    let is_whole = !found.has_errors();
    diagnostics.extend(found);
    if let Some(committed) = committed(migrations) {
        schema.keep_timestamps(&committed);
        if is_whole {
            for tag in rename_tags(&committed, &schema) {
                diagnostics.push(rename_warning(program, &tag));
            }
        }
    }
    schema
}

fn rename_warning(program: &Program, tag: &RenameTag) -> Diagnostic {
    let mut diagnostic = Diagnostic::warning(codes::RENAME, tag.message.as_str()).help(tag.help.as_str());
    if let Some((_, declaration)) = program.declaration(&tag.entity) {
        let mut properties = program.properties(declaration.r#type).iter();
        let property = properties.find(|property| Some(&property.name) == tag.property.as_ref());
        let span = property.map_or(declaration.span, |property| property.span);
        diagnostic = diagnostic.label(
            Label::primary(program.path(span), span.start as usize..span.end as usize)
                .at(span.line, span.column),
        );
    }
    diagnostic
}

/// Counts the differences between the tables and the committed migrations.
pub(crate) fn pending(schema: &Schema, migrations: &[Migration]) -> PendingChanges {
    match pending_plan(schema, migrations) {
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

fn pending_plan(schema: &Schema, migrations: &[Migration]) -> Result<Plan, PlanError> {
    plan(latest(migrations)?.snapshot.as_ref(), schema)
}

/// Generated schema files of an earlier build, with the inputs from which they were generated.
#[derive(Debug, Default)]
pub(crate) struct CachedDatabaseFiles(Option<(Schema, Vec<Migration>, Adapter, Vec<OutputFile>)>);

impl CachedDatabaseFiles {
    /// Returns the same files as [`artifacts`]. Generates them again only if the tables, the migrations or the adapter
    /// changed.
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

/// Generates the schema files and a preview of the next migration.
fn artifacts(schema: &Schema, migrations: &[Migration], config: &ResolvedConfig) -> Vec<OutputFile> {
    // A project without tables and without migrations needs no schema files.
    if schema.tables.is_empty() && migrations.is_empty() {
        return Vec::new();
    }
    let emitted = match config.adapter.adapter {
        Adapter::Drizzle => drizzle::emit(schema),
        Adapter::Kysely => kysely::emit(schema),
        Adapter::Raw => raw::emit(schema),
    };
    let drafted = match latest(migrations) {
        Ok(latest) => draft(latest.snapshot.as_ref(), schema),
        Err(error) => draft_of_problems(error),
    };
    with_directory("schemas", emitted)
        .chain(with_directory("migrations", drafted))
        .map(|file| OutputFile {
            path: file.path,
            text: Arc::new(file.text),
            generated_at: None,
        })
        .collect()
}

/// Returns the files with `directory` prepended to their paths.
fn with_directory(directory: &str, files: Vec<TextFile>) -> impl Iterator<Item = TextFile> {
    files.into_iter().map(move |file| TextFile {
        path: format!("{directory}/{}", file.path),
        ..file
    })
}
