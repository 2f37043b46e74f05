//! Test helpers: a server on its own thread that offers HTTP/2.

use std::collections::HashMap;
use std::os::fd::AsRawFd as _;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kit_http::{
    BodyRule, BodyRules, Config, Engine, Handler, Refusal, Request, RequestId, Response, Timeouts,
    UploadFailure, UploadPart, WriteResult,
};
use kit_test_http2::{BIG, Target};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};

use crate::hpack::describe;
use crate::tls_client::Files;

/// Number of bytes of the response of `/stream`, in chunks.
pub(crate) const STREAMED: usize = 4 * 1024 * 1024;
const CHUNK: usize = 16 * 1024;

/// Callback of the engine, for the test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Aborted(String),
    StreamAborted,
    /// Number of bytes of `/stream` that were written when the writer had to wait.
    Blocked(usize),
    /// Number of bytes of `/upload` that the handler has read.
    Uploaded(usize),
    UploadFailed(UploadFailure),
    Refused(u16),
    Limited(&'static str),
}

struct App {
    engine: Rc<Engine>,
    /// Times of the responses to `/slow`.
    later: Vec<(Instant, RequestId)>,
    paths: HashMap<RequestId, String>,
    written: HashMap<RequestId, usize>,
    uploaded: HashMap<RequestId, usize>,
    /// Requests to `/held`, whose bodies the handler does not read.
    held: Vec<RequestId>,
    events: Sender<Event>,
    /// True if each response describes its request.
    describes: bool,
}

impl App {
    fn respond(&self, id: RequestId, status: u32, body: Vec<u8>) {
        let response = Response::json(status, body.into()).expect("a valid status");
        self.engine.respond(id, response).expect("an open request");
    }

    fn tell(&self, event: Event) {
        self.events.send(event).ok();
    }

    /// Writes chunks until the engine asks to wait.
    fn write(&mut self, id: RequestId) {
        let written = self.written.entry(id).or_default();
        while *written < STREAMED {
            let chunk = vec![b'a'; CHUNK];
            match self
                .engine
                .write(id, chunk.into())
                .expect("no length is declared")
            {
                WriteResult::Closed => return,
                WriteResult::Ready => *written += CHUNK,
                WriteResult::Wait => {
                    *written += CHUNK;
                    let written = *written;
                    return self.tell(Event::Blocked(written));
                }
            }
        }
        self.engine.end(id).expect("no length is declared");
    }
}

impl Handler for App {
    fn request(&mut self, id: RequestId, request: &Request) {
        self.paths.insert(id, request.path().to_owned());
        let header = |name| request.header(name).unwrap_or_default().into_owned();
        match request.path() {
            _ if self.describes => self.respond(id, 200, describe(request)),
            _ if request.body_too_large() => self.respond(id, 413, b"{}".to_vec()),
            "/origin" => self.respond(id, 200, [b"https://".to_vec(), header("host")].concat()),
            "/cookie" => self.respond(id, 200, header("cookie")),
            "/big" => self.respond(id, 200, vec![b'a'; BIG]),
            // h2 takes this body at once, even if the client reads nothing.
            "/buffered" => self.respond(id, 200, vec![b'a'; 60_000]),
            "/slow" => self.later.push((Instant::now() + Duration::from_millis(600), id)),
            "/never" => {}
            "/closing" => {
                let mut response = Response::json(200, "{}".into()).expect("a valid status");
                response
                    .add_header("connection", b"close")
                    .expect("a valid header");
                self.engine.respond(id, response).expect("an open request");
            }
            "/echo" => match serde_json::from_slice::<String>(request.body()) {
                Ok(text) => self.respond(id, 200, text.into_bytes()),
                Err(_) => self.respond(id, 400, b"{}".to_vec()),
            },
            "/stream" | "/cut" => {
                let head = Response::new(200).expect("a valid status");
                let is_there = self
                    .engine
                    .respond_stream(id, head, None)
                    .expect("an open request");
                if is_there && request.path() == "/stream" {
                    self.write(id);
                } else if is_there {
                    self.engine
                        .write(id, "part".into())
                        .expect("no length is declared");
                    self.engine.destroy(id);
                }
            }
            "/answered" => {
                let head = Response::new(200).expect("a valid status");
                let is_there = self
                    .engine
                    .respond_stream(id, head, None)
                    .expect("an open request");
                assert!(is_there && self.engine.read_body(id));
            }
            "/upload" => assert!(self.engine.read_body(id)),
            "/held" => self.held.push(id),
            "/cancel" => {
                for id in self.held.drain(..) {
                    self.engine.cancel_body(id);
                }
                self.respond(id, 200, b"{}".to_vec());
            }
            _ => self.respond(id, 404, b"{}".to_vec()),
        }
    }

    fn aborted(&mut self, id: RequestId) {
        self.tell(Event::Aborted(self.paths[&id].clone()));
    }

