//! The commands, one module per command.

pub(crate) mod build;
mod build_json;
pub(crate) mod build_steps;
mod build_watch;
pub(crate) mod change_lines;
pub(crate) mod completions;
pub(crate) mod db;
pub(crate) mod db_pull;
pub(crate) mod dev;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod generate;
mod hand_written;
pub(crate) mod inspect;
mod left_out;
pub(crate) mod lsp;
pub(crate) mod mcp;
pub(crate) mod migrate_apply;
pub(crate) mod migrate_baseline;
pub(crate) mod migrate_contract;
pub(crate) mod migrate_expand;
pub(crate) mod migrate_generate;
mod migrate_limits;
pub(crate) mod migrate_status;
pub(crate) mod scaffold;
pub(crate) mod test;
