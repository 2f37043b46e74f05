//! Tests of this crate in one program, because linking a program for each file takes longer than compiling the tests.

mod build;
mod create_directory;
mod env_example;
mod plugins;
mod program_document;
mod program_types;
mod session;
#[path = "../support/mod.rs"]
mod support;
mod unsaved;
mod workspaces;
