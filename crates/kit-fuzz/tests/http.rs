//! Runs the HTTP engine with random inputs of fixed seeds, on every run of the tests.

mod support;

use support::{guarded, random};

/// Runs a target with the given number of seeds. `corpus.rs` runs the target with its corpus.
fn try_all(name: &str, run: fn(&[u8]), seeds: u64, length: usize) {
    for seed in 0..seeds {
        let bytes = random(seed, length);
        guarded(&format!("seed {seed} of {name}"), &bytes, run);
    }
}

#[test]
fn random_traffic_of_several_clients_satisfies_the_invariants() {
    try_all("http-traffic", kit_fuzz::http::traffic, 3000, 900);
}

#[test]
fn a_stream_in_chunks_has_the_same_result_as_a_whole_stream() {
    try_all("http-pieces", kit_fuzz::http::pieces, 3000, 400);
}

#[test]
fn the_guard_gives_the_same_result_for_every_division_into_chunks() {
    try_all("http-guard", kit_fuzz::http::guard, 3000, 200);
}
