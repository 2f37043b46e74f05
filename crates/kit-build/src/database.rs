//! What a project stores: tables, and the files that come of them.

use std::sync::Arc;

use kit_database::{
    Migration, Plan, PlanError, RenameTag, Schema, TextFile, committed, draft, drizzle, kysely, latest, plan,
    raw, refused, rename_tags,
};
use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
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

/// The tables of a program. Columns that the migrations have made keep the form that they have.
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

/// What there would be to migrate.
pub(crate) fn pending(schema: &Schema, migrations: &[Migration]) -> PendingChanges {
    match ahead(schema, migrations) {
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

fn ahead(schema: &Schema, migrations: &[Migration]) -> Result<Plan, PlanError> {
    plan(latest(migrations)?.snapshot.as_ref(), schema)
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
    // A project that never had a table has no use for any of it.
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
        Err(error) => refused(error),
    };
    below("schemas", emitted)
        .chain(below("migrations", drafted))
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
