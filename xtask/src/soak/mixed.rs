//! Sends requests of all kinds for minutes, mostly from clients that disconnect early, and measures the memory and
//! the descriptors that the server keeps.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use super::client::Client;
use super::subject::{Resources, Subject};
use crate::interrupt;
use crate::repository::Repository;

/// Duration of a round. After each round, the clients pause and the resources of the server are measured.
const ROUND: Duration = Duration::from_secs(15);
const CLIENTS: u64 = 8;
/// Maximum growth of the heap between the warm-up and the end, in bytes.
const HEAP_SLACK: usize = 3 * 1024 * 1024;
/// Maximum growth of resident memory in bytes. The limit is larger than the limit of the heap, because an
/// allocator does not return all memory.
const RESIDENT_SLACK: usize = 16 * 1024 * 1024;

/// Number of descriptors that the sidecar and telemetry need: connections to the collector that stay open, and files
/// of the store that are opened when they are first used.
const OBSERVER_DESCRIPTORS: usize = 8;

/// Runs the load on the application, and prints its resources after each round.
pub(crate) fn run(repository: &Repository, duration: Duration) -> anyhow::Result<bool> {
    run_rounds("mixed", Subject::application(repository, None)?, duration)
}

/// Runs the same load with the sidecar, its store and telemetry on. The sidecar is queried after each round.
pub(crate) fn run_observed(repository: &Repository, duration: Duration) -> anyhow::Result<bool> {
    let collector = Subject::collector(repository)?;
    let directory = repository.target().join("soak-store");
    if directory.exists() {
        std::fs::remove_dir_all(&directory)
            .context("the directory with the store of an earlier run cannot be removed")?;
    }
    let store = directory.join("history.db");
    let subject = Subject::observed(repository, collector.address, &store)?;
    let holds = run_rounds("observed", subject, duration)?;
    println!(
        "  the store of the sidecar has {:.1} MiB",
        mebibytes(usize::try_from(std::fs::metadata(&store)?.len())?)
    );
    Ok(holds)
}

/// Sends a request to each endpoint of the sidecar.
fn query_sidecar(sidecar: SocketAddr) -> anyhow::Result<()> {
    for path in [
        "requests?limit=1000",
        "errors?limit=1000",
        "logs?level=trace&limit=1000",
        "spans",
        "traces",
        "performance?window=24h",
        "health",
        "routes",
    ] {
        let mut client = Client::connect(sidecar)?;
        let request =
            format!("GET /_debug/{path} HTTP/1.1\r\nhost: localhost\r\nx-debug-key: of-the-soak\r\n\r\n");
        expect(Some(client.exchange(request.as_bytes())?.status), 200)?;
    }
    Ok(())
}

fn run_rounds(name: &str, subject: Subject, duration: Duration) -> anyhow::Result<bool> {
    let observers = subject.sidecar.map_or(0, |_| OBSERVER_DESCRIPTORS);
    let at_rest = subject.resources()?.descriptors + observers;
    let rounds = (duration.as_secs() / ROUND.as_secs()).max(3);
    println!(
        "{name}: {CLIENTS} clients send requests in {rounds} rounds of {} s",
        ROUND.as_secs()
    );
    println!("  round   actions   resident MiB   heap MiB   descriptors");
    let mut samples: Vec<Resources> = Vec::new();
    let mut messages = BTreeMap::new();
    let mut holds = true;
    for round in 1..=rounds {
        let actions = run_round(subject.address, round)?;
        if interrupt::interrupted() {
            return Ok(true);
        }
        if let Some(sidecar) = subject.sidecar {
            query_sidecar(sidecar)?;
        }
        let left = subject.wait_for_descriptors(at_rest)?;
        let resources = subject.resources()?;
        println!(
            "  {round:>5} {actions:>9} {:>14.1} {:>10.1} {left:>13}",
            mebibytes(resources.resident),
            mebibytes(resources.heap)
        );
        if left > at_rest {
            println!("  FAILED: only {at_rest} descriptors were open before the first client");
            holds = false;
        }
        samples.push(resources);
        count_messages(&subject.logged(), &mut messages);
    }
    // The first third of the measurements is the warm-up.
    let third = samples.len() / 3;
    let lowest = |part: &[Resources], read: fn(&Resources) -> usize| part.iter().map(read).min().unwrap_or(0);
    let (early, late) = (&samples[third..=third], &samples[samples.len() - third.max(1)..]);
    for (name, read, slack) in [
        (
            "the heap",
            (|resources: &Resources| resources.heap) as fn(&Resources) -> usize,
            HEAP_SLACK,
        ),
        ("resident memory", |resources| resources.resident, RESIDENT_SLACK),
    ] {
        let (before, after) = (lowest(early, read), lowest(late, read));
        if after > before + slack {
            println!(
                "  FAILED: {name} grew from {:.1} to {:.1} MiB",
                mebibytes(before),
                mebibytes(after)
            );
            holds = false;
        }
    }
    println!("  number of log entries by level and message:");
    for ((level, message), times) in &messages {
        println!("    {times:>6} {level} {message}");
        if level == "error" || level == "fatal" {
            println!(
                "  FAILED: the level must be lower, because this is an error of a client and not of the application"
            );
            holds = false;
        }
    }
    if !subject.stop()? {
        println!("  FAILED: the exit code of the application was not 0");
        holds = false;
    }
    Ok(holds)
}

#[allow(clippy::cast_precision_loss)] // only for display
fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / 1024.0 / 1024.0
}

