//! Checks the verdicts on the patterns of `conformance/patterns.json`. People write the fields `verdict` and `degree`
//! of that file. `KIT_BLESS=1` rewrites only the attacks, which tests then run on a real engine.

use kit_pattern::{Verdict, check};
use serde_json::{Map, Value, json};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/patterns.json");

fn verdict(pattern: &str) -> (&'static str, Option<u32>, Option<Value>) {
    let attack = |attack: kit_pattern::Attack| json!({ "prefix": attack.prefix, "pump": attack.pump, "suffix": attack.suffix });
    match check(pattern) {
        Verdict::Linear => ("linear", None, None),
        Verdict::Polynomial {
            degree,
            attack: found,
            ..
        } => ("polynomial", Some(degree), found.map(attack)),
        Verdict::Exponential { attack: found } => ("exponential", None, Some(attack(found))),
        Verdict::Unsupported { .. } => ("unsupported", None, None),
    }
}

// The library reads no files, but this test must.
#[allow(clippy::disallowed_methods)]
#[test]
fn classifies_every_pattern_of_the_corpus_as_expected() {
    let text = std::fs::read_to_string(CORPUS).unwrap();
    let corpus: Value = serde_json::from_str(&text).unwrap();
    let rows = corpus["patterns"].as_array().unwrap();
    assert!(rows.len() >= 140);
    let mut rewritten = Vec::new();
    let mut wrong = Vec::new();
    for row in rows {
        let pattern = row["pattern"].as_str().unwrap();
        let (found, degree, attack) = verdict(pattern);
        let expected = (row["verdict"].as_str().unwrap(), row["degree"].as_u64());
        if expected != (found, degree.map(u64::from)) {
            wrong.push(format!("{pattern} is {found} {degree:?}, not {expected:?}"));
        }
        if row.get("attack") != attack.as_ref() {
            wrong.push(format!("{pattern} has the attack {attack:?}"));
        }
        let mut row = row.as_object().cloned().unwrap_or_else(Map::new);
        row.remove("attack");
        row.extend(attack.map(|attack| ("attack".to_owned(), attack)));
        rewritten.push(format!("    {}", Value::Object(row)));
    }
    if std::env::var_os("KIT_BLESS").is_some() {
        let about = corpus["about"].to_string();
        let text = format!(
            "{{\n  \"about\": {about},\n  \"patterns\": [\n{}\n  ]\n}}\n",
            rewritten.join(",\n")
        );
        std::fs::write(CORPUS, text).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_maximum_length_makes_a_polynomial_pattern_harmless() {
    let quadratic = check("[a-z]+@");
    assert_eq!(quadratic.max_harmless_length(), Some(3162));
    assert!(quadratic.is_harmless(Some(3162)) && !quadratic.is_harmless(Some(3163)));
    assert!(!quadratic.is_harmless(None));
    assert!(!check("^(?:a+)+$").is_harmless(Some(10)));
    assert!(check("^a+$").is_harmless(None));
    assert_eq!(check("^(?:a?){40}a{40}$").max_harmless_length(), None);
}

#[test]
fn classifies_huge_patterns_within_seconds() {
    let patterns = [
        "(?:".repeat(150) + "a" + &")+".repeat(150),
        "(?:a?){1000}".repeat(100),
        "a{0,1000}".repeat(200),
        "(?:a|b)*".repeat(500),
        (0..1500).map(|n| n.to_string()).collect::<Vec<_>>().join("|"),
        format!(
            "^(?:{})+$",
            (100..700).map(|n| n.to_string()).collect::<Vec<_>>().join("|")
        ),
        "[^]*".repeat(1000),
        "((((((((((a{10}){10}){10}){10}){10}){10}){10}){10}){10}){10})".to_owned(),
        "a{4294967295}{4294967295}".to_owned(),
        "(?:a{99999999}){99999999}".to_owned(),
        "\\p{L}".repeat(800),
        format!("(?:{})*", "a?".repeat(400)),
        format!("(?:{}x)*", "(?:|a)".repeat(60)),
    ];
    for pattern in patterns {
        let start = std::time::Instant::now();
        let verdict = check(&pattern);
        let took = start.elapsed();
        // A generous limit for a debug build on a busy machine.
        assert!(
            took.as_secs() < 20,
            "{} took {took:?}: {verdict:?}",
            &pattern[..pattern.len().min(40)]
        );
    }
}
