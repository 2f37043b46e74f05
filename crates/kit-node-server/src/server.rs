// tidy: long because one turn handler passes all events of the engine to JavaScript
//! A server in Node: the HTTP engine, the router, and the code that runs in each turn of the event loop.

mod burst;
mod files;
mod sockets;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kit_http::{
    Engine, Handler, Pause, Refusal, Rejection, Request, RequestId, SocketMessage, UploadFailure, UploadPart,
};
use kit_router::{ParamBuffer, Router};
use kit_tls::Certificates;

use crate::node::{
    AsyncContext, CallbackScope, CleanupHook, CloseOnExit, Env, Error, Reference, Value, Watcher,
    WatcherCallbacks, return_free_memory,
};
use crate::routes;
use burst::Burst;

pub(crate) use files::Files;

/// Number of rounds that each turn may have. One round starts handlers, and the next round writes the responses that these
/// handlers gave immediately. More rounds are needed if clients send several requests without waiting for responses.
const MIN_ROUNDS: usize = 8;
/// Maximum number of rounds in one turn.
const MAX_ROUNDS: usize = 64;
/// Time after [`MIN_ROUNDS`] in which further rounds may begin. Then the event loop continues with other work.
const MAX_TURN: Duration = Duration::from_millis(5);

/// Functions that JavaScript passed to `create`. The comment of each function lists its arguments.
pub(crate) struct Callbacks {
    /// Receives a request: `(id, route, request_flags, target, bodyLength, body, ...params)`.
    pub(crate) request: Reference,
    /// The client of a request has disconnected: `(id)`.
    pub(crate) abort: Reference,
    /// The server is closed: `()`.
    pub(crate) closed: Reference,
    /// The server has refused a request without JavaScript: `(status, code, message, traceId,
    /// remoteAddress)`. The status is 0 if no response was sent.
    pub(crate) refused: Reference,
    /// The state of a streamed response has changed: `(id, event)`. The event is [`DRAINED`] or [`ABORTED`].
    pub(crate) stream: Reference,
    /// A part of a request body has arrived: `(id, part)`. The part is a chunk, or one of the codes of
    /// [`body_code`].
    pub(crate) body: Reference,
    /// An event of a WebSocket: `(id, message)`, `(id, code)` or `(id, code, reason)`. See [`sockets`].
    pub(crate) socket: Reference,
}

/// Value of `event`: the stream accepts more data.
const DRAINED: i32 = 0;
/// Value of `event`: the client of the stream has disconnected.
const ABORTED: i32 = 1;

pub(crate) struct Server {
    pub(crate) engine: Engine,
    router: Router,
    params: RefCell<ParamBuffer>,
    /// Context and functions to call JavaScript. `None` after the server is closed. JavaScript can still read
    /// requests without a response after that.
    live: RefCell<Option<Rc<Live>>>,
    hook: RefCell<Option<CleanupHook>>,
    watcher: RefCell<Option<Watcher>>,
    /// Time at which the timer fires; `None` if it is not set.
    timer: Cell<Option<Instant>>,
    closing: Cell<bool>,
    /// True if a turn was requested although no socket is ready, and this turn has not begun yet.
    is_turn_scheduled: Cell<bool>,
    /// True during a turn. The turn writes all responses that are given before its end, so that no other turn
    /// is needed.
    is_in_turn: Cell<bool>,
    burst: Burst,
    /// True if the Node environment is shutting down. After this moment, JavaScript must not be called.
    ending: Cell<bool>,
    /// Static files that are served without JavaScript.
    files: Option<Files>,
    /// Certificates of TLS; `None` without TLS.
    pub(crate) certificates: Option<Arc<Certificates>>,
    /// Number of functions that run on the thread pool. The environment must not end before their results arrive.
    running: Cell<usize>,
    /// True if the watcher is closed, so that the server is released when nothing runs on the thread pool any more.
    is_unwatched: Cell<bool>,
    this: Weak<Self>,
}

/// Context and functions to call JavaScript.
struct Live {
    context: AsyncContext,
    callbacks: Callbacks,
}

