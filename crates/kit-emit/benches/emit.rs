//! Benchmark of emitting a whole application, by the application's size. Run with `cargo bench -p kit-emit`.
//!
//! The time per entity must stay about constant. If it grows, an emitter scans the whole program for each type or
//! route.

use kit_test_programs as support;

use divan::{Bencher, black_box};
use kit_emit::{EmitOptions, emit};

fn main() {
    divan::main();
}

/// Emits an application of the given size. 60 entities give 1,320 types and 300 routes.
#[divan::bench(args = [15, 60, 240])]
fn application(bencher: Bencher<'_, '_>, entities: usize) {
    let program = support::large::program(entities);
    let tree = support::tree(&program);
    let options = EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "large".to_owned(),
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: std::collections::BTreeSet::new(),
        tests: None,
    };
    bencher.bench_local(|| emit(black_box(&program), &tree, &options));
}
