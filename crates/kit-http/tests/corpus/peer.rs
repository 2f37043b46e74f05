//! A server that responds with the parts of each request, and its client on the same thread.

use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use kit_http::{Config, Engine, Handler, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::case::Case;

pub(crate) struct Server {
    engine: Engine,
    handler: RefCell<Say>,
}

#[derive(Default)]
struct Say(Vec<(RequestId, Response)>);

impl Handler for Say {
    fn request(&mut self, id: RequestId, request: &Request) {
        let text = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
        let headers: Vec<_> = request
            .headers()
            .iter()
            .map(|(name, value)| format!("{name}: {}", text(value)))
            .collect();
        let said = json!({
            "method": request.method(), "target": request.target(), "body": text(request.body()),
            "headers": headers, "length": request.body_length(), "isTooLarge": request.body_too_large(),
            // hyper must write a response of this length.
            "padding": if request.path() == "/long" { "x".repeat(17_000) } else { String::new() },
        });
        let response = Response::json(200, said.to_string().into()).expect("a valid answer");
        self.0.push((id, response));
    }

    fn aborted(&mut self, _: RequestId) {}
}

impl Server {
    pub(crate) fn start(config: Config) -> Self {
        let config = Config {
            host: Some("127.0.0.1".into()),
            ..config
        };
        Self {
            engine: Engine::bind(config).expect("binds"),
            handler: RefCell::default(),
        }
    }

    /// Runs turns of the event loop until the engine has nothing to do.
    pub(crate) fn turn(&self) {
        self.engine.poll().expect("polls");
        while self.engine.has_work() {
            let mut handler = self.handler.borrow_mut();
            self.engine.drive(&mut *handler);
            for (id, response) in handler.0.drain(..) {
                self.engine.respond(id, response).expect("an open request");
            }
        }
    }
}

/// A response that the client received.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    body: Value,
}

impl Answer {
    /// Returns a property of the JSON in the body, or of the `error` in it.
    pub(crate) fn said(&self, key: &str) -> Option<&str> {
        let object = self.body.get("error").unwrap_or(&self.body);
        object.get(key)?.as_str()
    }
}

/// Everything that a client received.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) answers: Vec<Answer>,
    /// Bytes after the last complete response.
    pub(crate) rest: String,
    pub(crate) ended: bool,
}

pub(crate) struct Peer {
    stream: TcpStream,
    received: Vec<u8>,
    ended: bool,
}

impl Peer {
    pub(crate) fn connect(server: &Server) -> Self {
        let stream =
            TcpStream::connect(server.engine.local_addr().expect("a TCP address")).expect("connects");
        stream.set_nodelay(true).expect("an option");
        stream.set_nonblocking(true).expect("an option");
        server.turn();
        Self {
            stream,
            received: Vec::new(),
            ended: false,
        }
    }

    /// Sends bytes, runs the server, and reads the responses. The write may fail, because the server may
    /// have closed the connection.
    pub(crate) fn send(&mut self, server: &Server, bytes: &[u8]) {
        let sent = self.stream.write(bytes);
        assert!(
            self.ended || sent.is_ok_and(|count| count == bytes.len()),
            "the socket's buffer is full"
        );
        server.turn();
        self.read();
    }

    pub(crate) fn read(&mut self) {
        let mut chunk = [0; 16 * 1024];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.received.extend_from_slice(&chunk[..count]);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("the answer is lost: {error}"),
            }
            return;
        }
    }

    /// Closes the sending side, runs the server, and reads the responses.
    pub(crate) fn stop_sending(&mut self, server: &Server) {
        // The server may already have closed the connection.
        self.stream.shutdown(Shutdown::Write).ok();
        server.turn();
        self.read();
    }

    /// Returns all received bytes without dates and trace ids, and true if the connection has ended.
    pub(crate) fn all(&self) -> (String, bool) {
        let mut text = String::new();
        for line in String::from_utf8_lossy(&self.received).split_inclusive("\r\n") {
            let (before, after) = line.split_once(r#""traceId":""#).unwrap_or((line, ""));
            text.push_str(if before.starts_with("date: ") {
                "date"
            } else {
                before
            });
            text.push_str(after.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()));
        }
        (text, self.ended)
    }

    pub(crate) fn seen(&self, case: &Case) -> Seen {
        self.seen_with(case, &[])
    }

    /// Returns what the client received. After the bytes of the case, the client sent requests with the
    /// methods in `further`.
    pub(crate) fn seen_with(&self, case: &Case, further: &[&str]) -> Seen {
        // The response to HEAD has no body, so the method of each request must be known.
        let to_head = case.answers.iter().filter(|answer| answer.status != 100);
        let mut to_head = to_head
            .map(crate::case::Expected::is_to_head)
            .chain(further.iter().map(|method| *method == "HEAD"));
        let mut bytes = &self.received[..];
        let mut answers = Vec::new();
        while let Some((status, length, head)) = head_of(bytes) {
            let is_to_head = status != 100 && to_head.next().unwrap_or(false);
            let end = if is_to_head { head } else { head + length };
            if bytes.len() < end {
                break;
            }
            let body = serde_json::from_slice(&bytes[head..end]).unwrap_or(Value::Null);
            answers.push(Answer { status, body });
            bytes = &bytes[end..];
        }
        Seen {
            answers,
            rest: String::from_utf8_lossy(bytes).into_owned(),
            ended: self.ended,
        }
    }
}

/// Returns the status, the length of the body, and the length of the head of a response.
fn head_of(bytes: &[u8]) -> Option<(u16, usize, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let status = head
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| head.strip_prefix("HTTP/1.0 "))?;
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    Some((
        status.get(..3)?.parse().ok()?,
        length.map_or(Some(0), |length| length.parse().ok())?,
        end,
    ))
}
