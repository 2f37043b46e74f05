//! Requests of the fast path whose bodies arrive in several reads.

use kit_guard::{Layout, PlainChunks, PlainEnd};

use crate::raw_request::RawRequest;

/// Maximum size in bytes of a request whose body arrives in several reads. The read buffer of the engine has the same size, which is
/// the maximum of a request in one read. hyper reads larger requests: it passes their bodies on with fewer copies, and need not read
/// them a second time if it must write the response.
const MAX_BYTES: usize = 128 * 1024;

/// Position in a request whose head is complete.
pub(crate) struct Progress {
    layout: Layout,
    chunks: PlainChunks,
    /// Maximum size of the body in bytes.
    limit: usize,
}

impl Progress {
    pub(crate) fn new(layout: Layout, limit: usize) -> Self {
        Self {
            layout,
            chunks: PlainChunks::default(),
            limit,
        }
    }

    /// Searches for the end of the request. `bytes` must begin with the request. hyper must read a request that is
    /// [`PlainEnd::Unusual`].
    pub(crate) fn end_in(&mut self, bytes: &[u8]) -> PlainEnd {
        let Layout { head_end, end, .. } = self.layout;
        let found = if self.layout.is_chunked {
            let body = bytes.get(head_end..).unwrap_or_default();
            self.chunks.read(body, self.limit, &mut |_| {})
        } else if end - head_end > self.limit {
            PlainEnd::Unusual
        } else if bytes.len() >= end {
            PlainEnd::At(end - head_end)
        } else {
            PlainEnd::Incomplete
        };
        match found {
            PlainEnd::At(end) => PlainEnd::At(head_end + end),
            PlainEnd::Incomplete if bytes.len().max(end) > MAX_BYTES => PlainEnd::Unusual,
            other => other,
        }
    }

    /// Creates the request from its bytes, after its end was found.
    pub(crate) fn finish(&self, bytes: &[u8]) -> RawRequest {
        if self.layout.is_chunked {
            RawRequest::with_chunks(bytes, self.layout, self.chunks.length())
        } else {
            RawRequest::new(bytes, self.layout)
        }
    }
}

/// A part of a request: its head, and the beginning of its body.
pub(crate) struct PartialRequest {
    /// All bytes that have arrived. hyper gets them if the request turns out to be unusual.
    pub(crate) bytes: Vec<u8>,
    pub(crate) progress: Progress,
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpStream;

    use super::MAX_BYTES;
    use crate::{BodyRule, BodyRules, Config, Engine, Handler, Request, RequestId};

    const HEAD: &str = "POST / HTTP/1.1\r\nhost: a\r\n";

    /// For each request: true if the fast path has read it, and the length of its body.
    #[derive(Default)]
    struct Log(Vec<(bool, usize)>);

    impl Handler for Log {
        fn request(&mut self, _: RequestId, request: &Request) {
            self.0.push((request.as_raw().is_some(), request.body().len()));
        }
        fn aborted(&mut self, _: RequestId) {}
    }

    struct Test {
        engine: Engine,
        client: TcpStream,
        log: Log,
    }

    impl Test {
        fn start(is_streamed: bool) -> Self {
            let rule_of = move |_: &str, _: &str| BodyRule {
                is_streamed,
                ..BodyRule::default()
            };
            let engine = Engine::bind(Config {
                host: Some("127.0.0.1".into()),
                body_rules: Some(BodyRules::new(0, rule_of)),
                ..Config::default()
            })
            .expect("binds");
            let client = TcpStream::connect(engine.local_addr().expect("an address")).expect("connects");
            client.set_nodelay(true).expect("an option");
            let log = Log::default();
            Self { engine, client, log }
        }

        /// Sends bytes in one piece, which the server reads. Returns true if the fast path waits for the rest of a request.
        fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
            self.client.write_all(bytes.as_ref()).expect("writes");
            self.engine.poll().expect("polls");
            while self.engine.has_work() {
                self.engine.drive(&mut self.log);
            }
            let connections = self.engine.connections.borrow();
            connections
                .iter()
                .any(|(_, connection)| connection.link.has_partial_request())
        }
    }

    #[test]
    fn fast_path_takes_a_request_whose_body_arrives_after_its_head() {
        for (begun, rest) in [
            ("content-length: 4\r\n\r\n", "abcd"),
            ("content-length: 4\r\n\r\nab", "cd"),
            ("transfer-encoding: chunked\r\n\r\n", "4\r\nabcd\r\n0\r\n\r\n"),
            (
                "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n2",
                "\r\ncd\r\n0\r\n\r\n",
            ),
        ] {
            let mut test = Test::start(false);
            assert!(test.send(format!("{HEAD}{begun}")), "{begun:?}");
            assert!(!test.send(rest), "{begun:?}");
            assert_eq!(test.log.0, [(true, 4)], "{begun:?}");
        }
    }

    #[test]
    fn hyper_takes_a_request_with_an_extension_or_trailer_and_a_body_that_its_handler_reads_in_chunks() {
        for (is_streamed, begun, rest, length) in [
            (false, "2;a=1\r\nab\r\n", "2\r\ncd\r\n0\r\n\r\n", 4),
            (false, "4\r\nabcd\r\n0\r\nt: v\r\n", "\r\n", 4),
            (true, "2\r\nab\r\n", "2\r\ncd\r\n0\r\n\r\n", 0),
        ] {
            let mut test = Test::start(is_streamed);
            let begun = format!("{HEAD}transfer-encoding: chunked\r\n\r\n{begun}");
            assert!(!test.send(&begun), "{begun:?}");
            test.send(rest);
            assert_eq!(test.log.0, [(false, length)], "{begun:?}");
        }
        let mut test = Test::start(false);
        assert!(test.send(format!("{HEAD}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n")));
        assert!(!test.send("0\r\nt: v\r\n"), "the trailer arrives later");
        test.send("\r\n");
        assert_eq!(test.log.0, [(false, 2)]);
    }

    #[test]
    fn fast_path_takes_a_request_of_the_maximum_size_and_hyper_a_larger_one() {
        let length_of = |total: usize| total - format!("{HEAD}content-length: {total}\r\n\r\n").len();
        for (length, is_fast) in [(length_of(MAX_BYTES), true), (length_of(MAX_BYTES) + 1, false)] {
            let mut test = Test::start(false);
            assert_eq!(
                test.send(format!("{HEAD}content-length: {length}\r\n\r\n")),
                is_fast
            );
            for part in vec![b'a'; length].chunks(50_000) {
                test.send(part);
            }
            assert_eq!(test.log.0, [(is_fast, length)]);
        }
        let mut test = Test::start(false);
        assert!(test.send(format!(
            "{HEAD}transfer-encoding: chunked\r\n\r\n{MAX_BYTES:x}\r\n"
        )));
        for part in vec![b'a'; MAX_BYTES].chunks(50_000) {
            test.send(part);
        }
        assert!(!test.send("\r\n0\r\n\r\n"));
        assert_eq!(test.log.0, [(false, MAX_BYTES)]);
    }
}
