//! Tests of migrations between models, on a real PostgreSQL with rows: cases written by hand, and random pairs.

mod cases;
mod models;
mod random;
#[path = "../support/mod.rs"]
mod support;