impl Server {
    pub(crate) fn start(
        env: Env<'_>,
        engine: Engine,
        router: Router,
        files: Option<Files>,
        certificates: Option<Arc<Certificates>>,
        callbacks: Callbacks,
    ) -> Result<Rc<Self>, Error> {
        let context = AsyncContext::new(env, "kit.request")?;
        let fd = engine.as_raw_fd();
        let server = Rc::new_cyclic(|this| Self {
            engine,
            router,
            params: RefCell::default(),
            live: RefCell::new(Some(Rc::new(Live { context, callbacks }))),
            hook: RefCell::default(),
            watcher: RefCell::default(),
            timer: Cell::new(None),
            closing: Cell::new(false),
            is_turn_scheduled: Cell::new(false),
            is_in_turn: Cell::new(false),
            burst: Burst::default(),
            ending: Cell::new(false),
            files,
            certificates,
            running: Cell::new(0),
            is_unwatched: Cell::new(false),
            this: Weak::clone(this),
        });
        let ends: Rc<dyn CloseOnExit> = Rc::<Self>::clone(&server);
        *server.hook.borrow_mut() = Some(CleanupHook::new(env, ends)?);
        let target: Rc<dyn WatcherCallbacks> = Rc::<Self>::clone(&server);
        *server.watcher.borrow_mut() =
            Some(Watcher::start(env, fd, target).inspect_err(|_| server.release())?);
        Ok(server)
    }

    pub(crate) fn is_released(&self) -> bool {
        self.live.borrow().is_none()
    }

    /// Stops listening, and shuts the server down within the grace period. [`Callbacks::closed`] is called at the end.
    pub(crate) fn close(&self, grace: Duration) {
        if !self.is_released() {
            self.closing.set(true);
            self.engine.close(grace);
            self.wake();
        }
    }

    pub(crate) fn is_turning(&self) -> bool {
        self.is_in_turn.get()
    }

    /// Records a body, a chunk of a body or a message, whose memory may go back to the system later.
    pub(crate) fn note_piece(&self, bytes: usize) {
        self.burst.note(bytes);
    }

    /// Requests a turn of the event loop although no socket is ready.
    pub(crate) fn wake(&self) {
        if self.is_turn_scheduled.replace(true) {
            return;
        }
        // The turn sets the timer again.
        self.timer.set(None);
        if let Some(watcher) = &*self.watcher.borrow() {
            watcher.set_timer(0);
        }
    }

    fn turn(&self) {
        let Some(live) = self.live.borrow().clone() else {
            return;
        };
        if self.ending.get() {
            return;
        }
        self.is_turn_scheduled.set(false);
        self.is_in_turn.set(true);
        live.context.enter(|env| {
            if let Err(error) = self.turn_within(env, &live) {
                report(env, &error);
            }
        });
        self.is_in_turn.set(false);
        if self.closing.get() && self.engine.is_closed() {
            // JavaScript is not called again after `closed`.
            self.abandon_files();
            self.stop_watching();
        } else {
            self.burst.observe(self.engine.connection_count());
            if self.burst.take_due() {
                self.run(return_free_memory, |_, _| ());
            }
            self.set_timer();
        }
    }

    fn turn_within(&self, env: Env<'_>, live: &Live) -> Result<(), Error> {
        self.engine
            .poll()
            .map_err(|error| Error::new("ERR_KIT_POLL", error.to_string()))?;
        let mut calls = TurnHandler::new(env, self, live)?;
        calls.start_passed_on();
        let mut end = None;
        for round in 1..=MAX_ROUNDS {
            self.engine.drive(&mut calls);
            // When the scope is closed, Node runs microtasks, in which handlers end and call `respond`.
            calls.scope = None;
            if !self.engine.has_work() {
                break;
            }
            if round >= MIN_ROUNDS {
                let now = Instant::now();
                if now >= *end.get_or_insert(now + MAX_TURN) {
                    break;
                }
            }
        }
        self.engine.flush();
        if self.closing.get() && self.engine.is_closed() {
            calls.enter()?;
            env.call(live.callbacks.closed.get(env)?, &[])?;
        }
        Ok(())
    }

