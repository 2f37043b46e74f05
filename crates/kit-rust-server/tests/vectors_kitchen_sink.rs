//! The vectors of `conformance/validation.json` on generated models of every kind of type that has a Rust form.

// Helpers of tests may unwrap as tests do; the models' own documentation is the users'.
#![allow(clippy::unwrap_used, missing_docs)]
#![deny(warnings)]
#![allow(clippy::pedantic, unreachable_pub, dead_code, unused_imports)] // A library's models, in a program.

#[rustfmt::skip] // As it is generated.
#[path = "goldens/kitchen-sink/kit/models/mod.rs"]
mod models;
mod vectors;

use models::{
    Circle, Date, Email, Entangled, Figure, GetFilesByPathParams, GetOpenQuery, Json, Matrix, OddNames,
    OddOptional, Pair, Person, Team, Tree,
};
use vectors::{Generated, run};

#[test]
fn every_vector_of_a_type_with_a_rust_form_passes() {
    let types = [
        Generated::of::<Circle>(),
        Generated::of::<Date>(),
        Generated::of::<Email>(),
        Generated::of::<Entangled>(),
        Generated::of::<Figure>(),
        Generated::of::<GetFilesByPathParams>(),
        Generated::of::<GetOpenQuery>(),
        Generated::of::<Json>(),
        Generated::of::<Matrix>(),
        Generated::of::<OddNames>(),
        Generated::of::<OddOptional>(),
        Generated::of::<Pair>(),
        Generated::of::<Person>(),
        Generated::of::<Team>(),
        Generated::of::<Tree>(),
    ];
    // Why each of these has none stands in goldens/kitchen-sink/problems.txt.
    let unsupported = [
        "Choices",
        "Containers",
        "Defaults",
        "GetSearchQuery",
        "Numbers",
        "Scalars",
        "Strings",
        "Unions",
        "UserAccount",
    ];
    run("kitchen-sink", &types, &unsupported);
}
