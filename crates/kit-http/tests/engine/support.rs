//! Test helpers: a server on its own thread, and a client that sends raw bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kit_http::{Config, Engine, Handler, Pause, Refusal, Request, RequestId, Response, ResponseError};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};

/// Commands that a test sends to a running server.
pub(crate) enum Command {
    Close(Duration),
    /// Shuts down with a grace period, then blocks the event loop for a time.
    CloseAndBlock(Duration, Duration),
    Stop,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    commands: Sender<Command>,
    /// Paths of requests whose client has disconnected.
    pub(crate) aborted: Receiver<String>,
    /// Rejections that the engine reported.
    pub(crate) refusals: Receiver<Refusal>,
    /// Reasons why the engine stopped accepting connections.
    pub(crate) pauses: Receiver<Pause>,
    thread: Option<JoinHandle<Report>>,
    seen: Arc<AtomicU64>,
}

/// Numbers that the event loop counted.
#[derive(Debug)]
pub(crate) struct Report {
    /// Number of turns of the event loop.
    pub(crate) turns: u64,
    /// Number of requests that the handler received.
    pub(crate) requests: u64,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(&Config::default())
    }

    /// Starts a server whose responses depend on the path: `/echo` returns the body, `/later` responds after 50 ms,
    /// `/never` does not respond, `/describe` returns the request.
    pub(crate) fn with(config: &Config) -> Self {
        let config = Config {
            host: config.host.clone().or_else(|| Some("127.0.0.1".into())),
            ..config.clone()
        };
        Self::of(move || Engine::bind(config).expect("binds"))
    }

    /// Starts a server on a new thread. `make` creates the engine there.
    pub(crate) fn of(make: impl FnOnce() -> Engine + Send + 'static) -> Self {
        let (commands, inbox) = channel();
        let (aborts, aborted) = channel();
        let (refuse, refusals) = channel();
        let (pause, pauses) = channel();
        let (started, address) = channel();
        let seen = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&seen);
        let thread = std::thread::spawn(move || {
            let engine = make();
            // A server on a Unix socket has no IP address.
            let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
            let address = engine.local_addr().unwrap_or(nowhere);
            started.send(address).expect("the test waits");
            let tell = Tell {
                aborts,
                refuse,
                pause,
            };
            run(&engine, &inbox, tell, &counter)
        });
        let address = address.recv().expect("the server starts");
        Self {
            address,
            commands,
            aborted,
            refusals,
            pauses,
            thread: Some(thread),
            seen,
        }
    }

    /// Waits until the handler has received this number of requests.
    pub(crate) fn await_requests(&self, count: u64) {
        let start = Instant::now();
        while self.seen.load(Ordering::Relaxed) < count {
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "the request does not arrive"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the next rejection that the engine reports.
    pub(crate) fn refusal(&self) -> Refusal {
        let patience = Duration::from_secs(5);
        self.refusals.recv_timeout(patience).expect("a refusal is told")
    }

    pub(crate) fn send(&self, command: Command) {
        self.commands.send(command).expect("the server runs");
    }

    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).expect("connects");
        stream.set_nodelay(true).expect("an option");
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .expect("an option");
        Client {
            stream,
            buffer: Vec::new(),
        }
    }

    /// Stops the event loop, waits for its end, and returns its counters.
    pub(crate) fn join(mut self) -> Report {
        // An error means that the loop has already ended.
        let _ = self.commands.send(Command::Stop);
        self.thread
            .take()
            .expect("once")
            .join()
            .expect("the engine does not panic")
    }

    /// Waits until the event loop ends by itself, and returns its counters.
    pub(crate) fn wait(mut self) -> Report {
        self.thread
            .take()
            .expect("once")
            .join()
            .expect("the engine does not panic")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = self.commands.send(Command::Stop);
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.expect("the engine does not panic");
            }
        }
    }
}

/// Channels through which the server sends events to the test.
struct Tell {
    aborts: Sender<String>,
    refuse: Sender<Refusal>,
    pause: Sender<Pause>,
}

struct Answers {
    now: Vec<(RequestId, Response)>,
    /// Responses to give later: time, request, and true if the response is large.
    later: Vec<(Instant, RequestId, bool)>,
    paths: Vec<(RequestId, String)>,
    tell: Tell,
    requests: u64,
}

