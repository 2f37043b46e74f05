//! The command `kit scaffold add handler`.

use std::collections::BTreeMap;

use kit_build::{Analysis, MissingHandler, add_handlers, analyze_with, read_text, write_text};
use kit_diagnostics::Severity;
use kit_rust_server::{
    AddedHandler, Committed, HandlerEdit, MissingHandlers, Options, UnusedHandler, missing_handlers,
};
use serde::Serialize;

use super::Arguments;
use crate::commands::build_steps::request;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::plugins::Plugins;
use crate::project::{Project, build_time, has_rust_server};

pub(super) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let project = Project::open(&arguments.common, context).await?;
    let time = build_time(context.environment)?;
    let analysis = analyze_with(&request(&project, &time), &Plugins(context.host), &()).await?;
    let errors = analysis
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    // Each missing handler is an error of the analysis, too.
    if errors > analysis.missing_handlers.len() {
        return Err(CommandError::Diagnostics(
            analysis.diagnostics,
            Box::new(analysis.sources),
        ));
    }
    let wanted = arguments.name.as_deref();
    refuse_unknown(&analysis, wanted)?;
    let mut edits = typescript(&project, &analysis, wanted)?;
    let mut unused = Vec::new();
    if has_rust_server(&project.config) {
        let (more, of_no_contract) = rust(&project, &analysis, wanted)?;
        edits.extend(more);
        unused = of_no_contract;
    }
    if !arguments.dry_run {
        for edit in &edits {
            write_text(&project.root.join(&edit.path), &edit.text)?;
        }
    }
    report(&edits, &unused, wanted, arguments.dry_run, context);
    Ok(())
}

/// Returns true if a route is one that the user named: by its path with prefixes, by its key or by its group.
fn is_wanted(wanted: Option<&str>, names: &[&str]) -> bool {
    wanted.is_none_or(|wanted| names.contains(&wanted))
}

/// Refuses a name that is neither a route nor a group of the project.
fn refuse_unknown(analysis: &Analysis, wanted: Option<&str>) -> Result<(), CommandError> {
    let Some(name) = wanted else { return Ok(()) };
    let mut routes = analysis.program.routes.iter();
    let is_known = routes.any(|route| is_wanted(wanted, &[&route.reference(), &route.key, &route.group]));
    let mut missing = analysis.missing_handlers.iter();
    if is_known || missing.any(|handler| is_wanted(wanted, &[&handler.key, &handler.group])) {
        return Ok(());
    }
    Err(Problem::scaffold(format!("the project has no route `{}`", name.escape_debug()))
        .help("write a route such as `GET /notes/:id`, or the name of a contract group; `kit inspect routes` lists them")
        .into())
}

/// Returns the edits of handler maps in TypeScript.
fn typescript(
    project: &Project,
    analysis: &Analysis,
    wanted: Option<&str>,
) -> Result<Vec<HandlerEdit>, CommandError> {
    let mut by_map: BTreeMap<(&str, u32), Vec<&MissingHandler>> = BTreeMap::new();
    for handler in &analysis.missing_handlers {
        let reference = analysis
            .program
            .routes
            .iter()
            .find(|route| route.group == handler.group && route.key == handler.key)
            .map(kit_ir::Route::reference);
        let names = [
            handler.key.as_str(),
            &handler.group,
            reference.as_deref().unwrap_or(&handler.key),
        ];
        if is_wanted(wanted, &names) {
            let map = by_map.entry((&handler.path, handler.call)).or_default();
            // A map can be registered several times, with different prefixes.
            if map.iter().all(|known| known.key != handler.key) {
                map.push(handler);
            }
        }
    }
    let mut edits: Vec<HandlerEdit> = Vec::new();
    // Later maps of a file are edited first, so that the offsets of earlier maps stay valid.
    for ((path, call), handlers) in by_map.into_iter().rev() {
        let known = edits.iter().position(|edit| edit.path == path);
        let index = known.unwrap_or(edits.len());
        if known.is_none() {
            edits.push(HandlerEdit {
                path: path.to_owned(),
                text: read_text(&project.root.join(path))?.unwrap_or_default(),
                added: Vec::new(),
            });
        }
        let edit = &mut edits[index];
        let keys: Vec<&str> = handlers.iter().map(|handler| handler.key.as_str()).collect();
        edit.text = add_handlers(path.as_ref(), &edit.text, call, &keys).map_err(|why| {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            Problem::scaffold(format!("{path} cannot be edited: {why}; nothing was changed"))
                .at(path)
                .help(&format!("write the handlers of {} by hand", keys.join(", ")))
        })?;
        let added = keys.into_iter().map(|key| AddedHandler {
            route: key.to_owned(),
            function: key.to_owned(),
            is_complete: false,
        });
        edit.added.splice(0..0, added);
    }
    Ok(edits)
}

/// Returns the edits of handlers in Rust, and the handlers that no contract has.
fn rust(
    project: &Project,
    analysis: &Analysis,
    wanted: Option<&str>,
) -> Result<(Vec<HandlerEdit>, Vec<UnusedHandler>), CommandError> {
    let options = Options {
        output_dir: project.config.output_dir.clone(),
        migrations: analysis
            .migrations
            .iter()
            .map(|migration| Committed {
                name: migration.name.clone(),
                snapshot: migration.snapshot.as_ref().map(kit_database::Snapshot::to_json),
            })
            .collect(),
        ..Options::default()
    };
    let read = |path: &str| read_text(&project.root.join(path)).ok().flatten();
    let is_wanted = |reference: &str| {
        let mut routes = analysis.program.routes.iter();
        routes.any(|route| {
            route.reference() == reference && is_wanted(wanted, &[reference, &route.key, &route.group])
        })
    };
    let MissingHandlers {
        edits,
        refused,
        unused,
    } = missing_handlers(&analysis.program, &options, &read, &is_wanted);
    if let Some(refused) = refused.first() {
        let path = &refused.path;
        return Err(Problem::scaffold(format!(
            "{path} cannot be edited: {}; nothing was changed",
            refused.reason
        ))
        .at(path)
        .help(&refused.help)
        .into());
    }
    Ok((edits, unused))
}

fn report(
    edits: &[HandlerEdit],
    unused: &[UnusedHandler],
    wanted: Option<&str>,
    dry_run: bool,
    context: &Context<'_>,
) {
    let (status, verb) = if dry_run {
        ("planned", "would add")
    } else {
        ("added", "added")
    };
    context.console.json(&Report {
        status,
        changed: edits
            .iter()
            .map(|edit| ChangedFile {
                path: &edit.path,
                handlers: &edit.added,
            })
            .collect(),
        unused,
    });
    for UnusedHandler { path, function } in unused {
        context.console.result(&format!(
            "{path}: no contract has the handler `{function}`; delete it"
        ));
    }
    if edits.is_empty() {
        context.console.result(match wanted {
            Some(_) => "the named routes have handlers",
            None => "every route has a handler",
        });
        return;
    }
    for edit in edits {
        let count = quantity(edit.added.len(), "handler");
        context
            .console
            .result(&format!("{verb} {count} in {}:", edit.path));
        for handler in &edit.added {
            let note = if handler.is_complete { "" } else { ": to write" };
            context.console.result(&format!("  {}{note}", handler.route));
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    /// `added`, or `planned` with `--dry-run`.
    status: &'static str,
    /// Edited files.
    changed: Vec<ChangedFile<'a>>,
    /// Handlers in Rust whose contracts are gone.
    unused: &'a [UnusedHandler],
}

#[derive(Serialize)]
struct ChangedFile<'a> {
    path: &'a str,
    handlers: &'a [AddedHandler],
}
