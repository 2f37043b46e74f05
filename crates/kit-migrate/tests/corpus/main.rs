//! Migrations between models, on a real PostgreSQL with rows in it: cases that people wrote, and pairs made at random.

mod cases;
mod models;
mod random;
#[path = "../support/mod.rs"]
mod support;