    fn set_timer(&self) {
        let due = if self.engine.has_work() {
            Some(Instant::now())
        } else {
            earliest(self.engine.next_deadline(), self.burst.due())
        };
        let Some(due) = due else { return };
        // The timer already fires early enough. If it fires too early, it finds nothing to do and is set again.
        if self.timer.get().is_some_and(|timer| timer <= due) {
            return;
        }
        let now = Instant::now();
        if let Some(watcher) = &*self.watcher.borrow() {
            self.timer.set(Some(due));
            // Rounded up: if the timer fired early, it would have to be set again.
            let wait = due.saturating_duration_since(now).as_micros().div_ceil(1000);
            watcher.set_timer(u64::try_from(wait).unwrap_or(u64::MAX));
        }
    }

    fn stop_watching(&self) {
        if let Some(watcher) = self.watcher.borrow_mut().take() {
            watcher.close();
        }
    }

    /// Runs `work` on a thread of libuv's pool, then `done` with the server and the result on this thread. The result is
    /// `None` if `work` panicked. Returns false, and calls nothing, if the server is closed.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(&Self, Option<T>) + 'static,
    ) -> bool {
        let (watcher, server) = (self.watcher.borrow(), self.this.upgrade());
        let (Some(watcher), Some(server)) = (&*watcher, server) else {
            return false;
        };
        self.running.set(self.running.get() + 1);
        let is_begun = watcher.run(work, move |result| {
            server.running.set(server.running.get() - 1);
            if server.is_unwatched.get() {
                server.release_if_idle();
            } else {
                done(&server, result);
            }
        });
        if !is_begun {
            self.running.set(self.running.get() - 1);
        }
        is_begun
    }

    fn release_if_idle(&self) {
        if self.running.get() == 0 {
            self.release();
        }
    }

    /// Releases everything that belongs to the Node environment.
    fn release(&self) {
        self.live.borrow_mut().take();
        self.hook.borrow_mut().take();
    }
}

impl WatcherCallbacks for Server {
    fn ready(&self) {
        self.turn();
    }

    fn timer_fired(&self) {
        self.timer.set(None);
        self.turn();
    }

    fn closed(&self) {
        self.is_unwatched.set(true);
        self.release_if_idle();
    }

    fn panicked(&self, message: &str) {
        self.is_in_turn.set(false);
        if let Some(live) = self.live.borrow().clone() {
            live.context
                .enter(|env| report(env, &Error::new("ERR_KIT_PANIC", message)));
        }
    }
}

impl CloseOnExit for Server {
    fn close(&self) {
        self.ending.set(true);
        self.stop_watching();
    }
}

fn earliest(first: Option<Instant>, second: Option<Instant>) -> Option<Instant> {
    first.into_iter().chain(second).min()
}

/// Returns the path and query of a request. The path has its normal form: two spellings of one path give the
/// same text.
fn normal_target(request: &Request) -> Cow<'_, str> {
    let target = request.target();
    // Only a path with an escape can differ from its normal form.
    if request.path().contains('%') {
        kit_http::normal_target(target)
    } else {
        Cow::Borrowed(target)
    }
}

fn report(env: Env<'_>, error: &Error) {
    if let Ok(error) = env.error(error) {
        env.report(error);
    }
}

/// Receives the engine's callbacks during one turn, and passes them to JavaScript.
struct TurnHandler<'scope, 'turn> {
    env: Env<'scope>,
    server: &'turn Server,
    live: &'turn Live,
    request: Value<'scope>,
    undefined: Value<'scope>,
    arguments: Vec<Value<'scope>>,
    /// Callback scope, open since the first call of JavaScript in this round. When the scope is closed, Node
    /// runs the microtasks.
    scope: Option<CallbackScope<'scope>>,
}

impl<'scope, 'turn> TurnHandler<'scope, 'turn> {
    fn new(env: Env<'scope>, server: &'turn Server, live: &'turn Live) -> Result<Self, Error> {
        Ok(Self {
            env,
            server,
            live,
            request: live.callbacks.request.get(env)?,
            undefined: env.undefined()?,
            arguments: Vec::with_capacity(12),
            scope: None,
        })
    }

    fn enter(&mut self) -> Result<(), Error> {
        if self.scope.is_none() {
            self.scope = Some(self.live.context.open(self.env, self.request)?);
        }
        Ok(())
    }

