//! Runs the fuzz targets with the inputs of their corpora, and with random inputs from fixed seeds.

mod support;

use support::{files, guarded, random, replay};

#[test]
fn compiler_handles_random_types_without_panics_or_differences() {
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
fn random_tables_have_schema_files_and_migrations() {
    let runs = std::env::var("KIT_RUNS").map_or(200, |text| text.parse().expect("KIT_RUNS"));
    let mut complete = 0;
    for seed in 0..runs {
        let bytes = random(seed, 400);
        guarded(&format!("seed {seed}"), &bytes, |data| {
            kit_fuzz::tables(data);
        });
        complete += u64::from(kit_fuzz::tables(&bytes));
    }
    assert!(
        complete > runs / 10,
        "only {complete} of {runs} models have no error"
    );
}

#[test]
fn every_fuzz_target_accepts_the_inputs_of_its_corpus() {
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
fn random_sql_is_split_into_statements_without_loss() {
    // Random SQL consists of these words, because random bytes are seldom SQL.
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
