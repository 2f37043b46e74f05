//! The command line's grammar. Help, suggestions and completions all come from here.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand};
use kit_diagnostics::Code;

use crate::commands::explain;

/// Typed HTTP APIs from TypeScript types.
#[derive(Debug, Parser)]
#[command(
    name = "kit",
    version,
    about,
    max_term_width = 100,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    styles = Styles::styled()
        .header(AnsiColor::Green.on_default().bold())
        .usage(AnsiColor::Green.on_default().bold())
        .literal(AnsiColor::Cyan.on_default())
        .placeholder(AnsiColor::Cyan.on_default()),
    after_help = "\
Examples:
  kit build                                  make .kit/ from the project's types and contracts
  kit migrate:generate --name create_notes   write a migration for what the types changed
  kit migrate:apply --dry-run                show what would be applied to the database
  kit explain KIT1302                        say more about a mistake that a build reported

Exit codes: 0 done, 1 a mistake in the project or a failure around it, 2 wrong usage."
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Makes .kit/ from the project's types and contracts.
    ///
    /// Reads the configuration (kit.config.ts, or `kit` in package.json), the types, the contracts and the application
    /// factory, and writes validators, serializers, routes, the OpenAPI document and schema files. Files that did not
    /// change are not touched; a build with an error changes nothing.
    #[command(after_help = "\
Examples:
  kit build
  kit build --root examples/notes
  kit build --json | jq .counts")]
    Build {
        #[command(flatten)]
        common: Common,
    },
    /// Writes a migration for what the types changed since the last one.
    ///
    /// Compares the tables that the types describe with the snapshot of the newest migration in migrations/, and writes
    /// migrations/<timestamp>_<name>/ with the SQL, the changes and the new snapshot. Writes nothing where nothing changed.
    #[command(
        name = "migrate:generate",
        after_help = "\
Examples:
  kit migrate:generate --name create_notes
  kit migrate:generate --name add_archived --json"
    )]
    MigrateGenerate {
        /// What the migration does, in a few words.
        #[arg(long)]
        name: String,
        #[command(flatten)]
        common: Common,
    },
    /// Applies the migrations that the database does not have yet.
    ///
    /// The database is the one that `DATABASE_URL` names, or the project's embedded PostgreSQL. Each migration runs in a
    /// transaction of its own; one that would destroy data is refused without --allow-destructive.
    #[command(
        name = "migrate:apply",
        after_help = "\
Examples:
  kit migrate:apply
  kit migrate:apply --dry-run
  DATABASE_URL=postgres://localhost/notes kit migrate:apply --json"
    )]
    MigrateApply {
        /// Only show what would be applied.
        #[arg(long)]
        dry_run: bool,
        /// Also apply migrations that drop tables or columns.
        #[arg(long)]
        allow_destructive: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Says more about a code that a build reported.
    ///
    /// Prints the page of the documentation: what the code means, an example, and what to write instead. Without a code it
    /// lists all of them.
    #[command(after_help = "\
Examples:
  kit explain KIT1302
  kit explain 1302 --json | jq -r .page
  kit explain")]
    Explain {
        /// The code, such as KIT1302.
        #[arg(value_parser = explain::parse)]
        code: Option<Code>,
        /// Print JSON on standard output, and nothing else there.
        #[arg(long)]
        json: bool,
    },
}

/// What every command that works on a project takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The project's root.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Print JSON on standard output, and nothing else there.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Command {
    /// Whether the result is to be JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Build { common }
            | Self::MigrateGenerate { common, .. }
            | Self::MigrateApply { common, .. } => common.json,
            Self::Explain { json, .. } => *json,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::CommandLine;

    #[test]
    fn the_grammar_is_sound() {
        CommandLine::command().debug_assert();
    }
}
