//! Tests of this crate in one program, because linking a program for each file takes longer than compiling the tests.

mod apply;
mod branches;
mod caseless;
mod connections;
mod destructive;
mod drift;
mod edited;
mod enums;
mod halves;
mod halves_killed;
mod halves_refused;
mod halves_values;
mod hand_written;
mod killed;
mod locks;
mod pooled;
mod refusals;
mod releases;
mod schemas;
mod squash;
mod status;
mod steps;
mod triggers;
mod two_builds;
