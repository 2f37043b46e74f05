//! The vectors of `conformance/validation.json` on generated models of every kind of type.

// Helpers of tests may unwrap as tests do; the models' own documentation is the users'.
#![allow(clippy::unwrap_used, missing_docs)]
#![deny(warnings)]
#![allow(clippy::pedantic, unreachable_pub, dead_code, unused_imports)] // A library's models, in a program.

#[rustfmt::skip] // As it is generated.
#[path = "goldens/kitchen-sink/kit/models/mod.rs"]
mod models;
mod vectors;

use models::{
    Choices, Circle, Containers, Date, DefaultsInput, Email, Entangled, Figure, GetFilesByPathParams,
    GetOpenQuery, GetSearchQuery, Json, Matrix, Numbers, OddNames, OddOptional, Pair, Person, Scalars,
    Strings, Team, Tree, Unions, UserAccountInput,
};
use vectors::{Generated, run};

#[test]
fn every_vector_passes() {
    let types = [
        Generated::of::<Choices>(),
        Generated::of::<Circle>(),
        Generated::of::<Containers>(),
        Generated::of::<Date>(),
        // What the system makes may be absent in a request.
        Generated::of::<DefaultsInput>(),
        Generated::of::<Email>(),
        Generated::of::<Entangled>(),
        Generated::of::<Figure>(),
        Generated::of::<GetFilesByPathParams>(),
        Generated::of::<GetOpenQuery>(),
        Generated::of::<GetSearchQuery>(),
        Generated::of::<Json>(),
        Generated::of::<Matrix>(),
        Generated::of::<Numbers>(),
        Generated::of::<OddNames>(),
        Generated::of::<OddOptional>(),
        Generated::of::<Pair>(),
        Generated::of::<Person>(),
        Generated::of::<Scalars>(),
        Generated::of::<Strings>(),
        Generated::of::<Team>(),
        Generated::of::<Tree>(),
        Generated::of::<Unions>(),
        Generated::of::<UserAccountInput>(),
    ];
    run("kitchen-sink", &types);
}
