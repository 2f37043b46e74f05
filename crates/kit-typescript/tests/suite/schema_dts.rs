//! Test with the package `schema-dts`, whose types all refer to each other. It is a development dependency of
//! the repository. The test is alone in its file, because it measures the processor time of the process.
#![allow(clippy::disallowed_methods)] // Reason: reads a package from the repository's `node_modules`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use kit_typescript::Output;

/// Maximum processor time until a type of the package is refused.
const LIMIT: Duration = Duration::from_secs(2);

/// Number of measurements. Only the fastest counts, because other programs on the machine can slow down some
/// of them.
const ATTEMPTS: usize = 3;

const PACKAGE: [&str; 4] = [
    "node_modules/schema-dts/package.json",
    "node_modules/schema-dts/dist/schema.d.ts",
    "node_modules/schema-dts-lib/package.json",
    "node_modules/schema-dts-lib/dist/index.d.ts",
];

const TYPES: &str = "\
import type { PostalAddressLeaf } from \"schema-dts\";

export interface Fine {
  id: string;
}

export interface Customer {
  id: string;
  postalCode: PostalAddressLeaf[\"postalCode\"];
}
";

#[test]
fn refuses_a_type_of_schema_dts_within_two_seconds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for path in PACKAGE {
        let Ok(text) = fs::read_to_string(root.join(path)) else {
            eprintln!(
                "SKIPPED refuses_a_type_of_schema_dts_within_two_seconds: {path} is not installed (npm ci)"
            );
            return;
        };
        texts.push(text);
    }
    let mut files = vec![("src/customers.types.ts", TYPES)];
    files.extend(PACKAGE.into_iter().zip(texts.iter().map(String::as_str)));

    let mut fastest = Duration::MAX;
    for _ in 0..ATTEMPTS {
        let (time, output) = measure(|| crate::support::output(&files));
        is_refused(&output);
        fastest = fastest.min(time);
        if fastest <= LIMIT {
            break;
        }
    }
    println!("refused after {fastest:?}");
    assert!(fastest <= LIMIT, "{fastest:?} of processor time for the refusal");
}

fn is_refused(output: &Output) {
    let found: Vec<_> = output.diagnostics.iter().collect();
    let [refusal] = found.as_slice() else {
        panic!("one refusal is expected:\n{}", crate::support::mistakes(output));
    };
    assert_eq!(refusal.code.name(), "KIT1320");
    assert_eq!(
        refusal.message,
        "`Customer` takes more than 100000 steps to compile"
    );
    let label = refusal.primary().expect("a location");
    assert_eq!(label.path, "src/customers.types.ts");
    assert_eq!(&TYPES[label.range.clone()], "Customer");
    let names: Vec<&str> = output
        .program
        .declarations
        .iter()
        .map(|declaration| declaration.name.as_str())
        .collect();
    assert!(names.contains(&"Fine"), "{names:?}");
}

/// Runs a function and returns the processor time that it took.
fn measure<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let (clock, before) = (Instant::now(), processor_time());
    let result = work();
    let elapsed = clock.elapsed();
    let time = before
        .zip(processor_time())
        .map_or(elapsed, |(before, after)| after.saturating_sub(before));
    (time, result)
}

/// Returns the processor time of this process. It is known only on Linux; elsewhere the result is `None`.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in parentheses and may contain spaces. User time and system time are the fields 14 and 15,
    // in hundredths of a second.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}
