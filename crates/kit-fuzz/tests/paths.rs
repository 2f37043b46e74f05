//! Runs the fuzz target for paths with its corpus, and with random paths from fixed seeds.

mod support;

use support::{guarded, random, replay};

/// Parts of random paths. They have a special meaning in paths, so the tests reach more code than
/// with random bytes.
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
fn every_spelling_of_a_path_has_the_same_normal_form_and_route() {
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
