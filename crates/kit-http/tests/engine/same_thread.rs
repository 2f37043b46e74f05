//! Test helpers: an engine and its clients on one thread. The test thereby controls the order of events.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kit_http::{
    Config, Engine, Handler, Request, RequestId, Response, SocketMessage, Timeouts, UploadFailure,
    UploadPart, WriteResult,
};

/// Callbacks that the engine has called.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) requests: Vec<RequestId>,
    pub(crate) drained: usize,
    pub(crate) aborted: Vec<RequestId>,
    /// Number of requests whose clients have disconnected.
    pub(crate) left: usize,
    /// Number of bytes that a request declares and that its handler reads in chunks; `None` if it declares none.
    pub(crate) declared: Vec<Option<u64>>,
    /// Bytes of all bodies that were read in chunks.
    pub(crate) body: Vec<u8>,
    /// Number of calls of `body_part`.
    pub(crate) parts: usize,
    pub(crate) ended: usize,
    pub(crate) failed: Vec<UploadFailure>,
    /// Messages of WebSockets: text, or bytes after `binary:`.
    pub(crate) messages: Vec<String>,
    /// Codes and reasons with which WebSockets have ended.
    pub(crate) closed: Vec<(u16, String)>,
    /// Codes of refusals that the engine sent by itself.
    pub(crate) refused: Vec<u16>,
    /// Reasons of TLS handshakes that failed.
    pub(crate) handshakes: Vec<&'static str>,
}

impl Handler for Log {
    fn request(&mut self, id: RequestId, request: &Request) {
        self.requests.push(id);
        if request.is_streamed() {
            self.declared.push(request.body_length());
        } else {
            self.body.extend_from_slice(request.body());
        }
    }
    fn aborted(&mut self, _: RequestId) {
        self.left += 1;
    }
    fn body_part(&mut self, _: RequestId, part: UploadPart<'_>) {
        self.parts += 1;
        match part {
            UploadPart::Chunk(bytes) => self.body.extend_from_slice(bytes),
            UploadPart::End => self.ended += 1,
            UploadPart::Failed(failure) => self.failed.push(failure),
        }
    }
    fn refused(&mut self, refusal: &kit_http::Refusal) {
        self.refused.push(refusal.rejection.status);
    }
    fn handshake_failed(&mut self, _: Option<std::net::SocketAddr>, reason: &'static str) {
        self.handshakes.push(reason);
    }
    fn socket_message(&mut self, _: RequestId, message: SocketMessage<'_>) {
        self.messages.push(match message {
            SocketMessage::Text(text) => text.into_owned(),
            SocketMessage::Binary(bytes) => format!("binary:{}", String::from_utf8_lossy(&bytes)),
        });
    }
    fn socket_drained(&mut self, _: RequestId) {
        self.drained += 1;
    }
    fn socket_closed(&mut self, _: RequestId, code: u16, reason: &str) {
        self.closed.push((code, reason.to_owned()));
    }
    fn drained(&mut self, _: RequestId) {
        self.drained += 1;
    }
    fn stream_aborted(&mut self, id: RequestId) {
        self.aborted.push(id);
    }
}

pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) log: Log,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(Timeouts::default())
    }

    pub(crate) fn with(timeouts: Timeouts) -> Self {
        Self::of(Config {
            timeouts,
            ..Config::default()
        })
    }

    pub(crate) fn of(config: Config) -> Self {
        let config = Config {
            host: Some("127.0.0.1".into()),
            ..config
        };
        Self {
            engine: Engine::bind(config).expect("binds"),
            log: Log::default(),
        }
    }

    pub(crate) fn connect(&self) -> Client {
        let address = self.engine.local_addr().expect("a TCP address");
        let stream = TcpStream::connect(address).expect("connects");
        stream
            .set_read_timeout(Some(Duration::from_millis(2)))
            .expect("an option");
        Client {
            stream,
            received: Vec::new(),
            ended: None,
        }
    }

    pub(crate) fn turn(&mut self) {
        self.engine.poll().expect("polls");
        while self.engine.has_work() {
            self.engine.drive(&mut self.log);
        }
    }

    /// Runs turns of the event loop until a condition is true.
    pub(crate) fn until(&mut self, mut is_so: impl FnMut(&mut Self) -> bool) {
        let start = Instant::now();
        loop {
            self.turn();
            if is_so(self) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(10), "it does not happen");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    pub(crate) fn request(&mut self) -> RequestId {
        let seen = self.log.requests.len();
        self.until(|server| server.log.requests.len() > seen);
        self.log.requests[seen]
    }

    /// Starts a stream as the response to the next request.
    pub(crate) fn stream(&mut self, length: Option<u64>) -> RequestId {
        let id = self.request();
        let head = Response::new(200).expect("a status");
        assert_eq!(self.engine.respond_stream(id, head, length), Ok(true));
        id
    }

    pub(crate) fn write(&self, id: RequestId, piece: &'static str) {
        assert_eq!(self.engine.write(id, piece.into()), Ok(WriteResult::Ready));
    }

    /// Returns everything that the client receives until its connection ends.
    pub(crate) fn rest(&mut self, client: &mut Client) -> String {
        self.until(|_| client.take() == Some(ErrorKind::UnexpectedEof));
        client.text()
    }
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    pub(crate) received: Vec<u8>,
    /// Kind of error with which the connection ended; `None` if it is open.
    pub(crate) ended: Option<ErrorKind>,
}

impl Client {
    pub(crate) fn send(&mut self, bytes: &str) {
        self.stream.write_all(bytes.as_bytes()).expect("writes");
    }

    pub(crate) fn get(&mut self) {
        self.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /// Reads the data that has arrived. If the connection has ended, returns how.
    pub(crate) fn take(&mut self) -> Option<ErrorKind> {
        let mut chunk = vec![0; 64 * 1024];
        match self.stream.read(&mut chunk) {
            Ok(0) => self.ended = Some(ErrorKind::UnexpectedEof),
            Ok(count) => self.received.extend_from_slice(&chunk[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => self.ended = Some(error.kind()),
        }
        self.ended
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.received).into_owned()
    }

    /// Runs turns of the event loop until the received data ends with `end`. Returns the received data and removes
    /// the data from the client.
    pub(crate) fn expect(&mut self, server: &mut Server, end: &str) -> String {
        server.until(|_| {
            self.take();
            self.received.ends_with(end.as_bytes())
        });
        let text = self.text();
        self.received.clear();
        text
    }
}
