//! Tests of this crate in one program, because linking a program for each file takes longer than compiling the tests.

mod adoption;
mod adoption_of_many;
mod archives;
mod build;
mod build_watch;
mod dev;
mod diff;
mod diff_commits;
mod diff_jobs;
mod diff_options;
mod diff_routes;
mod explain;
mod generate_deploy;
mod inspect;
mod inspect_large;
mod inspect_sidecar;
mod lsp;
mod migrations;
mod scaffold;
mod scaffold_add;
mod scaffold_handler;
mod session;
mod support;
mod templates;
mod testing;
mod usage;
