//! A server of the engine on a Unix socket. Its handler collects requests until the fuzz target responds to them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kit_http::{
    Config, Engine, Handler, Limits, Refusal, Request, RequestId, Response, ResponseError, Timeouts,
    WriteResult,
};

/// Maximum number of rounds in one turn. More rounds mean that the engine is in an endless loop. A round polls each
/// connection up to four times.
const MAX_ROUNDS: usize = 20_000;

/// A request that the handler received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    pub(crate) too_large: bool,
}

/// A response that the fuzz target gives to a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestResponse {
    pub(crate) status: u32,
    pub(crate) length: usize,
    pub(crate) closes: bool,
    pub(crate) body: ResponseBody,
}

/// Way in which the body of a response is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseBody {
    Whole,
    /// The body is sent in chunks, after a head with its length.
    Counted,
    /// The body is sent in chunks, after a head without its length.
    Open,
}

/// A response whose body is not complete yet.
#[derive(Debug)]
pub(crate) struct Stream {
    id: RequestId,
    left: usize,
}

#[derive(Default)]
pub(crate) struct Collected {
    /// All requests that the handler received, in the order of arrival.
    pub(crate) requests: Vec<ReceivedRequest>,
    /// Requests without a response, in the order of arrival.
    pub(crate) pending: Vec<(RequestId, usize)>,
    aborted: Vec<RequestId>,
    ids: HashMap<RequestId, usize>,
    pub(crate) refusals: usize,
    pub(crate) streams: Vec<Stream>,
    aborted_streams: Vec<RequestId>,
}

impl Handler for Collected {
    fn request(&mut self, id: RequestId, request: &Request) {
        let before = self.ids.insert(id, self.requests.len());
        assert!(before.is_none(), "a request was passed to the handler twice");
        self.pending.push((id, self.requests.len()));
        self.requests.push(ReceivedRequest {
            method: request.method().to_owned(),
            target: request.target().to_owned(),
            headers: request
                .headers()
                .into_iter()
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            body: request.body().to_vec(),
            too_large: request.body_too_large(),
        });
    }

    fn aborted(&mut self, id: RequestId) {
        assert!(self.ids.contains_key(&id), "an unknown request was aborted");
        assert!(
            self.pending.iter().any(|(pending, _)| *pending == id),
            "a request with a response was aborted"
        );
        assert!(!self.aborted.contains(&id), "a request was aborted twice");
        self.aborted.push(id);
    }

    fn drained(&mut self, id: RequestId) {
        assert!(
            self.streams.iter().any(|stream| stream.id == id),
            "a closed stream has room"
        );
    }

    fn stream_aborted(&mut self, id: RequestId) {
        assert!(!self.aborted_streams.contains(&id), "a stream was aborted twice");
        assert!(
            self.streams.iter().any(|stream| stream.id == id),
            "a closed stream was aborted"
        );
        self.aborted_streams.push(id);
        self.streams.retain(|stream| stream.id != id);
    }

    fn refused(&mut self, refusal: &Refusal) {
        assert!(refusal.rejection.status >= 400, "{refusal:?}");
        self.refusals += 1;
    }
}

pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) collected: RefCell<Collected>,
    pub(crate) path: PathBuf,
}

impl Server {
    pub(crate) fn start(limits: Limits, timeouts: Timeouts) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kit-fuzz-{}-{number}", std::process::id()));
        let config = Config {
            path: Some(path.clone()),
            limits,
            timeouts,
            ..Config::default()
        };
        Self {
            engine: Engine::bind(config).expect("a free path"),
            collected: RefCell::default(),
            path,
        }
    }

    /// Runs one turn of the event loop, until the engine has nothing to do.
    pub(crate) fn turn(&self) {
        self.engine.poll().expect("polls");
        for round in 0.. {
            if !self.engine.has_work() {
                return;
            }
            assert!(round < MAX_ROUNDS, "the engine spins");
            self.engine.drive(&mut *self.collected.borrow_mut());
        }
    }

    /// Responds to the pending request at `index`. The response contains the number of the request in the order of arrival.
    pub(crate) fn respond(&self, index: usize, response: TestResponse) {
        let (id, number) = self.collected.borrow_mut().pending.remove(index);
        let build_head = |status: u32| -> Result<Response, ResponseError> {
            let mut head = Response::new(status)?;
            head.add_header("x-number", number.to_string().as_bytes())?;
            if response.closes {
                head.add_header("connection", b"close")?;
            }
            Ok(head)
        };
        let mut head = build_head(response.status).expect("a valid response");
        if response.body == ResponseBody::Whole {
            head.set_body(vec![b'x'; response.length].into());
            self.engine.respond(id, head).expect("a pending request");
        } else {
            let length = (response.body == ResponseBody::Counted).then_some(response.length as u64);
            let has_peer = self
                .engine
                .respond_stream(id, head, length)
                .expect("a pending request");
            if has_peer {
                let left = response.length;
                self.collected.borrow_mut().streams.push(Stream { id, left });
            }
        }
        let again = Response::new(200).expect("a valid response");
        assert_eq!(
            self.engine.respond(id, again),
            Err(ResponseError::UnknownRequest),
            "a second response was accepted"
        );
    }

    /// Writes a chunk to the stream at `index`. Removes the stream after its last chunk.
    pub(crate) fn write(&self, index: usize, length: usize) {
        let (id, length, left) = {
            let mut collected = self.collected.borrow_mut();
            let stream = &mut collected.streams[index];
            let length = length.min(stream.left);
            stream.left -= length;
            (stream.id, length, stream.left)
        };
        let written = self.engine.write(id, vec![b'x'; length].into());
        let written = written.expect("at most the declared number of bytes");
        if left == 0 || written == WriteResult::Closed {
            self.collected.borrow_mut().streams.remove(index);
            self.engine.end(id).expect("exactly the declared number of bytes");
        }
    }

    /// Aborts the stream at `index`.
    pub(crate) fn destroy(&self, index: usize) {
        let stream = self.collected.borrow_mut().streams.remove(index);
        self.engine.destroy(stream.id);
    }

    /// Stops the server after all clients have disconnected, and checks that the engine stores nothing any more.
    pub(crate) fn end(self) {
        let mut pending = self.collected.borrow().pending.len();
        assert_eq!(self.engine.pending_count(), pending);
        self.turn();
        assert_eq!(
            self.engine.connection_count(),
            0,
            "connections outlive their peers"
        );
        let response = TestResponse {
            status: 200,
            length: 1,
            closes: false,
            body: ResponseBody::Open,
        };
        while pending > 0 {
            pending -= 1;
            self.respond(pending, response);
        }
        assert!(
            self.collected.borrow().streams.is_empty(),
            "streams outlive their peers"
        );
        assert_eq!(self.engine.pending_count(), 0, "requests outlive their responses");
        self.engine.close(Duration::from_mins(1));
        self.turn();
        assert!(self.engine.is_closed(), "an engine without peers does not close");
        assert!(
            fs::symlink_metadata(&self.path).is_err(),
            "the socket's file is left"
        );
    }
}
