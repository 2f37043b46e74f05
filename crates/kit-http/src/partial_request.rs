//! Requests of the fast path whose bodies arrive in several reads.

use kit_guard::{Layout, PlainChunks, PlainEnd};

use crate::raw_request::RawRequest;

/// Maximum size in bytes of a request whose body arrives in several reads. hyper reads larger requests: it passes their bodies on
/// with fewer copies, and need not read them a second time if it must write the response.
const MAX_BYTES: usize = 128 * 1024;

/// Position in a request whose head is complete.
pub(crate) struct Progress {
    layout: Layout,
    chunks: PlainChunks,
    /// Maximum size of the body in bytes.
    limit: usize,
}

/// Result of [`Progress::end_in`].
pub(crate) enum RequestEnd {
    /// The request is complete, and ends before this offset.
    At(usize),
    /// More bytes must arrive.
    Incomplete,
    /// hyper must read the request.
    Unusual,
}

impl Progress {
    pub(crate) fn new(layout: Layout, limit: usize) -> Self {
        Self {
            layout,
            chunks: PlainChunks::default(),
            limit,
        }
    }

    /// Searches for the end of the request. `bytes` must begin with the request.
    pub(crate) fn end_in(&mut self, bytes: &[u8]) -> RequestEnd {
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
            PlainEnd::At(end) => RequestEnd::At(head_end + end),
            PlainEnd::Incomplete if bytes.len().max(end) <= MAX_BYTES => RequestEnd::Incomplete,
            PlainEnd::Incomplete | PlainEnd::Unusual => RequestEnd::Unusual,
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
