//! Replays paths that fuzzing found, and random paths with fixed seeds, on every run of the tests.

mod support;

use support::{guarded, random, replay};

/// Chunks of paths that have a special meaning, so that random paths reach more code.
const PIECES: [&str; 24] = [
    "/",
    "admin",
    "users",
    "%61dmin",
    "@me",
    "%40me",
    "%2F",
    "%2f",
    "%25",
    "%5C",
    "..",
    ".",
    "%2e",
    "%C3%A9",
    "%c3%a9",
    "caf\u{e9}",
    "files",
    "a%20b",
    "%",
    "%zz",
    "%C3",
    "x%2fy",
    "a:b",
    "a%3ab",
];

#[test]
fn a_path_has_one_normal_form_and_one_route() {
    assert!(replay("paths", kit_fuzz::paths) >= 20);
    for seed in 0..4000_u64 {
        let bytes = random(seed, 24);
        guarded(&format!("seed {seed}"), &bytes, kit_fuzz::paths);
        let mut data = bytes[..8].to_vec();
        for byte in &bytes[8..8 + usize::from(bytes[0] % 14)] {
            data.extend_from_slice(PIECES[usize::from(*byte) % PIECES.len()].as_bytes());
        }
        guarded(&format!("seed {seed} in pieces"), &data, kit_fuzz::paths);
    }
}
