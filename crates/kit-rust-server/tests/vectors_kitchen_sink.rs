//! Runs the vectors of `conformance/validation.json` on the generated models of the kitchen sink, which has every
//! kind of type.

// A helper function may fail its test, and the doc comments of the models are written by the user.
#![allow(clippy::unwrap_used, missing_docs)]
#![deny(warnings)]
#![allow(clippy::pedantic, unreachable_pub, dead_code, unused_imports)] // a library's models in a program

#[rustfmt::skip] // unchanged generated code
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
fn passes_every_validation_vector_of_the_kitchen_sink() {
    let types = [
        Generated::of::<Choices>(),
        Generated::of::<Circle>(),
        Generated::of::<Containers>(),
        Generated::of::<Date>(),
        // Generated properties may be absent in a request.
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
