//! Tests of migrations between models, on a real PostgreSQL with rows: cases written by hand, and random pairs.

mod cases;
mod models;
mod random;

use kit_test_postgres as support;
