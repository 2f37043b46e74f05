//! The command `kit scaffold add`.

mod entity;
mod handler;

use std::path::Path;

use clap::{Args, ValueEnum};
use kit_build::{Registration, create_file, read_text, register, remove_created, write_text};
use kit_scaffold::{Addition, Kind, addition};
use serde::Serialize;

use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::{below_project_error, root};

/// Path of the module that calls `createApp`.
const APPLICATION: &str = "src/app.ts";

/// Add an entity, a route group, a middleware or missing handlers to a project.
///
/// `entity`, `route` and `middleware` write new files, and register them in src/app.ts: they insert an import, and an entry in a list
/// of `createApp`. If kit cannot insert them, the command changes nothing and prints the code to write by hand.
///
/// `entity` writes a type with a table, the contracts of five operations, handlers that use the project's database, and a test,
/// and the migration that creates the table, unless other changes of the types have no migration yet. If the project would not
/// build with the entity, the command changes nothing.
///
/// `handler` adds a handler for each contract without a handler, to the file with the other handlers of the group: in TypeScript to
/// the object of `defineHandlers`, in Rust to the `impl` block of the group in `src/handlers/`. Existing code stays unchanged. A
/// handler that kit cannot generate throws an error, or answers 501 in Rust, until you write the handler.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit scaffold add entity order-item
  kit scaffold add entity person --plural people
  kit scaffold add route orders
  kit scaffold add middleware request-log
  kit scaffold add handler
  kit scaffold add handler \"GET /orders/:id\" --dry-run")]
pub(crate) struct Arguments {
    /// Kind of addition.
    kind: KindName,
    /// Name in lower-case words joined by `-`; for an entity, in the singular: `order-item`. For handlers: a route such as
    /// `GET /orders/:id`, or a contract group; without a name, all missing handlers.
    name: Option<String>,
    /// For entities: plural of the name, if the plural is irregular.
    #[arg(long, value_name = "NAME")]
    plural: Option<String>,
    /// For handlers: print the handlers that would be added, and write nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindName {
    /// A type with a table, and an API for it.
    Entity,
    /// Contracts and handlers below a path with this name.
    Route,
    /// A middleware that runs for every request.
    Middleware,
    /// Handlers for contracts that have none.
    Handler,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    if arguments.plural.is_some() && !matches!(arguments.kind, KindName::Entity) {
        return Err(Problem::scaffold(
            "`--plural` is for entities: routes, middleware and handlers have one name",
        )
        .into());
    }
    if arguments.dry_run && !matches!(arguments.kind, KindName::Handler) {
        return Err(
            Problem::scaffold("`--dry-run` is for handlers: other additions only create files").into(),
        );
    }
    let kind = match arguments.kind {
        KindName::Handler => return handler::run(arguments, context).await,
        KindName::Entity => return entity::run(arguments, name(arguments)?, context).await,
        KindName::Route => Kind::Route,
        KindName::Middleware => Kind::Middleware,
    };
    let name = name(arguments)?;
    let root = root(&arguments.common, context.environment)?;
    refuse_below(&root, APPLICATION)?;
    let addition = addition(kind, name).map_err(|error| refused_name(name, &error))?;
    WrittenAddition::write(&root, &addition)?;
    let files: Vec<&str> = addition.files.iter().map(|file| file.path.as_str()).collect();
    context.console.json(&Report {
        status: "added",
        files: &files,
        changed: &[APPLICATION],
    });
    context.console.result(&format!(
        "created {} and registered it in {APPLICATION}; `kit build` generates the rest",
        files.join(", ")
    ));
    Ok(())
}

/// Returns the name of the addition, which only handlers may lack.
fn name(arguments: &Arguments) -> Result<&str, CommandError> {
    arguments.name.as_deref().ok_or_else(|| {
        Problem::scaffold("the addition has no name")
            .help("name it: `kit scaffold add route orders`")
            .into()
    })
}

/// Refuses a directory inside of a project, such as `src/`, if it does not contain the file `needed`. The message names the
/// project.
fn refuse_below(root: &Path, needed: &str) -> Result<(), CommandError> {
    match below_project_error(root) {
        Some((problem, help)) if read_text(&root.join(needed))?.is_none() => {
            Err(Problem::scaffold(problem).help(&help).into())
        }
        _ => Ok(()),
    }
}

fn refused_name(name: &str, error: &str) -> Problem {
    Problem::scaffold(format!("`{}`: {error}", name.escape_debug()))
}

/// Files and an edit of `src/app.ts` that were written and can be undone.
struct WrittenAddition<'a> {
    root: &'a Path,
    addition: &'a Addition,
    /// Text of `src/app.ts` before the addition.
    application: String,
}

impl<'a> WrittenAddition<'a> {
    /// Writes the files and registers the addition in `src/app.ts`. If a step fails, the project stays unchanged.
    fn write(root: &'a Path, addition: &'a Addition) -> Result<Self, CommandError> {
        for file in &addition.files {
            if read_text(&root.join(&file.path))?.is_some() {
                return Err(Problem::scaffold(format!("{} already exists", file.path))
                    .at(&file.path)
                    .help("choose another name; nothing was changed")
                    .into());
            }
        }
        let path = root.join(APPLICATION);
        let text = read_text(&path)?;
        let (application, edited) = text
            .ok_or_else(|| "it does not exist".to_owned())
            .and_then(|text| {
                let edited = register(&text, &registration(addition))?;
                Ok((text, edited))
            })
            .map_err(|why| refused(addition, &why))?;
        let made = Self {
            root,
            addition,
            application,
        };
        let mut done = addition
            .files
            .iter()
            .try_for_each(|file| create_file(&root.join(&file.path), &file.text));
        if done.is_ok() {
            done = write_text(&path, &edited);
        }
        if let Err(error) = done {
            made.remove_files();
            return Err(error.into());
        }
        Ok(made)
    }

    /// Removes the new files and restores `src/app.ts`.
    fn undo(&self) -> Result<(), CommandError> {
        write_text(&self.root.join(APPLICATION), &self.application)?;
        self.remove_files();
        Ok(())
    }

    fn remove_files(&self) {
        for file in &self.addition.files {
            // The caller gets the first error. A second error from the cleanup would not help.
            let _ = remove_created(&self.root.join(&file.path));
        }
    }
}

fn registration(addition: &Addition) -> Registration {
    Registration {
        import: addition.import.clone(),
        from: addition.from.clone(),
        option: addition.option,
        entry: addition.entry.clone(),
    }
}

fn refused(addition: &Addition, why: &str) -> Problem {
    let Addition {
        import,
        from,
        option,
        entry,
        ..
    } = addition;
    Problem::scaffold(format!(
        "{APPLICATION} cannot be edited: {why}; nothing was changed"
    ))
    .at(APPLICATION)
    .help(&format!(
        "correct this problem, or write by hand: `import {{ {import} }} from \"{from}\";`, and `{entry}` in `{option}` of `createApp`"
    ))
}

#[derive(Serialize)]
struct Report<'a> {
    /// `added`.
    status: &'static str,
    /// Paths of new files.
    files: &'a [&'a str],
    /// Paths of edited files.
    changed: &'a [&'a str],
}
