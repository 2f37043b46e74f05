//! Stands between the socket and hyper: hyper is only shown bytes whose framing is beyond doubt.
//!
//! hyper accepts a `content-length` beside a `transfer-encoding`, equal duplicates of `content-length`, no or two
//! `host`s, lines that end in a bare LF, and more. Two servers that read the same bytes differently are how requests are
//! smuggled, so the guard follows the framing itself: it holds a head back until it is complete and has passed
//! [`crate::head::check`], then lets the body through while counting it. After a refusal nothing more is let through.

use crate::chunked::Chunked;
use crate::head::{self, Framing, Layout, Limits};
use crate::rejection::Rejection;

/// The guard of one connection.
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    phase: Phase,
    /// A head of which only the beginning has arrived.
    held: Vec<u8>,
    /// Where in `held` the unfinished line begins.
    line_start: usize,
    rejection: Option<Rejection>,
    /// Whether that was found in a body, whose head had passed.
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

/// What [`find_end`] saw.
enum HeadEnd {
    /// The head ends before this offset.
    At(usize),
    /// It is incomplete, and its last line begins here.
    Incomplete(usize),
}

impl Guard {
    /// A guard before whose first byte nothing came.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            phase: Phase::Head,
            held: Vec::new(),
            line_start: 0,
            rejection: None,
            in_body: false,
            heads: 0,
        }
    }

    /// Why the guard lets nothing through any more.
    pub fn rejection(&self) -> Option<Rejection> {
        self.rejection
    }

    /// Whether that was found in a body, whose head had passed.
    pub fn is_refused_in_body(&self) -> bool {
        self.in_body
    }

    /// Number of heads that [`Self::admit`] let pass.
    pub fn heads(&self) -> u64 {
        self.heads
    }

    /// Lets nothing through any more, for a reason that the bytes do not show.
    pub fn refuse(&mut self, rejection: Rejection) {
        self.in_body = self.is_in_body();
        self.rejection = Some(rejection);
        self.phase = Phase::Refused;
        self.held = Vec::new();
    }

    /// Whether a head has begun and not ended.
    pub fn is_in_head(&self) -> bool {
        matches!(self.phase, Phase::Head) && !self.held.is_empty()
    }

    /// Whether a head has passed whose body has not ended.
    pub fn is_in_body(&self) -> bool {
        matches!(self.phase, Phase::Body(_) | Phase::Chunked(_))
    }

    /// Whether the last message has ended and no byte of the next has come.
    pub fn is_between_messages(&self) -> bool {
        matches!(self.phase, Phase::Head) && self.held.is_empty()
    }

    /// The layout of bytes that are one whole request, nothing less and nothing more, with nothing unusual about it. It has
    /// passed then, and the guard stands behind it; otherwise the bytes are still to be admitted.
    /// `body_bytes` is the greatest body of such a request.
    pub fn admit_whole(&self, input: &[u8], body_bytes: usize) -> Option<Layout> {
        if !self.is_between_messages() {
            return None;
        }
        let Ok(HeadEnd::At(end)) = find_end(input, 0) else {
            return None;
        };
        // What is wrong with it is found again, and said, when the bytes are admitted.
        let checked = head::check(&input[..end], &self.limits).ok()?;
        let Framing::Length(length) = checked.framing else {
            return None;
        };
        let is_whole = usize::try_from(length) == Ok(input.len() - end);
        (is_whole && checked.is_plain && length <= body_bytes as u64).then_some(checked.layout)
    }

    /// Takes bytes from the socket and passes on what may be shown to hyper.
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
            Phase::Head => self.take_head(input, pass),
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
                let (taken, done) = chunked.follow(input, pass)?;
                if done {
                    self.phase = Phase::Head;
                }
                Ok(taken)
            }
            Phase::Refused => Ok(input.len()),
        }
    }

    fn take_head(&mut self, input: &[u8], pass: &mut impl FnMut(&[u8])) -> Result<usize, Rejection> {
        if self.held.is_empty() {
            // Empty lines before a request are an old habit of clients, which RFC 9112 asks servers to forgive.
            if let Some(skipped) = input.strip_prefix(b"\r\n") {
                return Ok(input.len() - skipped.len());
            }
            if !head::starts_request(input[0]) {
                return Err(Rejection::bad_request("the bytes are no HTTP request"));
            }
            let found = find_end(input, 0).map_err(|error| self.earliest(input, error))?;
            if let HeadEnd::At(end) = found {
                // The common case: the whole head in one read, checked where it lies.
                let head = &input[..end];
                let checked = head::check(head, &self.limits);
                self.phase = phase_after(checked.map_err(|error| self.earliest(head, error))?.framing);
                self.heads += 1;
                pass(head);
                return Ok(end);
            }
        }
        self.hold(input, pass)
    }

    fn hold(&mut self, input: &[u8], pass: &mut impl FnMut(&[u8])) -> Result<usize, Rejection> {
        if self.held == b"\r" && input[0] == b'\n' {
            self.held.clear();
            return Ok(1);
        }
        let before = self.held.len();
        // One byte more than the limit suffices to know that it is passed.
        let room = (self.limits.head_bytes + 1).saturating_sub(before);
        self.held.extend_from_slice(&input[..input.len().min(room)]);
        let found =
            find_end(&self.held, self.line_start).map_err(|error| self.earliest(&self.held, error))?;
        match found {
            HeadEnd::At(end) => {
                let head = &self.held[..end];
                let checked = head::check(head, &self.limits);
                let framing = checked.map_err(|error| self.earliest(head, error))?.framing;
                pass(head);
                self.held.clear();
                self.heads += 1;
                self.line_start = 0;
                self.phase = phase_after(framing);
                Ok(end - before)
            }
            HeadEnd::Incomplete(line_start) => {
                let is_first_line = self.line_start == 0;
                let is_long = is_first_line && self.has_long_line(&self.held);
                // This head may never become complete.
                if is_long
                    || (is_first_line && head::endless_method(&self.held).is_some())
                    || self.held.len() > self.limits.head_bytes
                    || has_bare_cr(&self.held[self.line_start..])
                {
                    return Err(self.earliest(&self.held, Rejection::HEADERS_TOO_LARGE));
                }
                self.line_start = line_start;
                Ok(input.len())
            }
        }
    }

    /// Longest request line with a target that is not too long.
    fn longest_line(&self) -> usize {
        self.limits.target_bytes.saturating_add(64)
    }

    fn has_long_line(&self, head: &[u8]) -> bool {
        let line = self.longest_line();
        head.len() > line && memchr::memchr(b'\n', &head[..=line]).is_none()
    }

    /// What is wrong with a head, or with the beginning of one: of all that is known before it is complete, what is
    /// known first, so that it does not depend on how the bytes were cut; else what a check of the whole found.
    fn earliest(&self, head: &[u8], found: Rejection) -> Rejection {
        let lf = memchr::memchr_iter(b'\n', head).find(|at| *at == 0 || head[at - 1] != b'\r');
        let cr =
            memchr::memchr_iter(b'\r', head).find(|at| head.get(at + 1).is_some_and(|next| *next != b'\n'));
        let line = self.longest_line();
        let is_long = self.has_long_line(head);
        let is_large = head.len() > self.limits.head_bytes;
        // Each with the number of bytes after which it is known.
        let causes = [
            lf.map(|at| (at + 1, LINE_END)),
            is_long.then_some((line + 1, Rejection::TARGET_TOO_LONG)),
            is_large.then_some((self.limits.head_bytes + 1, Rejection::HEADERS_TOO_LARGE)),
            cr.map(|at| (at + 2, LINE_END)),
            head::endless_method(head),
        ];
        let first = causes.into_iter().flatten().min_by_key(|(known, _)| *known);
        first.map_or(found, |(_, rejection)| rejection)
    }
}

/// What the guard of a connection lets through of a stream that comes in these pieces, and why it stopped. For tests.
#[must_use]
pub fn screen<'a>(
    limits: Limits,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<u8>, Option<Rejection>) {
    let mut guard = Guard::new(limits);
    let mut passed = Vec::new();
    for piece in pieces {
        guard.admit(piece, &mut |bytes| passed.extend_from_slice(bytes));
    }
    (passed, guard.rejection())
}

fn phase_after(framing: Framing) -> Phase {
    match framing {
        Framing::Length(0) => Phase::Head,
        Framing::Length(length) => Phase::Body(length),
        Framing::Chunked => Phase::Chunked(Box::default()),
    }
}

const LINE_END: Rejection = Rejection::bad_request("lines must end with CRLF");

fn has_bare_cr(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1).is_some_and(|next| *next != b'\n'))
}

/// Looks for the empty line, from the beginning of a line on.
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