impl Handler for Answers {
    fn request(&mut self, id: RequestId, request: &Request) {
        self.requests += 1;
        self.paths.push((id, request.path().to_owned()));
        let response = match request.path() {
            _ if request.body_too_large() => Response::json(413, "{}".into()),
            "/later" | "/later-large" => {
                let is_large = request.path() == "/later-large";
                let due = Instant::now() + Duration::from_millis(50);
                self.later.push((due, id, is_large));
                return;
            }
            "/never" => return,
            "/echo" => Response::json(200, request.body().to_vec().into()),
            "/large" => Response::json(200, vec![b'x'; 8 * 1024 * 1024].into()),
            "/medium" => Response::json(200, vec![b'x'; 12_000].into()),
            "/teapot" => Response::new(418),
            "/empty" => Response::new(204),
            "/reset" => Response::new(205),
            "/unchanged" => unchanged(),
            "/fields" => with_fields(&[("set-cookie", "a"), ("x-a", ""), ("set-cookie", "b")]),
            "/dated" => with_fields(&[("date", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            "/closing" => with_fields(&[("x-a", "1"), ("connection", "close")]),
            "/describe" => Response::json(200, describe(request).into()),
            _ => Response::json(200, format!("{:?}", request.target()).into()),
        };
        self.now.push((id, response.expect("a valid answer")));
    }

    fn aborted(&mut self, id: RequestId) {
        let path = self
            .paths
            .iter()
            .find(|(known, _)| *known == id)
            .expect("a known request");
        self.tell.aborts.send(path.1.clone()).ok();
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.tell.refuse.send(*refusal).ok();
    }

    fn paused(&mut self, pause: Pause) {
        self.tell.pause.send(pause).ok();
    }
}

fn with_fields(fields: &[(&str, &str)]) -> Result<Response, ResponseError> {
    let mut response = Response::new(200)?;
    response.add_header("content-type", b"text/plain")?;
    for (name, value) in fields {
        response.add_header(name, value.as_bytes())?;
    }
    response.set_body("text".into());
    Ok(response)
}

fn unchanged() -> Result<Response, ResponseError> {
    let mut response = Response::new(304)?;
    response.add_header("etag", b"\"1\"")?;
    Ok(response)
}

fn describe(request: &Request) -> String {
    use std::fmt::Write as _;
    let mut text = format!("{} {}\n", request.method(), request.target());
    for (name, value) in request.headers() {
        writeln!(text, "{name}={}", String::from_utf8_lossy(&value)).expect("a string");
    }
    text
}

fn run(engine: &Engine, inbox: &Receiver<Command>, tell: Tell, seen: &AtomicU64) -> Report {
    let mut poll = Poll::new().expect("a poller");
    let fd = engine.as_raw_fd();
    poll.registry()
        .register(&mut SourceFd(&fd), Token(0), Interest::READABLE)
        .expect("a descriptor");
    let mut events = Events::with_capacity(8);
    let mut answers = Answers {
        now: Vec::new(),
        later: Vec::new(),
        paths: Vec::new(),
        tell,
        requests: 0,
    };
    let mut turns = 0;
    let mut closing = false;
    loop {
        turns += 1;
        let patience = engine
            .next_deadline()
            .map_or(Duration::from_millis(5), |time| {
                time.saturating_duration_since(Instant::now())
            })
            .min(Duration::from_millis(5));
        // An interrupted wait is only shorter.
        poll.poll(&mut events, Some(patience)).ok();
        match inbox.try_recv() {
            Ok(Command::Close(grace)) => {
                engine.close(grace);
                closing = true;
            }
            Ok(Command::CloseAndBlock(grace, time)) => {
                engine.close(grace);
                closing = true;
                std::thread::sleep(time);
            }
            Ok(Command::Stop) | Err(TryRecvError::Disconnected) => break,
            Err(TryRecvError::Empty) => {}
        }
        let now = Instant::now();
        for (_, id, is_large) in answers.later.extract_if(.., |(due, ..)| *due <= now) {
            let body = if is_large {
                "x".repeat(100_000)
            } else {
                "\"later\"".to_owned()
            };
            let response = Response::json(200, body.into()).expect("a valid answer");
            engine.respond(id, response).expect("an open request");
        }
        engine.poll().expect("polls");
        while engine.has_work() {
            engine.drive(&mut answers);
            for (id, response) in answers.now.drain(..) {
                engine.respond(id, response).expect("an open request");
            }
        }
        seen.store(answers.requests, Ordering::Relaxed);
        if closing && engine.is_closed() {
            break;
        }
    }
    Report {
        turns,
        requests: answers.requests,
    }
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            (key == name).then_some(value)
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }
}

impl Client {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("writes");
    }

    /// Reads the next response. It must not belong to a HEAD request.
    pub(crate) fn answer(&mut self) -> Answer {
        self.try_answer(false).expect("an answer before the end")
    }

    pub(crate) fn answer_to_head(&mut self) -> Answer {
        self.try_answer(true).expect("an answer before the end")
    }

    /// Reads the next response; `None` if the server has closed the connection. `to_head` is true for the response
    /// to HEAD.
    pub(crate) fn try_answer(&mut self, to_head: bool) -> Option<Answer> {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
            if !self.fill() {
                assert!(
                    self.buffer.is_empty(),
                    "cut off: {}",
                    String::from_utf8_lossy(&self.buffer)
                );
                return None;
            }
        };
        let head = String::from_utf8(self.buffer.drain(..end).collect()).expect("a text head");
        let status = head[9..12].parse().expect("a status");
        let mut answer = Answer {
            status,
            head,
            body: Vec::new(),
        };
        if status != 204 && status >= 200 && !to_head {
            let length: usize = answer
                .header("content-length")
                .expect("a length")
                .parse()
                .expect("a number");
            while self.buffer.len() < length {
                assert!(self.fill(), "the body is cut off");
            }
            answer.body = self.buffer.drain(..length).collect();
        }
        Some(answer)
    }

    /// Returns true if the server closes the connection without sending another byte.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.buffer.is_empty() && !self.fill()
    }

    fn fill(&mut self) -> bool {
        let mut chunk = vec![0; 64 * 1024];
        match self.stream.read(&mut chunk) {
            Ok(count) => {
                self.buffer.extend_from_slice(&chunk[..count]);
                count > 0
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("the server neither answers nor closes: {error}"),
        }
    }
}

/// Returns the bytes of a GET request for a path.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// Returns the bytes of a POST request to `/echo` with a body.
pub(crate) fn post(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}
