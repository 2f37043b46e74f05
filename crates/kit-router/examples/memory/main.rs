//! Measures the heap memory of the routers that `compare` measures. It is a separate program, because counting the
//! memory makes allocations slower.
//!
//! ```text
//! memory SETS.json
//! ```

// These lints are for the product, and this program is only for the repository.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../compare/sets.rs"]
#[allow(dead_code)] // requests are not used here
mod sets;
#[path = "../compare/subjects.rs"]
#[allow(dead_code)]
mod subjects;

#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

fn main() {
    let path = std::env::args().nth(1).expect("a file of sets");
    let rows: Vec<_> = sets::read(&path).iter().flat_map(memory).collect();
    println!("{}", serde_json::to_string(&rows).unwrap());
}

/// Returns the heap memory of each router in bytes, after it has loaded the routes.
#[allow(clippy::cast_precision_loss)] // far below 2^52
fn memory(set: &sets::Set) -> Vec<sets::Row> {
    let row = |(name, load): &(&'static str, subjects::Load<'_>)| {
        let before = ALLOCATOR.current_usage();
        let subject = load();
        let bytes = ALLOCATOR.current_usage() - before;
        drop(subject);
        sets::Row {
            scenario: format!("{}/memory", set.name),
            subject: (*name).to_owned(),
            metric: "bytes",
            value: bytes as f64,
            unit: "B",
        }
    };
    subjects::subjects(&set.routes).iter().map(row).collect()
}
