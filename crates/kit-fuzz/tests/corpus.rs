//! Replays the inputs that fuzzing found, and random inputs with fixed seeds, on every run of the tests.

mod support;

use support::{files, guarded, random, replay};

#[test]
fn random_well_formed_types_satisfy_the_invariants() {
    let mut errors = 0;
    for seed in 0..400_u64 {
        let bytes = random(seed, 2_000);
        let source = kit_fuzz::source(&mut arbitrary::Unstructured::new(&bytes));
        errors += usize::from(source.len() < 300);
        guarded(&format!("seed {seed}:\n{source}"), &bytes, kit_fuzz::types);
    }
    assert!(errors < 40, "the generator makes next to nothing");
}

#[test]
fn every_target_accepts_its_corpus() {
    for name in files("fuzz_targets") {
        let name = name.trim_end_matches(".rs");
        let (_, run) = kit_fuzz::TARGETS
            .iter()
            .find(|(target, _)| *target == name)
            .unwrap_or_else(|| panic!("fuzz/fuzz_targets/{name}.rs is not in kit_fuzz::TARGETS"));
        assert!(replay(name, *run) >= 1, "fuzz/corpus/{name} is empty");
    }
}

#[test]
fn random_migrations_satisfy_the_invariants() {
    // Combines words, because random bytes seldom form SQL.
    const WORDS: [&str; 16] = [
        "drop ",
        "table ",
        "'",
        "\"",
        "$$",
        "$a$",
        ";",
        "\n",
        "--",
        "/*",
        "*/",
        "(",
        ")",
        "E'\\'",
        "begin atomic ",
        "a ",
    ];
    for seed in 0..2_000_u64 {
        let text: String = random(seed, 40)
            .iter()
            .map(|byte| WORDS[usize::from(byte % 16)])
            .collect();
        guarded(
            &format!("seed {seed}: {text}"),
            text.as_bytes(),
            kit_fuzz::migration,
        );
    }
}
