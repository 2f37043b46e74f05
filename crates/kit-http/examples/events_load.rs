//! Load generator for Server-Sent Events. Many clients wait for events, and one publisher sends an event, waits until every
//! client has received it, and sends the next one.
//!
//! ```text
//! events_load 127.0.0.1:3000 --connections 1000 --seconds 5 < message.json
//! ```
//!
//! The clients send `GET /events`, the publisher `POST /events` with the JSON text of standard input, which is the data of the
//! event. The program prints one line of JSON: `{"events", "deliveries", "seconds", "p50_ms", "p99_ms"}`, with the time from
//! the publication to the last client. Other data, a closed connection, or nothing for 10 seconds is an error. The program
//! only sends to loopback addresses.
#![allow(clippy::print_stdout)] // prints the result of the program

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

const SUBSCRIPTION: &[u8] = b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
const PATIENCE: Duration = Duration::from_secs(10);

struct Options {
    address: SocketAddr,
    connections: usize,
    duration: Duration,
    /// Request of the publisher.
    publication: Vec<u8>,
    /// Text that each client receives for a publication.
    expected: Vec<u8>,
}

struct Client {
    stream: TcpStream,
    received: Vec<u8>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
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
        .ok_or("usage: events_load ADDRESS [--connections N] [--seconds N] < MESSAGE")?
        .parse()
        .map_err(|error| format!("the address: {error}"))?;
    if !address.ip().is_loopback() {
        return Err("load is only sent to loopback addresses".to_owned());
    }
    let (mut connections, mut seconds) = (1000_usize, 3.0_f64);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let failed = |error: &dyn std::fmt::Display| format!("{name}: {error}");
        match name.as_str() {
            "--connections" => connections = value.parse().map_err(|error| failed(&error))?,
            "--seconds" => seconds = value.parse().map_err(|error| failed(&error))?,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    // Most systems allow a process 1024 open files.
    if !(1..=1000).contains(&connections) {
        return Err("--connections must be from 1 to 1000".to_owned());
    }
    let mut message = String::new();
    std::io::stdin()
        .read_to_string(&mut message)
        .map_err(|error| error.to_string())?;
    let publication = format!(
        "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    Ok(Options {
        address,
        connections,
        duration: Duration::from_secs_f64(seconds.clamp(0.1, 60.0)),
        publication: publication.into_bytes(),
        expected: format!("event: message\ndata: {message}\n\n").into_bytes(),
    })
}

fn run(options: &Options) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut poll = Poll::new().map_err(text)?;
    let mut clients = Vec::with_capacity(options.connections);
    // All subscriptions are sent before a head is read: a server may wait for the first event before it sends the head.
    let streams: Result<Vec<_>, String> = (0..options.connections)
        .map(|_| connect(options, SUBSCRIPTION))
        .collect();
    for (token, mut stream) in streams?.into_iter().enumerate() {
        let head = read_head(&mut stream)?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(format!("no stream of events: {head}"));
        }
        stream.set_nonblocking(true).map_err(text)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry()
            .register(&mut stream, Token(token), Interest::READABLE)
            .map_err(text)?;
        clients.push(Client {
            stream,
            received: Vec::new(),
        });
    }
    // A server may begin a subscription only after the head of its response.
    std::thread::sleep(Duration::from_millis(300));
    let mut publisher = connect(options, b"")?;
    let mut events = Events::with_capacity(1024);
    // Duration of each publication in microseconds.
    let mut times: Vec<u32> = Vec::with_capacity(1 << 16);
    let start = Instant::now();
    while start.elapsed() < options.duration {
        let published = Instant::now();
        publisher.write_all(&options.publication).map_err(text)?;
        let mut missing = clients.len();
        while missing > 0 {
            if published.elapsed() > PATIENCE {
                return Err(format!("{missing} clients received nothing"));
            }
            poll.poll(&mut events, Some(Duration::from_millis(100)))
                .map_err(text)?;
            for event in &events {
                if clients[event.token().0].receive(&options.expected)? {
                    missing -= 1;
                }
            }
        }
        times.push(u32::try_from(published.elapsed().as_micros()).unwrap_or(u32::MAX));
        let head = read_head(&mut publisher)?;
        if !head.starts_with("HTTP/1.1 204") {
            return Err(format!("the publisher received: {head}"));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |share: usize| {
        let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |time| f64::from(*time) / 1000.0)
    };
    Ok(format!(
        r#"{{"events":{},"deliveries":{},"seconds":{seconds:.3},"p50_ms":{},"p99_ms":{}}}"#,
        times.len(),
        times.len() * clients.len(),
        at(50),
        at(99),
    ))
}

/// Connects and sends bytes.
fn connect(options: &Options, bytes: &[u8]) -> Result<std::net::TcpStream, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut stream = std::net::TcpStream::connect(options.address).map_err(text)?;
    stream.set_nodelay(true).map_err(text)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(text)?;
    stream.write_all(bytes).map_err(text)?;
    Ok(stream)
}

/// Reads the head of a response, and no byte after the head.
fn read_head(stream: &mut std::net::TcpStream) -> Result<String, String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).map_err(|error| error.to_string())?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

impl Client {
    /// Reads the data that has arrived. Returns true if an event is complete.
    fn receive(&mut self, expected: &[u8]) -> Result<bool, String> {
        let mut scratch = [0; 4096];
        loop {
            match self.stream.read(&mut scratch) {
                Ok(0) => return Err("the server closed a connection".to_owned()),
                Ok(count) => self.received.extend_from_slice(&scratch[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        let mut places = self.received.windows(expected.len());
        let Some(at) = places.position(|bytes| bytes == expected) else {
            if self.received.len() > 4 * expected.len() {
                let received = String::from_utf8_lossy(&self.received);
                return Err(format!("a client received another text: {received}"));
            }
            return Ok(false);
        };
        // The end of a chunk may stay.
        self.received.drain(..at + expected.len());
        Ok(true)
    }
}
