//! `kit scaffold add`.

use clap::{Args, ValueEnum};
use kit_build::{Registration, create_file, read_text, register, remove_created, write_text};
use kit_scaffold::{Addition, Kind, addition};
use serde::Serialize;

use crate::args::Common;
use crate::context::Context;
use crate::failure::{Problem, Stop};
use crate::project::root;

/// Where a project's application factory is.
const APPLICATION: &str = "src/app.ts";

/// Adds a route group or a middleware to a project, and registers it in src/app.ts.
///
/// Writes new files only. In src/app.ts it inserts an import and an entry in front of the list of `createApp`, and
/// leaves the rest as it is; where it cannot, it changes nothing and says what to write by hand.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit scaffold add route orders
  kit scaffold add middleware request-log")]
pub(crate) struct Arguments {
    /// What to add.
    kind: KindName,
    /// Its name, lower-case words joined by `-`.
    name: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindName {
    /// Contracts and handlers under a path of that name.
    Route,
    /// A middleware for every request.
    Middleware,
}

pub(crate) fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
    let root = root(&arguments.common, context.environment)?;
    let kind = match arguments.kind {
        KindName::Route => Kind::Route,
        KindName::Middleware => Kind::Middleware,
    };
    let addition = addition(kind, &arguments.name)
        .map_err(|error| Problem::scaffold(format!("`{}`: {error}", arguments.name.escape_debug())))?;
    for file in &addition.files {
        if read_text(&root.join(&file.path))?.is_some() {
            return Err(Problem::scaffold(format!("{} is there already", file.path))
                .at(&file.path)
                .help("choose another name; nothing was changed")
                .into());
        }
    }
    let application = root.join(APPLICATION);
    let text = read_text(&application)?;
    let edited = text
        .ok_or_else(|| "it is not there".to_owned())
        .and_then(|text| register(&text, &registration(&addition)))
        .map_err(|why| refused(&addition, &why))?;
    let mut done = addition
        .files
        .iter()
        .try_for_each(|file| create_file(&root.join(&file.path), &file.text));
    if done.is_ok() {
        done = write_text(&application, &edited);
    }
    if let Err(error) = done {
        for file in &addition.files {
            // What went wrong is told; a file that stays behind as well is no news.
            let _ = remove_created(&root.join(&file.path));
        }
        return Err(error.into());
    }
    let files: Vec<&str> = addition.files.iter().map(|file| file.path.as_str()).collect();
    context.console.json(&Report {
        status: "added",
        files: &files,
        changed: &[APPLICATION],
    });
    context.console.result(&format!(
        "made {} and registered it in {APPLICATION}; `kit build` makes the rest",
        files.join(", ")
    ));
    Ok(())
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
        "mend that, or write by hand: `import {{ {import} }} from \"{from}\";`, and `{entry}` in `{option}` of `createApp`"
    ))
}

#[derive(Serialize)]
struct Report<'a> {
    /// `added`.
    status: &'static str,
    /// What was made.
    files: &'a [&'a str],
    /// What was edited.
    changed: &'a [&'a str],
}
