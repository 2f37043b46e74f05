//! What fuzzing found interesting, and random files of fixed seeds, on every run of the tests.

mod support;

use support::{guarded, random, replay};

#[test]
fn any_bytes() {
    assert!(replay("text", kit_fuzz::text) >= 10);
}

#[test]
fn well_formed_types() {
    replay("types", kit_fuzz::types);
    let mut errors = 0;
    for seed in 0..400_u64 {
        let bytes = random(seed, 2_000);
        let source = kit_fuzz::source(&mut arbitrary::Unstructured::new(&bytes));
        errors += usize::from(source.len() < 300);
        guarded(&format!("seed {seed}:\n{source}"), &bytes, kit_fuzz::types);
    }
    assert!(errors < 40, "the generator makes next to nothing");
}
