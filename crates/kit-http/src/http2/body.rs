//! Bodies of requests.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::RecvStream;
use http_body::{Frame, SizeHint};

use crate::collecting::BodyEndedEarly;

/// Body of a request. The client may send more as soon as a chunk is read.
pub(crate) struct RecvBody {
    stream: RecvStream,
    /// Length that the client has declared.
    length: Option<u64>,
}

impl RecvBody {
    pub(crate) fn new(stream: RecvStream, length: Option<u64>) -> Self {
        Self { stream, length }
    }
}

impl http_body::Body for RecvBody {
    type Data = Bytes;
    type Error = BodyEndedEarly;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyEndedEarly>>> {
        let stream = &mut self.get_mut().stream;
        Poll::Ready(match ready!(stream.poll_data(context)) {
            None => None,
            Some(Err(_)) => Some(Err(BodyEndedEarly)),
            Some(Ok(data)) => {
                // Fails only if more is released than was received.
                let _ = stream.flow_control().release_capacity(data.len());
                Some(Ok(Frame::data(data)))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}
