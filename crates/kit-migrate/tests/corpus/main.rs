//! Tests of migrations from one data model to another, on a real PostgreSQL with rows: cases written by hand, and
//! random pairs of models.

mod cases;
mod in_use;
mod models;
mod random;

use kit_test_postgres as support;
