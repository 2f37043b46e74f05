//! Measures the memory of clients that read a stream slowly, and the throughput for fast readers.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::subject::Subject;
use crate::repository::Repository;

/// Maximum memory for each slow reader, in bytes of the whole process. The guide's page on streams says how many of
/// these bytes are queued data.
const GOAL: usize = 64 * 1024;
/// Number of bytes that a fast reader reads.
const BYTES: usize = 256 * 1024 * 1024;
const GET: &[u8] = b"GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// Opens streams that nobody reads on kit's native server and on node:http without a framework. Also measures how
/// fast each sends one stream.
pub(crate) fn run(repository: &Repository, readers: usize) -> anyhow::Result<bool> {
    let kit = measure(Subject::application(repository, None)?, readers)?;
    let peer = measure(Subject::peer(repository)?, readers)?;
    println!(
        "readers: {readers} clients that stop reading a stream: resident memory of the process per client; and the throughput of one fast client"
    );
    for (name, cost) in [("kit native", &kit), ("node:http", &peer)] {
        println!(
            "  {name:<11} {:>7.1} KiB per slow client, {:>6.0} MiB/s to the fast client",
            cost.slow / 1024.0,
            cost.fast / 1024.0 / 1024.0
        );
    }
    #[allow(clippy::cast_precision_loss)] // only for display
    let holds = kit.slow <= GOAL as f64;
    if !holds {
        println!(
            "  FAILED: kit may use at most {} KiB per slow client",
            GOAL / 1024
        );
    }
    Ok(holds)
}

struct Cost {
    /// Number of bytes of memory for each slow reader.
    slow: f64,
    /// Throughput to the fast reader, in bytes per second.
    fast: f64,
}

#[allow(clippy::cast_precision_loss)] // only for display
fn measure(subject: Subject, readers: usize) -> anyhow::Result<Cost> {
    let at_rest = subject.resources()?.descriptors;
    // Warm up, because memory that is allocated only once, and code that V8 compiles, should not count.
    drop(open(&subject, 100)?);
    let mut fast = 0.0_f64;
    for _ in 0..3 {
        fast = fast.max(read_fast(&subject)?);
    }
    subject.wait_for_descriptors(at_rest)?;
    let before = subject.resources()?;
    let clients = open(&subject, readers)?;
    // Wait until the socket buffers of the operating system are full.
    std::thread::sleep(Duration::from_secs(4));
    let after = subject.resources()?;
    drop(clients);
    let left = subject.wait_for_descriptors(at_rest)?;
    if left > at_rest {
        bail!(
            "{left} descriptors are open after all clients have disconnected; before the first client, there were {at_rest}"
        );
    }
    subject.stop()?;
    Ok(Cost {
        slow: after.resident.saturating_sub(before.resident) as f64 / readers as f64,
        fast,
    })
}

/// Opens connections that receive a stream, and reads only the beginning of each response.
fn open(subject: &Subject, count: usize) -> anyhow::Result<Vec<TcpStream>> {
    let mut clients = Vec::with_capacity(count);
    for index in 0..count {
        let mut client =
            TcpStream::connect(subject.address).with_context(|| format!("connection {index}"))?;
        client.write_all(GET)?;
        let mut head = [0; 12];
        client.read_exact(&mut head)?;
        if &head != b"HTTP/1.1 200" {
            bail!("the request for the stream did not get the status 200");
        }
        clients.push(client);
    }
    Ok(clients)
}

#[allow(clippy::cast_precision_loss)] // only for display
fn read_fast(subject: &Subject) -> anyhow::Result<f64> {
    let mut client = TcpStream::connect(subject.address)?;
    client.set_read_timeout(Some(Duration::from_secs(30)))?;
    client.write_all(GET)?;
    let mut buffer = vec![0; 256 * 1024];
    let (begun, mut read) = (Instant::now(), 0);
    while read < BYTES {
        match client.read(&mut buffer)? {
            0 => bail!("the stream ended too early"),
            count => read += count,
        }
    }
    Ok(read as f64 / begun.elapsed().as_secs_f64())
}
