//! The guard of a connection. It stands between the socket and hyper: hyper only sees bytes whose framing is
//! unambiguous.
//!
//! hyper accepts `content-length` next to `transfer-encoding`, repeated equal `content-length`s, a missing or repeated
//! `host`, lines that end with a bare LF, and more. If two servers interpret the same bytes differently, attackers can
//! smuggle requests. So the guard parses the framing itself: it holds back a head until the head is complete and has
//! passed [`crate::head::check`], then passes the body and counts its bytes. After a rejection, no more bytes pass.

use crate::chunked::Chunked;
use crate::head::{self, Framing, Layout, Limits};
use crate::rejection::Rejection;

/// Guard of one connection. Pass received bytes to [`Guard::admit`].
///
/// ```
/// use kit_guard::{Guard, Limits};
///
/// let mut guard = Guard::new(Limits::default());
/// let mut passed = Vec::new();
/// guard.admit(b"GET / HTTP/1.1\nhost: a\r\n\r\n", &mut |bytes| passed.extend_from_slice(bytes));
/// assert!(passed.is_empty());
/// assert_eq!(guard.rejection().map(|rejection| rejection.status), Some(400));
/// ```
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    phase: Phase,
    /// Bytes of an incomplete head.
    buffered_head: Vec<u8>,
    /// Start of the unfinished line in `buffered_head`.
    line_start: usize,
    /// Number of empty lines before the next head.
    empty_lines: usize,
    rejection: Option<Rejection>,
    /// True if the rejected bytes belong to a body. The guard has already accepted the head of the request
    /// with this body.
    in_body: bool,
    heads: u64,
}

#[derive(Debug)]
enum Phase {
    Head,
    Body(u64),
    Chunked(Box<Chunked>),
    Refused,
}

/// Maximum number of empty lines before a head. Without a limit, a client could keep the server reading bytes that never become a
/// request.
const MAX_EMPTY_LINES: usize = 8;

/// Result of [`find_end`].
enum HeadEnd {
    /// The head ends before this offset.
    At(usize),
    /// The head is incomplete, and its last line begins at this offset.
    Incomplete(usize),
}

