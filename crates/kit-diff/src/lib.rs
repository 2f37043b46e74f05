//! Comparison of two states of an application: changes that break clients, each with a value that shows the break.
//!
//! The command `kit diff` calls [`compare`] with the programs of two builds. A request breaks if clients of the old contract
//! can send a value that the new server refuses. An answer breaks if the new server can send a value that the old type does
//! not contain. Both are questions about sets of JSON values, and the module `solve` answers them exactly, or says that it
//! cannot decide.
//!
//! Meaning of a type as a set of values:
//! - A sender sends only declared properties. A receiver drops properties that it does not declare, as kit's decoders do.
//! - Requests are all values that the old server accepts, for example a `bigint` as a string or as a number. Answers are the
//!   values that the new server writes.
//! - Parameters, headers, cookies and forms are texts: `number` accepts less than `string`, and nothing else.
//!
//! Invariants: all functions are pure functions of the programs without I/O. Every search ends after a limited number of
//! steps. A value in a [`Change`] with `certain` was checked against both types.

mod describe;
mod explain;
mod finding;
mod graph;
mod media_type;
mod number;
mod report;
mod routes;
mod solve;
mod text;

pub use report::{Change, Consequence};
pub use routes::compare;
