//! Compares the speed of routers, with the sets of routes and requests in `bench/router`. Can also print the
//! route trees that `kit build` writes for these routes. `cargo xtask bench router` runs this program.
//!
//! ```text
//! compare documents|time SETS.json [rounds] [milliseconds]
//! ```
//!
//! The output is JSON.

// These lints are for the product, and this program is only for the repository.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod sets;
mod subjects;

use std::hint::black_box;
use std::time::{Duration, Instant};

use sets::{Expected, Request, Row, Set};
use subjects::{Answer, Subject, document, subjects};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise| {
        arguments
            .get(at)
            .map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let sets = sets::read(&arguments[1]);
    let output = match arguments[0].as_str() {
        "documents" => {
            let documents = sets
                .iter()
                .map(|set| serde_json::to_value(document(&set.routes)).unwrap());
            serde_json::Value::Array(documents.collect())
        }
        "time" => {
            let (rounds, milliseconds) = (number(2, 9), number(3, 5));
            let time = Duration::from_millis(milliseconds);
            let rows = sets.iter().flat_map(|set| timed(set, rounds, time));
            serde_json::to_value(rows.collect::<Vec<_>>()).unwrap()
        }
        other => panic!("`{other}` is neither documents nor time"),
    };
    println!("{output}");
}

/// Measures all routers in turns, for several rounds. The result of a router is its fastest round.
fn timed(set: &Set, rounds: u64, time: Duration) -> Vec<Row> {
    let loads = subjects(&set.routes);
    let mut subjects: Vec<_> = loads.iter().map(|(name, load)| (*name, load())).collect();
    let mut rows = Vec::new();
    for (scenario, requests) in &set.requests {
        if requests.is_empty() {
            continue;
        }
        let mut able: Vec<_> = subjects
            .iter_mut()
            .filter(|(_, subject)| match scenario.as_str() {
                "not-allowed" => subject.knows_methods(),
                "escaped" => subject.decodes(),
                _ => true,
            })
            .map(|(name, subject)| (*name, subject, Vec::new()))
            .collect();
        for (name, subject, _) in &mut able {
            check(name, subject.as_mut(), requests);
        }
        // The first round fills the caches of the processor. Its result is dropped.
        for round in 0..=rounds {
            for (_, subject, samples) in &mut able {
                let sample = nanoseconds(time, requests.len(), || {
                    for request in requests {
                        black_box(subject.find(black_box(&request.method), black_box(&request.path)));
                    }
                });
                if round > 0 {
                    samples.push(sample);
                }
            }
        }
        rows.extend(able.into_iter().map(|(name, _, samples)| Row {
            scenario: format!("{}/{scenario}", set.name),
            subject: name.to_owned(),
            metric: "ns",
            value: fastest(&samples),
            unit: "ns",
        }));
    }
    let mut samples = vec![Vec::new(); loads.len()];
    for _ in 0..rounds {
        for ((_, load), samples) in loads.iter().zip(&mut samples) {
            samples.push(nanoseconds(time, 1, || {
                black_box(load());
            }));
        }
    }
    rows.extend(loads.iter().zip(samples).map(|((name, _), samples)| Row {
        scenario: format!("{}/load", set.name),
        subject: (*name).to_owned(),
        metric: "ns",
        value: fastest(&samples),
        unit: "ns",
    }));
    rows
}

fn check(name: &str, subject: &mut dyn Subject, requests: &[Request]) {
    for request in requests {
        let (answer, expected) = (subject.find(&request.method, &request.path), &request.expected);
        let right = match answer {
            Answer::Route(route, _) => *expected == Expected::Route(route),
            Answer::NotFound => *expected == Expected::Refused("not-found".to_owned()),
            Answer::NotAllowed => *expected == Expected::Refused("not-allowed".to_owned()),
        };
        assert!(
            right,
            "{name} answers {answer:?} to {} {}",
            request.method, request.path
        );
    }
}

/// Returns the duration of one operation in nanoseconds. `run` performs `count` operations, and is repeated for
/// `time`.
#[allow(clippy::cast_precision_loss)] // far below 2^52
fn nanoseconds(time: Duration, count: usize, mut run: impl FnMut()) -> f64 {
    let (start, mut runs) = (Instant::now(), 0_usize);
    loop {
        run();
        runs += 1;
        let spent = start.elapsed();
        if spent >= time {
            return spent.as_nanos() as f64 / (runs * count) as f64;
        }
    }
}

/// Returns the smallest sample, because other programs on the machine can only make a round slower.
fn fastest(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}
