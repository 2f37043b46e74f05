//! Bodies that are compressed while they are sent.

use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use axum::body::{Body, Bytes};
use flate2::write::GzEncoder;
use hyper::body::{Body as _, Frame};

use super::Coding;

/// Quality of brotli, from 0 to 11. The default of most libraries, 11, needs fifty times as long for a body. With 4,
/// brotli is as fast as gzip, and its result is smaller.
const BROTLI_QUALITY: u32 = 4;
/// Logarithm of the window of brotli, which limits the memory of a stream.
const BROTLI_WINDOW: u32 = 18;
/// Size of the output buffer of brotli.
const BROTLI_BUFFER: usize = 4096;
/// Maximum number of bytes that are compressed before other requests of the thread get their turn.
const MAX_PART: usize = 16 * 1024;

enum Encoder {
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
    Gzip(GzEncoder<Vec<u8>>),
}

impl Encoder {
    fn new(coding: Coding) -> Self {
        match coding {
            Coding::Brotli => {
                let writer =
                    brotli::CompressorWriter::new(Vec::new(), BROTLI_BUFFER, BROTLI_QUALITY, BROTLI_WINDOW);
                Self::Brotli(Box::new(writer))
            }
            Coding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), flate2::Compression::default())),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Brotli(writer) => writer.write_all(bytes),
            Self::Gzip(writer) => writer.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Brotli(writer) => writer.flush(),
            Self::Gzip(writer) => writer.flush(),
        }
    }

    /// Returns the compressed bytes that can be sent now.
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Brotli(writer) => writer.get_mut(),
            Self::Gzip(writer) => writer.get_mut(),
        })
    }

    /// Ends the compressed body, and returns its last bytes.
    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Brotli(writer) => Ok(writer.into_inner()),
            Self::Gzip(writer) => writer.finish(),
        }
    }
}

/// Body that compresses another body. If the other body has no more bytes for now, the bytes so far are flushed, so
/// that a client receives each event of a slow stream at once.
pub(super) struct CompressedBody {
    inner: Body,
    /// Compressed bytes that were not sent yet.
    ready: Bytes,
    /// Error of `inner`. The error is reported after the bytes in `ready` are sent.
    failure: Option<axum::Error>,
    /// Bytes of `inner` that are not compressed yet.
    rest: Bytes,
    /// `None` after the end of the body.
    encoder: Option<Encoder>,
    /// True if the encoder may hold bytes back.
    is_unflushed: bool,
}

impl CompressedBody {
    pub(super) fn new(inner: Body, coding: Coding) -> Self {
        Self {
            inner,
            ready: Bytes::new(),
            failure: None,
            rest: Bytes::new(),
            encoder: Some(Encoder::new(coding)),
            is_unflushed: false,
        }
    }
}

impl hyper::body::Body for CompressedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if !this.ready.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut this.ready)))));
        }
        if let Some(error) = this.failure.take() {
            return Poll::Ready(Some(Err(error)));
        }
        loop {
            let Some(encoder) = &mut this.encoder else {
                return Poll::Ready(None);
            };
            if !this.rest.is_empty() {
                let part = this.rest.split_to(this.rest.len().min(MAX_PART));
                encoder.write(&part).map_err(axum::Error::new)?;
                this.is_unflushed = true;
                if let Some(frame) = frame_of(encoder.take()) {
                    return Poll::Ready(Some(Ok(frame)));
                }
                continue;
            }
            match Pin::new(&mut this.inner).poll_frame(task) {
                // Trailers are not sent: no part of kit creates them.
                Poll::Ready(Some(frame)) => {
                    if let Ok(data) = frame?.into_data() {
                        this.rest = data;
                    }
                }
                Poll::Ready(None) => {
                    let last = this.encoder.take().map(Encoder::finish);
                    let last = last.transpose().map_err(axum::Error::new)?.unwrap_or_default();
                    return Poll::Ready(frame_of(last).map(Ok));
                }
                Poll::Pending => {
                    if std::mem::take(&mut this.is_unflushed) {
                        encoder.flush().map_err(axum::Error::new)?;
                        if let Some(frame) = frame_of(encoder.take()) {
                            return Poll::Ready(Some(Ok(frame)));
                        }
                    }
                    return Poll::Pending;
                }
            }
        }
    }
}

/// Returns a frame with the bytes. Returns `None` if there are no bytes, because an empty chunk would end a
/// chunked body.
fn frame_of(bytes: Vec<u8>) -> Option<Frame<Bytes>> {
    (!bytes.is_empty()).then(|| Frame::data(bytes.into()))
}

/// Compresses a body whose bytes are all in memory. A body that has to wait is compressed while it is sent.
pub(super) fn compress_now(body: Body, coding: Coding) -> Body {
    let mut compressed = CompressedBody::new(body, coding);
    let mut bytes = Vec::new();
    let mut task = Context::from_waker(Waker::noop());
    loop {
        match Pin::new(&mut compressed).poll_frame(&mut task) {
            Poll::Ready(Some(Ok(frame))) => {
                bytes.extend(frame.into_data().unwrap_or_default());
                continue;
            }
            Poll::Ready(None) => return Body::from(bytes),
            Poll::Ready(Some(Err(error))) => compressed.failure = Some(error),
            Poll::Pending => {}
        }
        compressed.ready = bytes.into();
        return Body::new(compressed);
    }
}
