//! Measures the memory of connections that are kept alive and send no requests.

use std::time::Duration;

use anyhow::{Context, bail};

use super::client::Client;
use super::subject::Subject;
use crate::repository::Repository;

/// Maximum memory for each connection, in bytes of the whole process.
const GOAL: usize = 5 * 1024;
const GET: &[u8] =
    b"GET /slow/0 HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\nuser-agent: kit-soak\r\naccept-encoding: gzip, br\r\n\r\n";

/// Opens connections to kit's native server and to node:http without a framework, and prints the memory that each
/// connection costs.
pub(crate) fn run(repository: &Repository, wanted: usize) -> anyhow::Result<bool> {
    let limit = open_files().unwrap_or(1024);
    let connections = wanted.min(limit.saturating_sub(300));
    if connections < wanted {
        println!(
            "idle: a process may open only {limit} files on this machine, so {connections} connections are measured"
        );
    }
    let kit = measure(Subject::application(repository, None)?, connections)?;
    let peer = measure(Subject::peer(repository)?, connections)?;
    println!(
        "idle: {connections} connections, each idle after one request; resident memory of the process per connection"
    );
    println!("  kit native  {:>6.2} KiB per connection", kibibytes(kit));
    println!("  node:http   {:>6.2} KiB per connection", kibibytes(peer));
    let holds = kit <= GOAL;
    if !holds {
        println!(
            "  FAILED: kit may use at most {:.0} KiB per connection",
            kibibytes(GOAL)
        );
    }
    Ok(holds)
}

#[allow(clippy::cast_precision_loss)] // only for display
fn kibibytes(bytes: usize) -> f64 {
    bytes as f64 / 1024.0
}

/// Returns the maximum number of files that this process may open. The server has the same limit.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the number of bytes of memory for each connection.
fn measure(subject: Subject, connections: usize) -> anyhow::Result<usize> {
    let open = |count: usize| -> anyhow::Result<Vec<Client>> {
        let mut clients = Vec::with_capacity(count);
        for index in 0..count {
            let mut client =
                Client::connect(subject.address).with_context(|| format!("connection {index}"))?;
            if client.exchange(GET)?.status != 200 {
                bail!("the first request on a connection did not get the status 200");
            }
            clients.push(client);
        }
        Ok(clients)
    };
    let at_rest = subject.resources()?.descriptors;
    // Warm up, because memory that is allocated only once, and code that V8 compiles, should not count.
    for _ in 0..3 {
        drop(open(1000)?);
    }
    subject.wait_for_descriptors(at_rest)?;
    let before = subject.resources()?;
    let mut clients = open(connections)?;
    std::thread::sleep(Duration::from_secs(2));
    let after = subject.resources()?;
    // Idle connections must still work.
    for client in &mut clients {
        if client.exchange(GET)?.status != 200 {
            bail!("the second request on an idle connection did not get the status 200");
        }
    }
    drop(clients);
    let left = subject.wait_for_descriptors(at_rest)?;
    if left > at_rest {
        bail!(
            "{left} descriptors are open after all clients have disconnected; before the first client, there were {at_rest}"
        );
    }
    subject.stop()?;
    Ok(after.resident.saturating_sub(before.resident) / connections)
}
