//! WebSocket load generator for the benchmarks. One thread sends the same text message on several connections, and waits for
//! the same message as the response before it sends the next one.
//!
//! ```text
//! socket_load 127.0.0.1:3000 --connections 64 --seconds 5 < message.json
//! ```
//!
//! The option `--path /ws` names the path of the WebSocket, which is `/` otherwise.
//!
//! The program prints one line of JSON: `{"messages", "seconds", "p50_ms", "p99_ms"}`. Another response, a closed connection,
//! or no response for 5 seconds is an error. A message has at most 125 bytes. The program only sends to loopback addresses.
#![allow(clippy::print_stdout)] // prints the result of the program

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

/// Head of the handshake after the path.
const HANDSHAKE: &str = " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
const MASK: [u8; 4] = [0x12, 0x34, 0x56, 0x78];

struct Options {
    address: SocketAddr,
    handshake: String,
    connections: usize,
    duration: Duration,
    /// Frame of the client.
    sent: Vec<u8>,
    /// Frame of the server.
    expected: Vec<u8>,
}

struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    sent_at: Instant,
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
        .ok_or("usage: socket_load ADDRESS [--path PATH] [--connections N] [--seconds N] < MESSAGE")?
        .parse()
        .map_err(|error| format!("the address: {error}"))?;
    if !address.ip().is_loopback() {
        return Err("load is only sent to loopback addresses".to_owned());
    }
    let (mut connections, mut seconds) = (64_usize, 3.0_f64);
    let mut path = "/".to_owned();
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let failed = |error: &dyn std::fmt::Display| format!("{name}: {error}");
        match name.as_str() {
            "--path" => path = value,
            "--connections" => connections = value.parse().map_err(|error| failed(&error))?,
            "--seconds" => seconds = value.parse().map_err(|error| failed(&error))?,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    if !(1..=1024).contains(&connections) {
        return Err("--connections must be from 1 to 1024".to_owned());
    }
    let mut message = Vec::new();
    std::io::stdin()
        .read_to_end(&mut message)
        .map_err(|error| error.to_string())?;
    let length = u8::try_from(message.len())
        .ok()
        .filter(|length| *length < 126)
        .ok_or("the message has more than 125 bytes")?;
    let masked = message
        .iter()
        .enumerate()
        .map(|(index, byte)| byte ^ MASK[index % 4]);
    let mut sent = vec![0x81, 0x80 | length];
    sent.extend(MASK);
    sent.extend(masked);
    let mut expected = vec![0x81, length];
    expected.extend(&message);
    Ok(Options {
        address,
        handshake: format!("GET {path}{HANDSHAKE}"),
        connections,
        duration: Duration::from_secs_f64(seconds.clamp(0.1, 60.0)),
        sent,
        expected,
    })
}

fn run(options: &Options) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut poll = Poll::new().map_err(text)?;
    let mut connections = Vec::with_capacity(options.connections);
    for token in 0..options.connections {
        let mut stream = open(options)?;
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
    // Duration of each exchange in microseconds.
    let mut times: Vec<u32> = Vec::with_capacity(1 << 20);
    let mut heard = Instant::now();
    while start.elapsed() < options.duration {
        poll.poll(&mut events, Some(Duration::from_millis(100)))
            .map_err(text)?;
        let now = Instant::now();
        if now.duration_since(heard) > Duration::from_secs(5) {
            return Err("the server fell silent".to_owned());
        }
        for event in &events {
            heard = now;
            connections[event.token().0].answer(options, &mut times)?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |share: usize| {
        let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |time| f64::from(*time) / 1000.0)
    };
    Ok(format!(
        r#"{{"messages":{},"seconds":{seconds:.3},"p50_ms":{},"p99_ms":{}}}"#,
        times.len(),
        at(50),
        at(99),
    ))
}

/// Opens a WebSocket and sends the first message.
fn open(options: &Options) -> Result<TcpStream, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut stream = std::net::TcpStream::connect(options.address).map_err(text)?;
    stream.set_nodelay(true).map_err(text)?;
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .map_err(text)?;
    stream.write_all(options.handshake.as_bytes()).map_err(text)?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).map_err(text)?;
        head.push(byte[0]);
    }
    if !head.starts_with(b"HTTP/1.1 101") {
        return Err(format!("no handshake: {}", String::from_utf8_lossy(&head)));
    }
    stream.write_all(&options.sent).map_err(text)?;
    stream.set_nonblocking(true).map_err(text)?;
    Ok(TcpStream::from_std(stream))
}

impl Connection {
    /// Reads the data that has arrived. If the response is complete, sends the next message.
    fn answer(&mut self, options: &Options, times: &mut Vec<u32>) -> Result<(), String> {
        let mut scratch = [0; 4096];
        loop {
            let count = match self.stream.read(&mut scratch) {
                Ok(0) => return Err("the server closed a connection".to_owned()),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            self.received.extend_from_slice(&scratch[..count]);
            if self.received.len() < options.expected.len() {
                continue;
            }
            if self.received != options.expected {
                return Err(format!("got: {}", String::from_utf8_lossy(&self.received)));
            }
            self.received.clear();
            times.push(u32::try_from(self.sent_at.elapsed().as_micros()).unwrap_or(u32::MAX));
            self.sent_at = Instant::now();
            // The send buffer of the socket is empty now, so one call sends the whole frame.
            self.stream
                .write_all(&options.sent)
                .map_err(|error| error.to_string())?;
            return Ok(());
        }
    }
}
