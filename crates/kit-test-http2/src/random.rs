//! Frames with random changes.

#![allow(clippy::print_stdout)] // Reason: the output of a failed test has the seed.

use crate::client::Outcome::Response;
use crate::client::{GOAWAY, PING};
use crate::{Target, frame_cases, request_cases};

/// Sends the bytes of random cases with random changes on 200 connections, and checks that the server still responds. The variable
/// `KIT_RANDOM_CONNECTIONS` sets another number. `KIT_RANDOM_SEED` repeats a test with the seed that the test has printed.
pub fn serves_others_after_random_frames(target: &Target) {
    let number = |name: &str| Some(std::env::var(name).ok()?.parse::<u64>().unwrap());
    let seed = number("KIT_RANDOM_SEED").unwrap_or_else(|| fastrand::u64(..));
    let connections = number("KIT_RANDOM_CONNECTIONS").unwrap_or(200);
    println!("KIT_RANDOM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let cases: Vec<Vec<u8>> = frame_cases::all()
        .into_iter()
        .chain(request_cases::all())
        .map(|case| case.bytes)
        .collect();
    for _ in 0..connections {
        let mut bytes = Vec::new();
        for _ in 0..random.usize(1..6) {
            bytes.extend(&cases[random.usize(..cases.len())]);
        }
        for _ in 0..random.usize(..8) {
            if bytes.is_empty() {
                break;
            }
            let place = random.usize(..bytes.len());
            match random.u8(..4) {
                0 => drop(bytes.remove(place)),
                1 => bytes.insert(place, random.u8(..)),
                2 => bytes.truncate(place + 1),
                _ => bytes[place] = random.u8(..),
            }
        }
        let mut client = target.open();
        client.write(&bytes);
        if random.bool() {
            // The server answers PING, or ends the connection. Without this, the client leaves at once.
            client.send(PING, 0, 0, &[0; 8]);
            client
                .0
                .sock
                .set_read_timeout(Some(std::time::Duration::from_millis(20)))
                .unwrap();
            while client.read().is_some_and(|frame| frame.kind != GOAWAY) {}
        }
    }
    let mut client = target.open();
    client.get(1, "/origin");
    assert_eq!(client.outcome(1).0, Response(200));
}
