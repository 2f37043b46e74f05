//! HTTP/1.1 load generator for the benchmarks. One thread sends the same request again and again on several
//! connections, and waits for each response before it sends the next request.
//!
//! ```text
//! load 127.0.0.1:3000 --connections 64 --seconds 5 --expect 200 < request.txt
//! ```
//!
//! With `--size BYTES`, standard input contains several requests of this size, which are sent one after the other. They
//! can write different rows of a database; requests that write the same row would wait for each other.
//!
//! The program prints one line of JSON: `{"requests", "seconds", "p50_ms", "p99_ms", "max_ms"}`. A status other than
//! that of `--expect`, a closed connection, or no response for 5 seconds is an error, because results with wrong
//! responses are useless. The program only sends to loopback addresses.
#![allow(clippy::print_stdout)] // prints the result of the program

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

struct Options {
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    expect: String,
    requests: Requests,
}

/// Requests that are sent one after the other. After the last one, the first one is sent again.
#[derive(Default)]
struct Requests {
    all: Vec<u8>,
    /// Size of each request in bytes.
    size: usize,
    /// Number of requests that were sent so far.
    sent: usize,
}

impl Requests {
    fn next(&mut self) -> &[u8] {
        let start = self.sent * self.size % self.all.len();
        self.sent += 1;
        &self.all[start..start + self.size]
    }
}

struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    sent_at: Instant,
}

fn main() -> ExitCode {
    match options().and_then(run) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{}", format_args!("{{\"error\":{message:?}}}"));
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut arguments = std::env::args().skip(1);
    let address: SocketAddr = arguments
        .next()
        .ok_or(
            "usage: load ADDRESS [--connections N] [--seconds N] [--expect STATUS] [--size BYTES] < REQUESTS",
        )?
        .parse()
        .map_err(|error| format!("the address: {error}"))?;
    if !address.ip().is_loopback() {
        return Err("load is only sent to loopback addresses".to_owned());
    }
    let mut options = Options {
        address,
        connections: 64,
        duration: Duration::from_secs(3),
        expect: "200".to_owned(),
        requests: Requests::default(),
    };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<f64>().map_err(|error| format!("{name}: {error}"));
        match name.as_str() {
            "--connections" => {
                options.connections = value.parse().map_err(|error| format!("{name}: {error}"))?;
            }
            "--seconds" => options.duration = Duration::from_secs_f64(number()?.clamp(0.1, 60.0)),
            "--expect" => options.expect = value,
            "--size" => {
                options.requests.size = value.parse().map_err(|error| format!("{name}: {error}"))?;
            }
            _ => return Err(format!("unknown option {name}")),
        }
    }
    if !(1..=1024).contains(&options.connections) {
        return Err("--connections must be from 1 to 1024".to_owned());
    }
    let Requests { all, size, .. } = &mut options.requests;
    std::io::stdin()
        .read_to_end(all)
        .map_err(|error| error.to_string())?;
    if *size == 0 {
        *size = all.len();
    }
    if all.is_empty() || all.len() % *size != 0 {
        return Err(format!("standard input holds no requests of {size} bytes each"));
    }
    Ok(options)
}

fn run(mut options: Options) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut poll = Poll::new().map_err(text)?;
    let mut connections = Vec::with_capacity(options.connections);
    for token in 0..options.connections {
        let mut stream = std::net::TcpStream::connect(options.address).map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        stream.write_all(options.requests.next()).map_err(text)?;
        stream.set_nonblocking(true).map_err(text)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry()
            .register(&mut stream, Token(token), Interest::READABLE)
            .map_err(text)?;
        connections.push(Connection {
            stream,
            received: Vec::new(),
            sent_at: Instant::now(),
        });
    }
    let start = Instant::now();
    let mut events = Events::with_capacity(1024);
    // Duration of each request in microseconds.
    let mut times: Vec<u32> = Vec::with_capacity(1 << 20);
    let mut scratch = vec![0; 64 * 1024];
    let mut heard = Instant::now();
    loop {
        poll.poll(&mut events, Some(Duration::from_millis(100)))
            .map_err(text)?;
        let now = Instant::now();
        if now.duration_since(heard) > Duration::from_secs(5) {
            return Err("the server fell silent".to_owned());
        }
        for event in &events {
            heard = now;
            connections[event.token().0].answer(&mut options, &mut scratch, &mut times)?;
        }
        if start.elapsed() >= options.duration {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |share: usize| {
        let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |time| f64::from(*time) / 1000.0)
    };
    Ok(format!(
        r#"{{"requests":{},"seconds":{seconds:.3},"p50_ms":{},"p99_ms":{},"max_ms":{}}}"#,
        times.len(),
        at(50),
        at(99),
        at(100),
    ))
}

impl Connection {
    /// Reads the data that has arrived. If the response is complete, sends the next request.
    fn answer(
        &mut self,
        options: &mut Options,
        scratch: &mut [u8],
        times: &mut Vec<u32>,
    ) -> Result<(), String> {
        loop {
            let count = match self.stream.read(scratch) {
                Ok(0) => return Err("the server closed a connection".to_owned()),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            self.received.extend_from_slice(&scratch[..count]);
            if !is_complete(&self.received, &options.expect)? {
                continue;
            }
            self.received.clear();
            times.push(u32::try_from(self.sent_at.elapsed().as_micros()).unwrap_or(u32::MAX));
            self.sent_at = Instant::now();
            // The send buffer of the socket is empty now, and larger than a request, so one call sends the whole
            // request.
            self.stream
                .write_all(options.requests.next())
                .map_err(|error| error.to_string())?;
            if count < scratch.len() {
                return Ok(());
            }
        }
    }
}

/// Returns true if exactly one response with the expected status has arrived, and false if it is not complete yet.
fn is_complete(bytes: &[u8], expect: &str) -> Result<bool, String> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(false);
    };
    let head = std::str::from_utf8(&bytes[..end]).map_err(|error| error.to_string())?;
    if head.get(9..12) != Some(expect) {
        return Err(format!(
            "expected {expect}, got: {}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(500)])
        ));
    }
    // These responses have no body, even if they have the length of the body that they stand for.
    if expect == "304" || expect == "204" {
        return Ok(true);
    }
    if head.to_ascii_lowercase().contains("transfer-encoding") {
        return is_last_chunk_there(&bytes[end + 4..]);
    }
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(Ok(0), |(_, value)| value.trim().parse::<usize>())
        .map_err(|error| error.to_string())?;
    Ok(bytes.len() >= end + 4 + length)
}

/// Returns true if a chunked body is complete: if its chunk of the size 0 has arrived.
fn is_last_chunk_there(mut body: &[u8]) -> Result<bool, String> {
    loop {
        let Some(end) = body.windows(2).position(|two| two == b"\r\n") else {
            return Ok(false);
        };
        let size = std::str::from_utf8(&body[..end]).map_err(|error| error.to_string())?;
        let size = usize::from_str_radix(size, 16).map_err(|error| format!("chunk size {size}: {error}"))?;
        let next = end + 2 + size + 2;
        if body.len() < next {
            return Ok(false);
        }
        if size == 0 {
            return Ok(true);
        }
        body = &body[next..];
    }
}