    fn drained(&mut self, id: RequestId) {
        self.write(id);
    }

    fn stream_aborted(&mut self, _: RequestId) {
        self.tell(Event::StreamAborted);
    }

    fn body_part(&mut self, id: RequestId, part: UploadPart<'_>) {
        let read = self.uploaded.entry(id).or_default();
        match part {
            UploadPart::Chunk(bytes) => {
                *read += bytes.len();
                let read = *read;
                self.tell(Event::Uploaded(read));
                self.engine.read_body(id);
            }
            UploadPart::End if self.paths[&id] == "/answered" => {
                self.engine.end(id).expect("no length is declared");
            }
            UploadPart::End => {
                let text = read.to_string();
                self.respond(id, 200, text.into_bytes());
            }
            UploadPart::Failed(failure) => {
                self.tell(Event::UploadFailed(failure));
                if failure == UploadFailure::TooLarge {
                    self.respond(id, 413, b"{}".to_vec());
                }
            }
        }
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.tell(Event::Refused(refusal.rejection.status));
    }

    fn http2_limited(&mut self, _: Option<std::net::SocketAddr>, reason: &'static str) {
        self.tell(Event::Limited(reason));
    }
}

/// A server on its own thread, until it is dropped.
pub(crate) struct Running {
    pub(crate) target: Target,
    pub(crate) events: Receiver<Event>,
    stop: Sender<Duration>,
    thread: Option<JoinHandle<()>>,
    _files: Files,
}

impl Running {
    pub(crate) fn start(timeouts: Timeouts) -> Self {
        Self::with(timeouts, false)
    }

    /// Starts a server whose responses describe their requests.
    pub(crate) fn describing(timeouts: Timeouts) -> Self {
        Self::with(timeouts, true)
    }

    fn with(timeouts: Timeouts, describes: bool) -> Self {
        let files = Files::new();
        let rules = BodyRules::new(1024 * 1024, |_, path| BodyRule {
            limit: (path == "/upload").then_some(100_000),
            is_streamed: ["/upload", "/held", "/answered"].contains(&path),
            ..BodyRule::default()
        });
        let config = Config {
            host: Some("127.0.0.1".into()),
            timeouts,
            body_rules: Some(rules),
            tls: Some(files.certificates_for(&[b"h2", b"http/1.1"])),
            ..Config::default()
        };
        let (tell, events) = channel();
        let (stop, stopped) = channel();
        let (started, address) = channel();
        let thread = std::thread::spawn(move || {
            let engine = Rc::new(Engine::bind(config).expect("binds"));
            started.send(engine.local_addr()).expect("the test waits");
            run(&engine, tell, &stopped, describes);
        });
        let address = address.recv().expect("the server starts").expect("a TCP address");
        Self {
            target: Target {
                address: address.to_string(),
                config: files.client_config(),
            },
            events,
            stop,
            thread: Some(thread),
            _files: files,
        }
    }

    /// Stops the server with a grace period of 10 seconds, and waits for its end.
    pub(crate) fn stop(&mut self) {
        self.stop.send(Duration::from_secs(10)).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the engine does not panic");
        }
    }

    /// Waits for the next event.
    pub(crate) fn event(&self) -> Event {
        self.events
            .recv_timeout(Duration::from_secs(10))
            .expect("an event")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.send(Duration::ZERO).ok();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.expect("the engine does not panic");
            }
        }
    }
}

fn run(engine: &Rc<Engine>, events: Sender<Event>, stopped: &Receiver<Duration>, describes: bool) {
    let mut poll = Poll::new().expect("a poller");
    let fd = engine.as_raw_fd();
    poll.registry()
        .register(&mut SourceFd(&fd), Token(0), Interest::READABLE)
        .expect("a descriptor");
    let mut found = Events::with_capacity(8);
    let mut app = App {
        engine: Rc::clone(engine),
        later: Vec::new(),
        paths: HashMap::new(),
        written: HashMap::new(),
        uploaded: HashMap::new(),
        held: Vec::new(),
        events,
        describes,
    };
    while !engine.is_closed() {
        let patience = engine.next_deadline().map_or(Duration::from_millis(5), |time| {
            time.saturating_duration_since(Instant::now())
        });
        // An interrupted wait is only shorter.
        poll.poll(&mut found, Some(patience.min(Duration::from_millis(5))))
            .ok();
        if let Ok(grace) = stopped.try_recv() {
            engine.close(grace);
        }
        let now = Instant::now();
        let due: Vec<_> = app.later.extract_if(.., |(due, _)| *due <= now).collect();
        for (_, id) in due {
            app.respond(id, 200, b"slow".to_vec());
        }
        engine.poll().expect("polls");
        while engine.has_work() {
            engine.drive(&mut app);
        }
    }
}
