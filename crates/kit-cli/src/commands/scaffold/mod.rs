//! The command `kit scaffold`.

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::failure::CommandError;

mod add;
pub(crate) mod init;
mod place;

/// Create a project, or add entities, routes, middleware and handlers to a project.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  kit scaffold init my-api
  kit scaffold init my-api --server fastify --db kysely
  kit scaffold init my-api --template minimal
  kit scaffold add entity order-item
  kit scaffold add route orders"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: ScaffoldCommand,
}

#[derive(Debug, Subcommand)]
enum ScaffoldCommand {
    Init(init::Arguments),
    Add(add::Arguments),
}

impl Arguments {
    /// Returns true if the command should print JSON.
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            ScaffoldCommand::Init(arguments) => arguments.json,
            ScaffoldCommand::Add(arguments) => arguments.common.json,
        }
    }
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    match &arguments.command {
        ScaffoldCommand::Init(arguments) => init::run(arguments, context),
        ScaffoldCommand::Add(arguments) => add::run(arguments, context).await,
    }
}
