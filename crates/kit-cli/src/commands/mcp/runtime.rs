//! Runs the service of the SDK on this thread, in turns.
//!
//! The SDK needs tokio. Its tasks run only while the command calls [`Runtime::turn`], which returns as soon as a tool is
//! called, output is there, or all tasks wait for input. Tools run between turns, because they need the host of the command,
//! and may use tokio themselves.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use rmcp::serve_server;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex, split};
use tokio::sync::mpsc;

use super::service::{Call, Service};

/// Bytes between the command and the service in each direction.
const BUFFER: usize = 64 * 1024;

/// The service, and its streams.
pub(super) struct Runtime {
    tokio: tokio::runtime::Runtime,
    idle: Arc<Idle>,
    /// The command's end of the stream to the service.
    stream: DuplexStream,
    /// Input that the service has not taken yet.
    input: Vec<u8>,
    calls: mpsc::UnboundedReceiver<Call>,
    has_ended: bool,
}

/// Reason why a turn ends.
pub(super) enum Turn {
    /// A tool is called.
    Call(Call),
    /// The service sends a text.
    Output(String),
    /// All tasks wait for input.
    Idle,
}

/// Signal that all tasks wait: tokio is about to park the thread.
#[derive(Default)]
struct Idle {
    is_idle: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Runtime {
    /// Starts the service.
    pub(super) fn new(allow_run: bool) -> io::Result<Self> {
        let idle = Arc::new(Idle::default());
        let parked = Arc::clone(&idle);
        let tokio = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .on_thread_park(move || {
                parked.is_idle.store(true, Ordering::Relaxed);
                let waker = parked.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(waker) = waker {
                    waker.wake();
                }
            })
            .build()?;
        let (stream, other) = duplex(BUFFER);
        let (sender, calls) = mpsc::unbounded_channel();
        let service = Service {
            calls: sender,
            allow_run,
        };
        tokio.spawn(async move {
            // The handshake fails if the stream ends before it. There is nothing to report then.
            if let Ok(running) = serve_server(service, split(other)).await {
                let _ = running.waiting().await;
            }
        });
        Ok(Self {
            tokio,
            idle,
            stream,
            input: Vec::new(),
            calls,
            has_ended: false,
        })
    }

    /// Adds input for the next turn.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
    }

    /// Ends the input after the bytes that were added.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Runs the tasks of the service until something happens.
    pub(super) fn turn(&mut self) -> Turn {
        let Self {
            tokio,
            idle,
            stream,
            input,
            calls,
            has_ended,
        } = self;
        tokio.block_on(async {
            let (mut output, mut sink) = split(stream);
            let mut buffer = vec![0; BUFFER];
            loop {
                idle.is_idle.store(false, Ordering::Relaxed);
                tokio::select! {
                    biased;
                    Some(call) = calls.recv() => return Turn::Call(call),
                    read = output.read(&mut buffer) => match read {
                        Ok(count) if count > 0 => return Turn::Output(text_of(&mut output, &buffer[..count]).await),
                        _ => return Turn::Idle,
                    },
                    written = sink.write(input), if !input.is_empty() => match written {
                        Ok(count) if count > 0 => drop(input.drain(..count)),
                        _ => input.clear(),
                    },
                    () = idle.wait() => {
                        if !*has_ended {
                            return Turn::Idle;
                        }
                        *has_ended = false;
                        // The service ends when its input does.
                        let _ = sink.shutdown().await;
                    }
                }
            }
        })
    }
}

impl Idle {
    /// Waits until tokio is about to park the thread.
    async fn wait(&self) {
        let mut wait = pin!(std::future::poll_fn(|task| {
            if self.is_idle.swap(false, Ordering::Relaxed) {
                return Poll::Ready(());
            }
            *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.waker().clone());
            Poll::Pending
        }));
        wait.as_mut().await;
    }
}

/// Returns the text of `bytes`, and reads the rest of its last character, if the character is not complete.
async fn text_of(output: &mut (impl tokio::io::AsyncRead + Unpin), bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    while let Err(error) = std::str::from_utf8(&bytes) {
        let mut more = [0];
        if error.error_len().is_some() || !matches!(output.read(&mut more).await, Ok(1)) {
            break;
        }
        bytes.extend(more);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