fn count_messages(lines: &[String], messages: &mut BTreeMap<(String, String), usize>) {
    for line in lines {
        let entry: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        let text = |key: &str| entry[key].as_str().unwrap_or("?").to_owned();
        *messages.entry((text("level"), text("message"))).or_default() += 1;
    }
}

/// Runs one round. Returns the number of things that the clients did.
fn run_round(address: SocketAddr, round: u64) -> anyhow::Result<u64> {
    let done = AtomicBool::new(false);
    let actions = AtomicU64::new(0);
    let failure = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (done, actions) = (&done, &actions);
                scope.spawn(move || -> anyhow::Result<()> {
                    let mut random = Random(round * 1000 + client + 1);
                    while !done.load(Ordering::Relaxed) {
                        run_random_action(address, &mut random)?;
                        actions.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        let begun = Instant::now();
        while begun.elapsed() < ROUND
            && !interrupt::interrupted()
            && !clients.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            thread::sleep(Duration::from_millis(50));
        }
        done.store(true, Ordering::Relaxed);
        clients
            .into_iter()
            .find_map(|client| client.join().ok().and_then(Result::err))
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(actions.into_inner()),
    }
}

/// Generator of pseudorandom numbers (xorshift). They are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % limit
    }
}

const HOST: &str = "host: localhost\r\nauthorization: Bearer ada:user\r\n";

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{HOST}\r\n")
}

fn post(body: &str) -> String {
    let length = body.len();
    format!(
        "POST /notes HTTP/1.1\r\n{HOST}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn run_random_action(address: SocketAddr, random: &mut Random) -> anyhow::Result<()> {
    let mut client = Client::connect(address)?;
    let disconnect = |client: Client, random: &mut Random| {
        if random.below(2) == 0 {
            client.reset();
        }
    };
    match random.below(12) {
        0..=3 => check_responses(&mut client, random)?,
        // Many requests at once, whose responses are all read.
        4 => {
            std::io::Write::write_all(&mut client.stream, get("/slow/0").repeat(30).as_bytes())?;
            for _ in 0..30 {
                expect(client.read_response()?.ok().map(|response| response.status), 200)?;
            }
        }
        // Many requests at once, then the client disconnects.
        5 => {
            send(&mut client, get("/slow/3").repeat(50).as_bytes());
            disconnect(client, random);
        }
        // Half of a request head, then the client disconnects.
        6 => {
            send(&mut client, &get("/slow/1").as_bytes()[..20]);
            disconnect(client, random);
        }
        // An incomplete request body, with a `content-length` or in chunks.
        7 => {
            let framing = ["content-length: 800000", "transfer-encoding: chunked"]
                [usize::try_from(random.below(2)).unwrap_or(0)];
            let head = format!(
                "POST /notes HTTP/1.1\r\n{HOST}content-type: application/json\r\n{framing}\r\n\r\nfffff\r\n"
            );
            send(&mut client, head.as_bytes());
            send(&mut client, &vec![b'x'; 200_000]);
            disconnect(client, random);
        }
        // A client that does not read the responses.
        8 => {
            send(&mut client, get("/large").repeat(8).as_bytes());
            let mut buffer = [0; 1000];
            let _ = std::io::Read::read(&mut client.stream, &mut buffer);
            thread::sleep(Duration::from_millis(random.below(100)));
            disconnect(client, random);
        }
        // The client disconnects before the response.
        9 => {
            send(&mut client, get("/slow/200").as_bytes());
            thread::sleep(Duration::from_millis(random.below(4)));
            disconnect(client, random);
        }
        10 => {
            let response = client.exchange(b"GET / HTTP/1.1\r\n\r\n")?;
            expect(Some(response.status), 400)?;
        }
        // A body above the size limit, which the server rejects while the client still sends it.
        _ => {
            let head = format!(
                "POST /notes HTTP/1.1\r\n{HOST}content-type: application/json\r\ncontent-length: 3000000\r\n\r\n"
            );
            send(&mut client, head.as_bytes());
            send(&mut client, &vec![b'x'; 100_000]);
            expect(client.read_response()?.ok().map(|response| response.status), 413)?;
        }
    }
    Ok(())
}

/// Sends several valid and invalid requests and checks their responses.
fn check_responses(client: &mut Client, random: &mut Random) -> anyhow::Result<()> {
    for _ in 0..=random.below(20) {
        let body = format!(
            r#"{{"title":"Groceries","content":"{}","archived":false}}"#,
            "x".repeat(usize::try_from(random.below(9000)).unwrap_or(0))
        );
        let response = client.exchange(post(&body).as_bytes())?;
        expect(Some(response.status), 201)?;
        let note: Value = serde_json::from_slice(&response.body)?;
        let path = format!("/notes/{}", note["id"].as_str().unwrap_or_default());
        expect(Some(client.exchange(get(&path).as_bytes())?.status), 200)?;
        expect(Some(client.exchange(post("{").as_bytes())?.status), 400)?;
    }
    Ok(())
}

fn expect(status: Option<u16>, expected: u16) -> anyhow::Result<()> {
    if status != Some(expected) {
        bail!("expected the status {expected}, received {status:?}");
    }
    Ok(())
}

/// Sends bytes and ignores errors, because the server may close the connection after a rejection.
fn send(client: &mut Client, bytes: &[u8]) {
    let _ = std::io::Write::write_all(&mut client.stream, bytes);
}
