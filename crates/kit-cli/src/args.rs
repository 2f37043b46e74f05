//! Grammar of the command line, as clap types. clap derives the help, suggestions and shell
//! completions from it.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::{
    build, completions, db, dev, diff, doctor, explain, generate, inspect, lsp, mcp, migrate_apply,
    migrate_baseline, migrate_contract, migrate_expand, migrate_generate, migrate_squash, migrate_status,
    scaffold, test,
};
use crate::context::Context;
use crate::failure::CommandError;

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
  kit scaffold init my-api                   create a project that builds, runs and has tests
  kit build                                  write .kit/ from the project's types and contracts
  kit test --json                            run the project's tests; JSON lists the failures
  kit dev                                    serve the app, and restart it when a file is saved
  kit migrate:generate --name create_notes   write a migration for the changes of the types
  kit migrate:apply --dry-run                show the migrations that would be applied
  kit migrate:status                         compare the database with the migrations
  kit diff origin/main                       report changes that break clients or lose data
  kit doctor                                 check the project and the machine for problems
  kit explain KIT1302                        explain a diagnostic code

Exit codes: 0 success, 1 a mistake in the project or a failure of the environment,
2 wrong arguments, 70 a bug in kit, 130 Ctrl-C at a question. `kit diff` also has 3.
Colours: on a terminal, unless `--no-color` is given or NO_COLOR is set."
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print without colours on a terminal, as with `NO_COLOR=1`.
    // Every command accepts the option. It is hidden, because the help of `kit` mentions it once.
    #[arg(long, global = true, hide = true)]
    pub(crate) no_color: bool,
}

/// Subcommands of kit. The arguments and the help of a subcommand are in its own module.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Scaffold(scaffold::Arguments),
    /// Create a project that installs, builds, runs and passes its tests without changes.
    // `@kit/create` runs this command. It is `kit scaffold init` with the help of `npm create`.
    #[command(
        hide = true,
        override_usage = "npm create @kit@latest [NAME] -- [OPTIONS]",
        after_help = "\
Examples:
  npm create @kit@latest my-api
  npm create @kit@latest my-api -- --template minimal --server fastify
  pnpm create @kit@latest my-api --template browser
  yarn create @kit my-api --yes
  bun create @kit@latest my-api"
    )]
    Create(scaffold::init::Arguments),
    Build(build::Arguments),
    Dev(dev::Arguments),
    Generate(generate::Arguments),
    #[command(name = "generate:tests")]
    GenerateTests(generate::TestsArguments),
    #[command(name = "generate:openapi")]
    GenerateOpenapi(generate::OpenapiArguments),
    Test(test::Arguments),
    #[command(name = "test:contracts")]
    TestContracts(test::ContractArguments),
    #[command(name = "migrate:generate")]
    MigrateGenerate(migrate_generate::Arguments),
    #[command(name = "migrate:apply")]
    MigrateApply(migrate_apply::Arguments),
    #[command(name = "migrate:expand")]
    MigrateExpand(migrate_expand::Arguments),
    #[command(name = "migrate:contract")]
    MigrateContract(migrate_contract::Arguments),
    #[command(name = "migrate:baseline")]
    MigrateBaseline(migrate_baseline::Arguments),
    #[command(name = "migrate:squash")]
    MigrateSquash(migrate_squash::Arguments),
    #[command(name = "migrate:status")]
    MigrateStatus(migrate_status::Arguments),
    Db(db::Arguments),
    Inspect(inspect::Arguments),
    Diff(diff::Arguments),
    Doctor(doctor::Arguments),
    Explain(explain::Arguments),
    Lsp(lsp::Arguments),
    Mcp(mcp::Arguments),
    Completions(completions::Arguments),
}

impl Command {
    /// Returns true if the command should print JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Scaffold(arguments) => arguments.json(),
            Self::Create(arguments) => arguments.json,
            Self::Build(arguments) => arguments.common.json,
            Self::Test(arguments) => arguments.run.common.json,
            Self::TestContracts(arguments) => arguments.run.common.json,
            Self::MigrateGenerate(arguments) => arguments.common.json,
            Self::MigrateApply(arguments) => arguments.common.json,
            Self::MigrateExpand(arguments) => arguments.common.json,
            Self::MigrateContract(arguments) => arguments.common.json,
            Self::MigrateBaseline(arguments) => arguments.common.json,
            Self::MigrateSquash(arguments) => arguments.common.json,
            Self::MigrateStatus(arguments) => arguments.common.json,
            Self::Db(arguments) => arguments.json(),
            Self::Inspect(arguments) => arguments.json(),
            Self::Diff(arguments) => arguments.common.json,
            Self::Explain(arguments) => arguments.json,
            Self::Doctor(arguments) => arguments.common.json,
            Self::Generate(arguments) => arguments.json(),
            Self::GenerateTests(arguments) => arguments.common.json,
            Self::GenerateOpenapi(arguments) => arguments.common.json,
            Self::Dev(_) | Self::Lsp(_) | Self::Mcp(_) | Self::Completions(_) => false,
        }
    }

    /// Runs the command.
    pub(crate) async fn run(&self, context: &Context<'_>) -> Result<(), CommandError> {
        match self {
            Self::Scaffold(arguments) => scaffold::run(arguments, context).await,
            Self::Create(arguments) => scaffold::init::run(arguments, context),
            Self::Build(arguments) => build::run(arguments, context).await,
            Self::Test(arguments) => test::run(arguments, context).await,
            Self::TestContracts(arguments) => test::contracts(arguments, context).await,
            Self::Dev(arguments) => dev::run(arguments, context).await,
            Self::MigrateGenerate(arguments) => migrate_generate::run(arguments, context).await,
            Self::MigrateApply(arguments) => migrate_apply::run(arguments, context).await,
            Self::MigrateExpand(arguments) => migrate_expand::run(arguments, context).await,
            Self::MigrateContract(arguments) => migrate_contract::run(arguments, context).await,
            Self::MigrateBaseline(arguments) => migrate_baseline::run(arguments, context).await,
            Self::MigrateSquash(arguments) => migrate_squash::run(arguments, context).await,
            Self::MigrateStatus(arguments) => migrate_status::run(arguments, context).await,
            Self::Db(arguments) => db::run(arguments, context).await,
            Self::Inspect(arguments) => inspect::run(arguments, context).await,
            Self::Diff(arguments) => diff::run(&arguments.selection, &arguments.common, context).await,
            Self::Doctor(arguments) => doctor::run(arguments, context).await,
            Self::Generate(arguments) => generate::run(arguments, context).await,
            Self::GenerateTests(arguments) => generate::tests(arguments, context).await,
            Self::GenerateOpenapi(arguments) => generate::openapi(arguments, context).await,
            Self::Completions(arguments) => {
                completions::run(arguments, &mut CommandLine::command(), context);
                Ok(())
            }
            Self::Lsp(arguments) => lsp::run(arguments, context).await,
            Self::Mcp(arguments) => mcp::run(arguments, context).await,
            Self::Explain(arguments) => {
                explain::run(arguments, context);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::CommandLine;

    #[test]
    fn clap_finds_no_mistake_in_the_grammar_of_the_command_line() {
        CommandLine::command().debug_assert();
    }
}
