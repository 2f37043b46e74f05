//! The database in a build: tables, and the files that are generated from them.

use std::sync::Arc;

use kit_database::{
    Migration, Plan, PlanError, RenameTag, Schema, TextFile, committed, draft_of, draft_of_problems, drizzle,
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
fn pending(schema: &Schema, migrations: &[Migration]) -> PendingChanges {
    let planned = latest(migrations).and_then(|latest| plan(latest.snapshot.as_ref(), schema));
    counts(planned.as_ref())
}

fn counts(planned: Result<&Plan, &PlanError>) -> PendingChanges {
    match planned {
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

/// Generated schema files of an earlier build, with the inputs from which they were generated.
#[derive(Debug, Default)]
pub(crate) struct CachedDatabaseFiles(Option<DatabaseFiles>);

#[derive(Debug)]
struct DatabaseFiles {
    schema: Schema,
    migrations: Vec<Migration>,
    adapter: Adapter,
    files: Vec<OutputFile>,
    pending: PendingChanges,
}

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
        let known = self.0.take();
        let known = known.filter(|known| known.are_of(schema, migrations) && known.adapter == adapter);
        let files = known.unwrap_or_else(|| {
            let (files, pending) = artifacts(schema, migrations, adapter);
            DatabaseFiles {
                schema: schema.clone(),
                migrations: migrations.to_vec(),
                adapter,
                files,
                pending,
            }
        });
        self.0.insert(files).files.clone()
    }

    /// Counts the differences between the tables and the committed migrations.
    pub(crate) fn pending(&self, schema: &Schema, migrations: &[Migration]) -> PendingChanges {
        match &self.0 {
            Some(known) if known.are_of(schema, migrations) => known.pending,
            _ => pending(schema, migrations),
        }
    }
}

impl DatabaseFiles {
    fn are_of(&self, schema: &Schema, migrations: &[Migration]) -> bool {
        self.schema == *schema && self.migrations == migrations
    }
}

/// Generates the schema files and a preview of the next migration, whose changes are counted.
fn artifacts(
    schema: &Schema,
    migrations: &[Migration],
    adapter: Adapter,
) -> (Vec<OutputFile>, PendingChanges) {
    // A project without tables and without migrations needs no schema files.
    if schema.tables.is_empty() && migrations.is_empty() {
        return (Vec::new(), PendingChanges::default());
    }
    let emitted = match adapter {
        Adapter::Drizzle => drizzle::emit(schema),
        Adapter::Kysely => kysely::emit(schema),
        Adapter::Raw => raw::emit(schema),
    };
    let (drafted, pending) = match latest(migrations) {
        Ok(latest) => {
            let previous = latest.snapshot.as_ref();
            let planned = plan(previous, schema);
            let pending = counts(planned.as_ref());
            (draft_of(planned, previous, schema), pending)
        }
        Err(error) => {
            let pending = counts(Err(&error));
            (draft_of_problems(error), pending)
        }
    };
    let files = with_directory("schemas", emitted)
        .chain(with_directory("migrations", drafted))
        .map(|file| OutputFile {
            path: file.path,
            text: Arc::new(file.text),
            generated_at: None,
        });
    (files.collect(), pending)
}

/// Returns the files with `directory` prepended to their paths.
fn with_directory(directory: &str, files: Vec<TextFile>) -> impl Iterator<Item = TextFile> {
    files.into_iter().map(move |file| TextFile {
        path: format!("{directory}/{}", file.path),
        ..file
    })
}
