//! The command `kit scaffold add entity`.

use kit_build::{Adapter, Analysis, BuildTime, analyze_with, default_table, imports, read_text};
use kit_scaffold::{Entity, EntityOptions, entity, interface_name, looks_plural};
use serde::Serialize;

use super::{APPLICATION, Arguments, WrittenAddition, refuse_below, refused_name};
use crate::commands::build_steps::request;
use crate::commands::migrate_generate::{pending_plan, refuse, write};
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::plugins::Plugins;
use crate::project::{Project, build_time};

/// Files that the generated files import. Each has the reason why the project must contain it.
const NEEDED: [(&str, &str); 2] = [
    ("src/database.ts", "the generated handlers import `db` from it"),
    (
        "tests/support.ts",
        "the generated test imports `startApp` from it",
    ),
];

/// Number of routes of an entity.
const OPERATIONS: usize = 5;

pub(super) async fn run(
    arguments: &Arguments,
    name: &str,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let project = Project::open(&arguments.common, context).await?;
    let time = build_time(context.environment)?;
    let made = plan(arguments, name, &project)?;
    let before = analyze(&project, &time, context).await?;
    refuse_clashes(&made, &before)?;
    // If earlier changes of the types lack a migration, this command writes none, because it would mix them with
    // the new table.
    let in_step = pending_plan(&before).map_err(refuse)?.is_empty();

    let on_disk = WrittenAddition::write(&project.root, &made.addition)?;
    let migration = match finish(&made, &before, &project, &time, in_step, context).await {
        Ok(migration) => migration,
        Err(stop) => {
            on_disk.undo()?;
            return Err(stop);
        }
    };
    let files: Vec<&str> = made
        .addition
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    context.console.json(&Report {
        status: "added",
        files: &files,
        changed: &[APPLICATION],
        migration: migration.as_deref(),
    });
    let migrated = migration.as_ref().map_or_else(
        || {
            format!(
                "the types already had changes that no migration contains: review them, then run `kit migrate:generate --name create_{}`",
                made.table
            )
        },
        |path| format!("{path} creates the table; run `kit migrate:apply` to apply this migration"),
    );
    context.console.result(&format!(
        "created {} and registered it in {APPLICATION}\n{migrated}\nnext: add the properties of the entity in {}",
        files.join(", "),
        files[0],
    ));
    Ok(())
}

/// Generates the files of the entity for this project. Writes nothing.
fn plan(arguments: &Arguments, name: &str, project: &Project) -> Result<Entity, CommandError> {
    refuse_below(&project.root, APPLICATION)?;
    let refused = |error: String| refused_name(name, &error);
    let interface = interface_name(name).map_err(refused)?;
    if arguments.plural.is_none() && looks_plural(name) {
        return Err(refused("it looks like a plural".to_owned())
            .help(&format!(
                "use the singular, such as `order-item`; if `{name}` is both singular and plural, write `--plural {name}`"
            ))
            .into());
    }
    for (path, why) in NEEDED {
        if read_text(&project.root.join(path))?.is_none() {
            return Err(Problem::scaffold(format!("there is no {path}: an entity needs this file, because {why}"))
                .at(path)
                .help("copy the file from a project of `kit scaffold init`, or use `kit scaffold add route`, which adds contracts without a database")
                .into());
        }
    }
    let application = read_text(&project.root.join(APPLICATION))?.unwrap_or_default();
    let plural = arguments
        .plural
        .clone()
        .unwrap_or_else(|| default_table(&interface).replace('_', "-"));
    let database = match project.config.adapter.adapter {
        Adapter::Drizzle => kit_scaffold::Adapter::Drizzle,
        Adapter::Kysely => kit_scaffold::Adapter::Kysely,
        Adapter::Raw => kit_scaffold::Adapter::Raw,
    };
    let options = EntityOptions {
        name,
        plural: &plural,
        database,
        guarded: imports(&application, "requireAuth"),
    };
    Ok(entity(&options).map_err(|error| refused_name(&plural, &error))?)
}

/// Analyzes the project. Fails if the project has mistakes.
async fn analyze(
    project: &Project,
    time: &BuildTime,
    context: &Context<'_>,
) -> Result<Analysis, CommandError> {
    let analysis = analyze_with(&request(project, time), &Plugins(context.host), &()).await?;
    if analysis.diagnostics.has_errors() {
        return Err(CommandError::Diagnostics(
            analysis.diagnostics,
            Box::new(analysis.sources),
        ));
    }
    Ok(analysis)
}

/// Refuses an entity whose names already exist in the project. The build after the addition finds other
/// conflicts.
fn refuse_clashes(made: &Entity, before: &Analysis) -> Result<(), CommandError> {
    let clash = if before.program.declaration(&made.interface).is_some() {
        format!("there is a type `{}` already", made.interface)
    } else if before.schema.tables.iter().any(|table| table.name == made.table) {
        format!("there is a table `{}` already", made.table)
    } else {
        return Ok(());
    };
    Err(Problem::scaffold(clash)
        .help("choose another name; nothing was changed")
        .into())
}

/// Analyzes the changed project and writes the migration. Returns the path of the migration, if one was written.
async fn finish(
    made: &Entity,
    before: &Analysis,
    project: &Project,
    time: &BuildTime,
    in_step: bool,
    context: &Context<'_>,
) -> Result<Option<String>, CommandError> {
    let after = analyze(project, time, context).await?;
    let table = after.schema.tables.iter().any(|table| table.name == made.table);
    let routes = after.program.routes.len() == before.program.routes.len() + OPERATIONS;
    if !table || !routes {
        let (option, file) = if table {
            ("routeFiles", &made.addition.files[1].path)
        } else {
            ("typeFiles", &made.addition.files[0].path)
        };
        return Err(Problem::scaffold(format!(
            "`{option}` of the configuration does not include {file}; nothing was changed"
        ))
        .help(&format!("add a glob that matches this file to `{option}`"))
        .into());
    }
    if !in_step {
        return Ok(None);
    }
    let name = format!("create_{}", made.table);
    let written = write(&project.root, time, &after, &name, context).await?;
    Ok(written.map(|written| format!("{}/{}", kit_build::MIGRATIONS, written.migration.name)))
}

#[derive(Serialize)]
struct Report<'a> {
    /// `added`.
    status: &'static str,
    /// Paths of new files.
    files: &'a [&'a str],
    /// Paths of edited files.
    changed: &'a [&'a str],
    /// Path of the migration; `None` if it was not written, because earlier changes of the types lack a
    /// migration.
    migration: Option<&'a str>,
}
