//! `kit generate` and its parts.

use std::path::PathBuf;

use clap::Args;
use kit_build::{Mode, read_text, write_text};
use serde::Serialize;

use super::build::{make, watched};
use crate::args::Common;
use crate::context::Context;
use crate::failure::{Problem, Stop};
use crate::project::Project;

/// Makes .kit/ and runs no compiler: the first half of `kit build`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit generate
  kit generate --json | jq .files.written")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
    let project = Project::open(&arguments.common, context).await?;
    make(&project, context, false).await
}

/// Writes the OpenAPI 3.1 document.
///
/// Makes .kit/ as `kit generate` does, and puts the document where it is wanted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit generate:openapi
  kit generate:openapi --out docs/openapi.json
  kit generate:openapi --out - | npx @redocly/cli lint /dev/stdin")]
pub(crate) struct OpenapiArguments {
    /// Where to; `-` is standard output. Without it openapi.json in the output directory.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn openapi(arguments: &OpenapiArguments, context: &Context<'_>) -> Result<(), Stop> {
    let console = context.console;
    let to_output = arguments.out.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_output && console.is_json() {
        return Err(Problem::build(
            "configuration",
            "`--out -` and `--json` both want standard output",
        )
        .help("leave one of them out")
        .into());
    }
    let project = Project::open(&arguments.common, context).await?;
    let report = watched(&project, context, Mode::Build).await?;
    let directory = project.root.join(&project.config.output_dir);
    let document = read_text(&directory.join("schemas/openapi.json"))?
        .ok_or_else(|| Problem::build("emit", "the document was removed while it was made"))?;
    if to_output {
        console.result(document.trim_end());
        return Ok(());
    }
    let path = match &arguments.out {
        // A path of the command line means the directory the command was given in.
        Some(path) => context
            .environment
            .current_dir()
            .map_err(|error| {
                Problem::build("emit", format!("the working directory cannot be used: {error}"))
            })?
            .join(path),
        None => directory.join("openapi.json"),
    };
    write_text(&path, &document)?;
    let shown = path
        .strip_prefix(&project.root)
        .unwrap_or(&path)
        .display()
        .to_string();
    console.json(&OpenapiReport {
        status: "generated",
        path: &shown,
        routes: report.counts.routes,
    });
    console.result(&format!("wrote {shown}"));
    Ok(())
}

#[derive(Serialize)]
struct OpenapiReport<'a> {
    status: &'static str,
    path: &'a str,
    routes: usize,
}
