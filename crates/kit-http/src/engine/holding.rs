//! Responses that are held back until they are sent together, because the client has sent several requests in a row.

use std::cell::{Cell, RefCell};

use super::Engine;
use crate::connection::Connection;

/// Connections with responses that are held back while a handler works on the next request.
#[derive(Default)]
pub(super) struct Held {
    slots: RefCell<Vec<usize>>,
    /// Number of connections in `slots` that were there before the current [`Engine::drive`].
    before: Cell<usize>,
}

impl Held {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.borrow().is_empty()
    }

    /// Records that a [`Engine::drive`] begins.
    pub(super) fn begin(&self) {
        self.before.set(self.slots.borrow().len());
    }

    /// Adds a connection.
    pub(super) fn add(&self, slot: usize, connection: &Connection, turn: u64) {
        connection.held_in.set(turn);
        self.slots.borrow_mut().push(slot);
    }
}

impl Engine {
    /// Sends the responses that are held back. Call this method at the end of a turn in which [`Engine::has_work`] still returns
    /// true, because the event loop may do other work before the next turn.
    pub fn flush(&self) {
        let slots = std::mem::take(&mut *self.held.slots.borrow_mut());
        self.held.before.set(0);
        for slot in slots {
            self.send_held(slot, None);
        }
    }

    /// Sends the responses of connections that got no new response since the [`Engine::drive`] before.
    pub(super) fn flush_waiting(&self) {
        let before = self.held.before.take();
        if before == 0 {
            return;
        }
        let slots: Vec<_> = self.held.slots.borrow_mut().drain(..before).collect();
        for slot in slots {
            self.send_held(slot, Some(self.turn.get()));
        }
    }

