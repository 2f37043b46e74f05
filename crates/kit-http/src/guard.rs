//! Stands between the socket and hyper: hyper is only shown bytes whose framing is beyond doubt.
//!
//! hyper accepts a `content-length` beside a `transfer-encoding`, equal duplicates of `content-length`, no or two
//! `host`s, lines that end in a bare LF, and more. Two servers that read the same bytes differently are how requests are
//! smuggled, so the guard follows the framing itself: it holds a head back until it is complete and has passed
//! [`crate::head::check`], then lets the body through while counting it. After a refusal nothing more is let through.

use crate::chunked::Chunked;
use crate::config::Limits;
use crate::head::{self, Framing};
use crate::rejection::Rejection;

/// The guard of one connection.
#[derive(Debug)]
pub(crate) struct Guard {
    limits: Limits,
    phase: Phase,
    /// A head of which only the beginning has arrived.
    held: Vec<u8>,
    /// Where in `held` the unfinished line begins.
    line_start: usize,
    rejection: Option<Rejection>,
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
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            phase: Phase::Head,
            held: Vec::new(),
            line_start: 0,
            rejection: None,
        }
    }

    /// Why the guard lets nothing through any more.
    pub(crate) fn rejection(&self) -> Option<Rejection> {
        self.rejection
    }

    /// Whether a head has begun and not ended.
    pub(crate) fn is_in_head(&self) -> bool {
        matches!(self.phase, Phase::Head) && !self.held.is_empty()
    }

    /// Whether the last message has ended and no byte of the next has come.
    pub(crate) fn is_between_messages(&self) -> bool {
        matches!(self.phase, Phase::Head) && self.held.is_empty()
    }

    /// Whether a body has begun and not ended.
    pub(crate) fn is_in_body(&self) -> bool {
        matches!(self.phase, Phase::Body(_) | Phase::Chunked(_))
    }

    /// Takes bytes from the socket and passes on what may be shown to hyper.
    pub(crate) fn admit(&mut self, mut input: &[u8], pass: &mut impl FnMut(&[u8])) {
        while !input.is_empty() {
            match self.step(input, pass) {
                Ok(taken) => input = &input[taken..],
                Err(rejection) => {
                    self.rejection = Some(rejection);
                    self.phase = Phase::Refused;
                    self.held = Vec::new();
                    return;
                }
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
            if let HeadEnd::At(end) = find_end(input, 0)? {
                // The common case: the whole head in one read, checked where it lies.
                self.phase = phase_after(head::check(&input[..end], &self.limits)?);
                pass(&input[..end]);
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
        match find_end(&self.held, self.line_start)? {
            HeadEnd::At(end) => {
                let framing = head::check(&self.held[..end], &self.limits)?;
                pass(&self.held[..end]);
                self.held.clear();
                self.line_start = 0;
                self.phase = phase_after(framing);
                Ok(end - before)
            }
            HeadEnd::Incomplete(line_start) => {
                let in_request_line = line_start == 0;
                if in_request_line && self.held.len() > self.limits.target_bytes + 64 {
                    return Err(Rejection::TARGET_TOO_LONG);
                }
                if self.held.len() > self.limits.head_bytes {
                    return Err(Rejection::HEADERS_TOO_LARGE);
                }
                if has_bare_cr(&self.held[self.line_start..]) {
                    // The check of the complete head says so too, but this head may never become complete.
                    return Err(LINE_END);
                }
                self.line_start = line_start;
                Ok(input.len())
            }
        }
    }
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
