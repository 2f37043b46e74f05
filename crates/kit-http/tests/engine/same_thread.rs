//! Test helpers: an engine and its clients on one thread. The test thereby controls the order of events.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kit_http::{Config, Engine, Handler, Request, RequestId, Response, Timeouts, WriteResult};

/// Callbacks that the engine has called.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) requests: Vec<RequestId>,
    pub(crate) drained: usize,
    pub(crate) aborted: Vec<RequestId>,
}

impl Handler for Log {
    fn request(&mut self, id: RequestId, _: &Request) {
        self.requests.push(id);
    }
    fn aborted(&mut self, _: RequestId) {}
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
        let config = Config {
            host: Some("127.0.0.1".into()),
            timeouts,
            ..Config::default()
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

    /// Runs turns of the event loop until the received data ends with `end`. Returns the data and
    /// forgets it.
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