    /// Sends the responses of a connection, unless it got a new response in the given call of [`Engine::drive`].
    fn send_held(&self, slot: usize, turn: Option<u64>) {
        let connections = self.connections.borrow();
        let Some(connection) = connections.get(slot) else {
            return;
        };
        if turn != Some(connection.held_in.get()) && connection.link.flush().is_err() {
            // The connection finds the same error when it is polled.
            self.enqueue(slot, connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    use super::Engine;
    use crate::sending::MAX_HELD;
    use crate::transport::tests::WRITES;
    use crate::{Config, Handler, Request, RequestId, Response};

    /// Application that responds to requests after each call of [`Engine::drive`], except for requests to `/later`.
    #[derive(Default)]
    struct App {
        now: Vec<(RequestId, usize)>,
        later: Vec<RequestId>,
    }

    impl Handler for App {
        fn request(&mut self, id: RequestId, request: &Request) {
            match request
                .path()
                .strip_prefix('/')
                .and_then(|path| path.parse().ok())
            {
                Some(length) => self.now.push((id, length)),
                None => self.later.push(id),
            }
        }
        fn aborted(&mut self, _: RequestId) {}
    }

    /// Application that responds while the engine passes it the request, as handlers without promises do.
    struct Direct<'a>(&'a Engine);

    impl Handler for Direct<'_> {
        fn request(&mut self, id: RequestId, _: &Request) {
            let response = Response::json(200, "xxxxx".into()).expect("a response");
            self.0.respond(id, response).expect("an open request");
        }
        fn aborted(&mut self, _: RequestId) {}
    }

    struct Test {
        engine: Engine,
        app: App,
        client: TcpStream,
    }

    impl Test {
        /// Starts a server, and sends requests to these paths, all at once.
        fn send(paths: &[&str]) -> Self {
            let config = Config {
                host: Some("127.0.0.1".into()),
                ..Config::default()
            };
            let engine = Engine::bind(config).expect("binds");
            let address = engine.local_addr().expect("an address");
            let mut client = TcpStream::connect(address).expect("connects");
            let mut requests = String::new();
            for path in paths {
                write!(requests, "GET /{path} HTTP/1.1\r\nhost: a\r\n\r\n").expect("a string");
            }
            client.write_all(requests.as_bytes()).expect("writes");
            client.set_nonblocking(true).expect("an option");
            // The client has sent everything before the server reads, so the server reads everything at once.
            WRITES.set(0);
            Self {
                engine,
                app: App::default(),
                client,
            }
        }

        fn turn(&mut self, most_rounds: usize) {
            self.engine.poll().expect("polls");
            for _ in 0..most_rounds {
                if !self.engine.has_work() {
                    break;
                }
                self.engine.drive(&mut self.app);
                for (id, length) in self.app.now.drain(..) {
                    let response = Response::json(200, vec![b'x'; length].into()).expect("a response");
                    self.engine.respond(id, response).expect("an open request");
                }
            }
            self.engine.flush();
        }

        /// Runs turns until the client has `count` responses, and returns them.
        fn responses(&mut self, count: usize) -> String {
            let mut bytes = Vec::new();
            let start = Instant::now();
            loop {
                self.turn(1000);
                // An error means that no more data has arrived yet.
                self.client.read_to_end(&mut bytes).ok();
                let text = String::from_utf8_lossy(&bytes);
                if text.matches("HTTP/1.1 200 OK").count() >= count {
                    return text.into_owned();
                }
                assert!(start.elapsed() < Duration::from_secs(10), "{text:.400}");
            }
        }

        fn unsent(&self) -> usize {
            let connections = self.engine.connections.borrow();
            let (_, connection) = connections.iter().next().expect("a connection");
            connection.link.unsent.borrow().len()
        }
    }

    #[test]
    fn sends_the_responses_to_requests_in_a_row_with_one_write() {
        let mut test = Test::send(&["5"; 40]);
        let text = test.responses(40);
        assert_eq!(text.matches("\r\n\r\nxxxxx").count(), 40);
        assert_eq!(WRITES.get(), 1);
    }

    #[test]
    fn sends_the_responses_of_a_turn_with_one_write_if_the_turn_ends_before_the_last_request() {
        let mut test = Test::send(&["5"; 40]);
        while WRITES.get() == 0 {
            test.turn(9);
        }
        assert_eq!((WRITES.get(), test.unsent()), (1, 0));
        test.responses(40);
        assert!(WRITES.get() <= 6, "{}", WRITES.get());
    }

    #[test]
    fn sends_the_responses_of_handlers_without_promises_if_the_turn_ends_before_the_last_request() {
        let mut test = Test::send(&["5"; 40]);
        let mut app = Direct(&test.engine);
        let start = Instant::now();
        while WRITES.get() == 0 {
            test.engine.poll().expect("polls");
            for _ in 0..9 {
                if test.engine.has_work() {
                    test.engine.drive(&mut app);
                }
            }
            test.engine.flush();
            assert!(start.elapsed() < Duration::from_secs(10));
        }
        assert_eq!((WRITES.get(), test.unsent()), (1, 0));
        let mut bytes = Vec::new();
        test.client.read_to_end(&mut bytes).ok();
        let count = String::from_utf8_lossy(&bytes).matches("HTTP/1.1 200 OK").count();
        assert!(
            (1..9).contains(&count),
            "{count} responses before the last request"
        );
    }

    #[test]
    fn sends_a_response_before_the_handler_of_the_next_request_responds() {
        let mut test = Test::send(&["5", "6", "later", "7"]);
        let text = test.responses(2);
        assert!(text.ends_with("xxxxxx"), "{text}");
        assert_eq!(WRITES.get(), 1);
        let id = test.app.later.pop().expect("a request");
        let response = Response::json(200, "late".into()).expect("a response");
        test.engine.respond(id, response).expect("an open request");
        let text = test.responses(2);
        assert!(
            text.contains("\r\n\r\nlate") && text.ends_with("xxxxxxx"),
            "{text}"
        );
        assert_eq!(WRITES.get(), 2);
    }

    #[test]
    fn holds_back_a_bounded_number_of_bytes() {
        let mut test = Test::send(&["10000"; 100]);
        let mut most = 0;
        while WRITES.get() == 0 {
            test.engine.poll().expect("polls");
            test.engine.drive(&mut test.app);
            for (id, length) in test.app.now.drain(..) {
                let response = Response::json(200, vec![b'x'; length].into()).expect("a response");
                test.engine.respond(id, response).expect("an open request");
            }
            if test.engine.connection_count() > 0 {
                most = most.max(test.unsent());
            }
        }
        assert!(most > MAX_HELD / 2 && most < MAX_HELD, "{most}");
        test.responses(100);
        assert!(WRITES.get() >= 100 * 10_000 / (MAX_HELD + 16 * 1024));
    }

    #[test]
    fn stops_reading_requests_if_the_client_reads_no_responses() {
        let mut test = Test::send(&vec!["12000"; 2500]);
        let mut most = 0;
        for _ in 0..200 {
            test.turn(1000);
            most = most.max(test.unsent());
            std::thread::sleep(Duration::from_micros(200));
        }
        assert!(most > 0 && most < MAX_HELD + 16 * 1024, "{most}");
        let text = test.responses(2500);
        assert!(text.matches('x').count() >= 2499 * 12_000);
    }
}