    /// Passes the requests on that have no file, or whose response is an error.
    fn start_passed_on(&mut self) {
        for (id, is_aborted) in self.server.take_passed_on() {
            let Some(request) = self.server.engine.request(id) else {
                continue;
            };
            self.call_or_fail(id, |calls| calls.start(id, &request, false));
            if is_aborted {
                self.aborted(id);
            }
        }
        if self.server.take_cut_file() {
            let message =
                "a file became shorter, or could not be read, while it was sent; the connection was closed";
            if let Err(error) = self.tell_refusal(0, "FILE_CUT", message, "", "") {
                report(self.env, &error);
            }
        }
    }

    /// Starts a request. If `may_be_file` is true, a file is looked up if no route matches.
    fn start(&mut self, id: RequestId, request: &Request, may_be_file: bool) -> Result<(), Error> {
        let env = self.env;
        // The router and the handler must get the same form of the path.
        let target = normal_target(request);
        let path = match &target {
            Cow::Borrowed(_) => request.path(),
            Cow::Owned(normal) => normal.split_once('?').map_or(normal.as_str(), |(path, _)| path),
        };
        let mut params = self.server.params.borrow_mut();
        let matched = routes::find(&self.server.router, request.method(), path, &mut params);
        if may_be_file && matched.is_missing() && self.server.begin_file(id, request, path, &target) {
            return Ok(());
        }
        self.enter()?;
        self.arguments.clear();
        self.arguments.extend([
            number(env, id)?,
            env.int(matched.route)?,
            env.int(routes::request_flags(request))?,
            // The guard allows only visible ASCII in a target.
            env.latin1(target.as_bytes())?,
            body_length(env, request)?,
            self.body_text(request)?,
        ]);
        if let Some(allow) = matched.allow {
            self.arguments.push(env.string(&allow.to_string())?);
        } else if matched.route >= 0 {
            for value in params.values(path) {
                self.arguments.push(env.string(&value)?);
            }
        }
        drop(params);
        env.call(self.request, &self.arguments)
    }

    /// Calls a function. If Node failed to create a value or to call JavaScript, because the environment is shutting down, the
    /// client still gets a response, with status 500.
    fn call_or_fail(&mut self, id: RequestId, call: impl FnOnce(&mut Self) -> Result<(), Error>) {
        if let Err(error) = call(self) {
            report(self.env, &error);
            self.server.engine.respond_internal_error(id);
        }
    }

    /// Returns the body as a string if its content type is exactly `application/json`, because handlers
    /// nearly always read such a body. JavaScript reads other bodies with `bodyText`.
    fn body_text(&self, request: &Request) -> Result<Value<'scope>, Error> {
        if request.body().is_empty() || !request.is_plain_json() {
            return Ok(self.undefined);
        }
        let body = request.body();
        if body.is_ascii() {
            return self.env.latin1(body);
        }
        std::str::from_utf8(body).map_or(Ok(self.undefined), |text| self.env.string(text))
    }
}

impl Handler for TurnHandler<'_, '_> {
    fn request(&mut self, id: RequestId, request: &Request) {
        self.server.note_piece(request.body().len());
        self.call_or_fail(id, |calls| calls.start(id, request, true));
    }

    fn aborted(&mut self, id: RequestId) {
        if self.server.abort_file(id) {
            return;
        }
        let tell = |calls: &mut Self| {
            calls.enter()?;
            calls.env.call(
                calls.live.callbacks.abort.get(calls.env)?,
                &[number(calls.env, id)?],
            )
        };
        if let Err(error) = tell(self) {
            report(self.env, &error);
        }
    }

    fn drained(&mut self, id: RequestId) {
        if !self.server.drain_file(id) {
            self.tell_of_stream(id, DRAINED);
        }
    }

    fn stream_aborted(&mut self, id: RequestId) {
        if !self.server.abort_file_stream(id) {
            self.tell_of_stream(id, ABORTED);
        }
    }

    fn body_part(&mut self, id: RequestId, part: UploadPart<'_>) {
        let tell = |calls: &mut Self| {
            calls.enter()?;
            let env = calls.env;
            let part = match part {
                UploadPart::Chunk(bytes) => {
                    calls.server.note_piece(bytes.len());
                    env.buffer(bytes)?
                }
                UploadPart::End => env.int(BODY_ENDED)?,
                UploadPart::Failed(failure) => env.int(body_code(failure))?,
            };
            env.call(calls.live.callbacks.body.get(env)?, &[number(env, id)?, part])
        };
        if let Err(error) = tell(self) {
            report(self.env, &error);
        }
    }