impl Guard {
    /// Creates a guard for a new connection.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let guard = Guard::new(Limits::default());
    /// assert!(guard.is_between_messages());
    /// ```
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            phase: Phase::Head,
            buffered_head: Vec::new(),
            line_start: 0,
            empty_lines: 0,
            rejection: None,
            in_body: false,
            heads: 0,
        }
    }

    /// Returns the reason if the guard has rejected bytes. After a rejection, no more bytes pass.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// assert_eq!(guard.rejection(), None);
    /// guard.admit(b"GET / HTTP/1.1\r\n\r\n", &mut |_| ());
    /// assert_eq!(guard.rejection().unwrap().message, "the header `host` is missing");
    /// ```
    pub fn rejection(&self) -> Option<Rejection> {
        self.rejection
    }

    /// Returns true if the rejected bytes belong to a body. The guard has already accepted the head of the
    /// request with this body.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// guard.admit(b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n", &mut |_| ());
    /// guard.admit(b"not a chunk\r\n", &mut |_| ());
    /// assert!(guard.is_refused_in_body());
    /// ```
    pub fn is_refused_in_body(&self) -> bool {
        self.in_body
    }

    /// Returns the number of heads that passed [`Self::admit`].
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// guard.admit(&b"GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(2), &mut |_| ());
    /// assert_eq!(guard.heads(), 2);
    /// ```
    pub fn heads(&self) -> u64 {
        self.heads
    }

    /// Rejects all further bytes for a reason that the guard cannot detect itself, such as a timeout.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits, Rejection};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// guard.refuse(Rejection::TIMEOUT);
    /// guard.admit(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n", &mut |_| unreachable!("no byte passes"));
    /// assert_eq!(guard.rejection(), Some(Rejection::TIMEOUT));
    /// ```
    pub fn refuse(&mut self, rejection: Rejection) {
        self.in_body = self.is_in_body();
        self.rejection = Some(rejection);
        self.phase = Phase::Refused;
        self.buffered_head = Vec::new();
    }

    /// Returns true if a head has begun and is not complete.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// guard.admit(b"GET / HTTP/1.1\r\nhos", &mut |_| ());
    /// assert!(guard.is_in_head());
    /// ```
    pub fn is_in_head(&self) -> bool {
        matches!(self.phase, Phase::Head) && !self.buffered_head.is_empty()
    }

    /// Returns true if the guard has accepted a request head and the body of that request is not complete.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// guard.admit(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nab", &mut |_| ());
    /// assert!(guard.is_in_body());
    /// guard.admit(b"c", &mut |_| ());
    /// assert!(!guard.is_in_body());
    /// ```
    pub fn is_in_body(&self) -> bool {
        matches!(self.phase, Phase::Body(_) | Phase::Chunked(_))
    }

    /// Returns true if the last message is complete and no byte of the next message has arrived.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// guard.admit(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n", &mut |_| ());
    /// assert!(guard.is_between_messages());
    /// guard.admit(b"G", &mut |_| ());
    /// assert!(!guard.is_between_messages());
    /// ```
    pub fn is_between_messages(&self) -> bool {
        matches!(self.phase, Phase::Head) && self.buffered_head.is_empty()
    }

    /// Returns the layout of a request if the bytes begin with the complete head of a simple request: a path as its target, a body
    /// of at most `body_bytes` bytes or a chunked body, and no header field that needs special treatment, such as `expect`.
    /// Otherwise returns `None`.
    ///
    /// The body may be incomplete, so [`Layout::end`] may lie behind the input. The caller compares it with the number of its bytes,
    /// and reads a chunked body with [`crate::PlainChunks`].
    ///
    /// The guard itself sees nothing of the request, except that empty lines before the request no longer count. If the caller cannot
    /// read the body, the caller must pass the bytes to [`Self::admit`], together with all bytes that have arrived after them.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// let request = b"GET /notes HTTP/1.1\r\nhost: a\r\n\r\n";
    /// let layout = guard.simple_head(request, 1024).unwrap();
    /// assert_eq!(&request[layout.method_end + 1..layout.path_end], b"/notes");
    /// assert_eq!(layout.end, request.len());
    /// assert!(guard.simple_head(&request[..10], 1024).is_none());
    ///
    /// let request = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nab";
    /// let layout = guard.simple_head(request, 1024).unwrap();
    /// assert_eq!(layout.end, request.len() + 2);
    /// ```
    pub fn simple_head(&mut self, input: &[u8], body_bytes: usize) -> Option<Layout> {
        if !self.is_between_messages() {
            return None;
        }
        let Ok(HeadEnd::At(end)) = find_end(input, 0) else {
            return None;
        };
        // An error is not reported here, because `admit` finds it again.
        let checked = head::check(&input[..end], &self.limits).ok()?;
        let length = match checked.framing {
            Framing::Length(length) => usize::try_from(length).ok()?,
            Framing::Chunked => 0,
        };
        let end = end.checked_add(length)?;
        if !checked.is_plain || length > body_bytes {
            return None;
        }
        self.empty_lines = 0;
        Some(Layout {
            end,
            ..checked.layout
        })
    }

    /// Checks bytes from the socket and passes on the bytes that hyper may see.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// let mut passed = Vec::new();
    /// guard.admit(b"GET / HTTP/1.1\r\n", &mut |bytes| passed.extend_from_slice(bytes));
    /// assert!(passed.is_empty(), "the head is not complete");
    /// guard.admit(b"host: a\r\n\r\n", &mut |bytes| passed.extend_from_slice(bytes));
    /// assert_eq!(passed, b"GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    /// ```
    pub fn admit(&mut self, mut input: &[u8], pass: &mut impl FnMut(&[u8])) {
        while !input.is_empty() {
            match self.step(input, pass) {
                Ok(taken) => input = &input[taken..],
                Err(rejection) => return self.refuse(rejection),
            }
        }
    }

    fn step(&mut self, input: &[u8], pass: &mut impl FnMut(&[u8])) -> Result<usize, Rejection> {
        match &mut self.phase {
            Phase::Head => self.read_head(input, pass),
            Phase::Body(left) => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                pass(&input[..taken]);
                *left -= taken as u64;
                if *left == 0 {
                    self.phase = Phase::Head;
                }
                Ok(taken)
            }
            Phase::Chunked(chunked) => {
                let (taken, done) = chunked.parse(input, pass)?;
                if done {
                    self.phase = Phase::Head;
                }
                Ok(taken)
            }
            Phase::Refused => Ok(input.len()),
        }
    }

    fn read_head(&mut self, input: &[u8], pass: &mut impl FnMut(&[u8])) -> Result<usize, Rejection> {
        if self.buffered_head.is_empty() {
            if input.starts_with(b"\r\n") {
                return self.skip_empty_line().map(|()| 2);
            }
            if !head::starts_request(input[0]) {
                return Err(Rejection::bad_request("the bytes are not an HTTP request"));
            }
            let found = find_end(input, 0).map_err(|error| self.first_detectable_error(input, error))?;
            if let HeadEnd::At(end) = found {
                // The common case: one read returns the whole head, which is checked without copying.
                let head = &input[..end];
                let checked = head::check(head, &self.limits);
                let framing = checked
                    .map_err(|error| self.first_detectable_error(head, error))?
                    .framing;
                self.begin_body(framing);
                pass(head);
                return Ok(end);
            }
        }
        self.buffer_head(input, pass)
    }

    fn buffer_head(&mut self, input: &[u8], pass: &mut impl FnMut(&[u8])) -> Result<usize, Rejection> {
        if self.buffered_head == b"\r" && input[0] == b'\n' {
            self.buffered_head.clear();
            return self.skip_empty_line().map(|()| 1);
        }
        let before = self.buffered_head.len();
        // One byte above the limit is enough to detect that the head is too large.
        let room = (self.limits.head_bytes + 1).saturating_sub(before);
        self.buffered_head
            .extend_from_slice(&input[..input.len().min(room)]);
        let found = find_end(&self.buffered_head, self.line_start)
            .map_err(|error| self.first_detectable_error(&self.buffered_head, error))?;
        match found {
            HeadEnd::At(end) => {
                let head = &self.buffered_head[..end];
                let checked = head::check(head, &self.limits);
                let framing = checked
                    .map_err(|error| self.first_detectable_error(head, error))?
                    .framing;
                pass(head);
                self.buffered_head.clear();
                self.line_start = 0;
                self.begin_body(framing);
                Ok(end - before)
            }
            HeadEnd::Incomplete(line_start) => {
                let is_first_line = self.line_start == 0;
                let is_long = is_first_line && self.has_long_line(&self.buffered_head);
                // The head cannot become valid any more, so reject it before it is complete.
                if is_long
                    || (is_first_line && head::endless_method(&self.buffered_head).is_some())
                    || self.buffered_head.len() > self.limits.head_bytes
                    || has_bare_cr(&self.buffered_head[self.line_start..])
                {
                    return Err(
                        self.first_detectable_error(&self.buffered_head, Rejection::HEADERS_TOO_LARGE)
                    );
                }
                self.line_start = line_start;
                Ok(input.len())
            }
        }
    }

    /// Skips an empty line before a head. Old clients send an empty line after a body, which servers should ignore (RFC 9112,
    /// 2.2).
    fn skip_empty_line(&mut self) -> Result<(), Rejection> {
        self.empty_lines += 1;
        if self.empty_lines > MAX_EMPTY_LINES {
            return Err(Rejection::bad_request("too many empty lines before a request"));
        }
        Ok(())
    }

    /// Records that a head has passed, and expects its body.
    fn begin_body(&mut self, framing: Framing) {
        self.heads += 1;
        self.empty_lines = 0;
        self.phase = match framing {
            Framing::Length(0) => Phase::Head,
            Framing::Length(length) => Phase::Body(length),
            Framing::Chunked => Phase::Chunked(Box::new(Chunked::new(self.limits.header_fields))),
        };
    }

    /// Returns the maximum length of a request line whose target is not too long.
    fn max_line(&self) -> usize {
        self.limits.target_bytes.saturating_add(64)
    }

    fn has_long_line(&self, head: &[u8]) -> bool {
        let line = self.max_line();
        head.len() > line && memchr::memchr(b'\n', &head[..=line]).is_none()
    }

    /// Returns the reason to reject a head, or the beginning of a head. If several errors are detectable
    /// before the head is complete, returns the error that is detectable first, so that the result does not
    /// depend on how the bytes were split. If no such error exists, returns `found`, which is the result of a
    /// check of the whole head.
    fn first_detectable_error(&self, head: &[u8], found: Rejection) -> Rejection {
        let lf = memchr::memchr_iter(b'\n', head).find(|index| *index == 0 || head[index - 1] != b'\r');
        let cr = memchr::memchr_iter(b'\r', head)
            .find(|index| head.get(index + 1).is_some_and(|next| *next != b'\n'));
        let line = self.max_line();
        let is_long = self.has_long_line(head);
        let is_large = head.len() > self.limits.head_bytes;
        // Each error, with the number of bytes after which it is detectable.
        let causes = [
            lf.map(|index| (index + 1, LINE_END)),
            is_long.then_some((line + 1, Rejection::TARGET_TOO_LONG)),
            is_large.then_some((self.limits.head_bytes + 1, Rejection::HEADERS_TOO_LARGE)),
            cr.map(|index| (index + 2, LINE_END)),
            head::endless_method(head),
        ];
        let first = causes
            .into_iter()
            .flatten()
            .min_by_key(|(detectable_after, _)| *detectable_after);
        first.map_or(found, |(_, rejection)| rejection)
    }
}