    fn socket_message(&mut self, id: RequestId, message: SocketMessage<'_>) {
        self.tell_of_message(id, &message);
    }

    fn socket_drained(&mut self, id: RequestId) {
        self.tell_of_room(id);
    }

    fn socket_closed(&mut self, id: RequestId, code: u16, reason: &str) {
        self.tell_of_end(id, code, reason);
    }

    fn refused(&mut self, refusal: &Refusal) {
        let Rejection {
            status,
            code,
            message,
        } = refusal.rejection;
        let trace_id = format!("{:032x}", refusal.trace_id);
        let remote = address_text(refusal.remote);
        if let Err(error) = self.tell_refusal(status, code, message, &trace_id, &remote) {
            report(self.env, &error);
        }
    }

    fn handshake_failed(&mut self, remote: Option<SocketAddr>, reason: &'static str) {
        let remote = address_text(remote);
        if let Err(error) = self.tell_refusal(0, "TLS_HANDSHAKE", reason, "", &remote) {
            report(self.env, &error);
        }
    }

    fn http2_limited(&mut self, remote: Option<SocketAddr>, reason: &'static str) {
        let remote = address_text(remote);
        if let Err(error) = self.tell_refusal(0, "HTTP2_LIMIT", reason, "", &remote) {
            report(self.env, &error);
        }
    }

    fn paused(&mut self, pause: Pause) {
        let (code, message) = match pause {
            Pause::ConnectionLimit => (
                "CONNECTION_LIMIT",
                "the maximum number of connections is open; new connections wait",
            ),
            Pause::Exhausted => (
                "OUT_OF_DESCRIPTORS",
                "the system has no file descriptors or memory for more connections; new connections wait",
            ),
        };
        if let Err(error) = self.tell_refusal(0, code, message, "", "") {
            report(self.env, &error);
        }
    }
}

impl TurnHandler<'_, '_> {
    fn tell_of_stream(&mut self, id: RequestId, event: i32) {
        let tell = |calls: &mut Self| {
            calls.enter()?;
            let env = calls.env;
            let arguments = [number(env, id)?, env.int(event)?];
            env.call(calls.live.callbacks.stream.get(env)?, &arguments)
        };
        if let Err(error) = tell(self) {
            report(self.env, &error);
        }
    }

    fn tell_refusal(
        &mut self,
        status: u16,
        code: &str,
        message: &str,
        trace_id: &str,
        remote: &str,
    ) -> Result<(), Error> {
        self.enter()?;
        let env = self.env;
        let arguments = [
            env.int(status.into())?,
            env.string(code)?,
            env.string(message)?,
            env.string(trace_id)?,
            env.string(remote)?,
        ];
        env.call(self.live.callbacks.refused.get(env)?, &arguments)
    }
}

fn number(env: Env<'_>, id: RequestId) -> Result<Value<'_>, Error> {
    #[allow(clippy::cast_precision_loss)] // ids have 52 bits, which a double represents exactly
    env.double(id.as_number() as f64)
}

/// Returns the number of bytes of the body; -1 if the client has not declared the length of a body in chunks.
fn body_length<'scope>(env: Env<'scope>, request: &Request) -> Result<Value<'scope>, Error> {
    let Some(length) = request.body_length() else {
        return env.int(-1);
    };
    match i32::try_from(length) {
        Ok(length) => env.int(length),
        #[allow(clippy::cast_precision_loss)] // the limit of a body is below 2^53 bytes
        Err(_) => env.double(length as f64),
    }
}

/// Code for the end of a body, in place of a chunk.
const BODY_ENDED: i32 = 0;

/// Returns the code for a failure, in place of a chunk. The counterpart is `packages/server-native/src/body-reader.ts`.
fn body_code(failure: UploadFailure) -> i32 {
    match failure {
        UploadFailure::Aborted => 1,
        UploadFailure::Invalid => 2,
        UploadFailure::TimedOut => 3,
        UploadFailure::TooLarge => 4,
    }
}

/// Formats an IP address for JavaScript. Returns an empty text if there is no address.
pub(crate) fn address_text(address: Option<SocketAddr>) -> String {
    address.map_or_else(String::new, |address| address.ip().to_canonical().to_string())
}