/// Sends a stream through a new guard. `reads` are the parts in which the stream arrives. Returns the bytes that pass, and
/// the rejection, if the guard rejects the stream. For tests.
///
/// ```
/// use kit_guard::{Limits, guard_stream};
///
/// let (passed, rejection) = guard_stream(Limits::default(), [&b"GET / HT"[..], b"TP/2.0\r\n\r\n"]);
/// assert!(passed.is_empty());
/// assert_eq!(rejection.unwrap().status, 505);
/// ```
#[must_use]
pub fn guard_stream<'a>(
    limits: Limits,
    reads: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<u8>, Option<Rejection>) {
    let mut guard = Guard::new(limits);
    let mut passed = Vec::new();
    for read in reads {
        guard.admit(read, &mut |bytes| passed.extend_from_slice(bytes));
    }
    (passed, guard.rejection())
}

const LINE_END: Rejection = Rejection::bad_request("lines must end with CRLF");

fn has_bare_cr(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|index| bytes.get(index + 1).is_some_and(|next| *next != b'\n'))
}

/// Searches for the empty line at the end of a head. `from` must be the start of a line.
fn find_end(bytes: &[u8], from: usize) -> Result<HeadEnd, Rejection> {
    let mut line_start = from;
    while let Some(length) = memchr::memchr(b'\n', &bytes[line_start..]) {
        let line = &bytes[line_start..line_start + length];
        if line.last() != Some(&b'\r') {
            return Err(LINE_END);
        }
        line_start += length + 1;
        if line.len() == 1 {
            return Ok(HeadEnd::At(line_start));
        }
    }
    Ok(HeadEnd::Incomplete(line_start))
}
