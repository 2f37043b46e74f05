//! Timeouts of a connection, for its peer and for its responses.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use kit_guard::{Pace, READ_RATE};
use tokio::time::{Instant, Sleep, sleep_until};

/// Maximum times for the actions of a peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// Time from the first byte of a request to the end of its head, and from the beginning of a connection to its first byte, if
    /// `idle` is not shorter.
    pub(crate) head: Duration,
    /// Time from the end of the head to the end of the body. For a body that the handler reads while the body arrives, the
    /// time by which the peer may be behind `body_rate`.
    pub(crate) body: Duration,
    /// Minimum number of bytes per second of a body that the handler reads while the body arrives. 0 for none.
    pub(crate) body_rate: u32,
    /// Time between two requests. The default is longer than the 60 seconds of common load balancers, so that the load
    /// balancer closes first, and sends no further request into a closing connection. For load balancers that open connections
    /// before they have requests, `head` must be longer than these 60 seconds too.
    pub(crate) idle: Duration,
    /// Maximum time by which the peer may fall behind [`kit_guard::READ_RATE`] while bytes of a response wait. A peer that reads
    /// nothing falls behind by the whole wait.
    pub(crate) write: Duration,
}

#[cfg(feature = "http2")]
impl Timeouts {
    /// Returns the times that apply to a connection of HTTP/2 as a whole.
    pub(super) fn of_http2(&self) -> kit_http2::Timeouts {
        kit_http2::Timeouts {
            head: self.head,
            idle: self.idle,
            write: self.write,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(300),
            body_rate: 240,
            idle: Duration::from_secs(72),
            write: Duration::from_secs(60),
        }
    }
}

/// An action of the peer that the server waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// No action of the peer: the server is busy with a response.
    Nothing,
    Idle,
    Head,
    Body,
    /// Next bytes of a body that the handler reads while the body arrives.
    Chunk,
}

/// A point in time that can be moved. Moving it to a later time does not touch the timer: if the timer fires too
/// early, it is set again.
#[derive(Debug, Default)]
pub(super) struct Deadline {
    at: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Waker of the task that polled the deadline last. The timer calls it when it fires.
    waker: Option<Waker>,
}

impl Deadline {
    /// Sets the deadline to `since + time`.
    pub(super) fn set(&mut self, since: Instant, time: Duration) {
        self.at = since.checked_add(time);
    }

    /// Sets the deadline to a time, or removes the deadline.
    pub(super) fn set_at(&mut self, at: Option<std::time::Instant>) {
        self.at = at.map(Instant::from_std);
    }

    /// Removes the deadline.
    pub(super) fn clear(&mut self) {
        self.at = None;
    }

    /// Returns true if a deadline is set.
    pub(super) fn is_set(&self) -> bool {
        self.at.is_some()
    }

    /// Ready if the deadline has passed. Otherwise the task is woken at the deadline.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.at else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
        loop {
            if timer.deadline() > at {
                timer.as_mut().reset(at);
            } else if !timer.is_elapsed()
                && self
                    .waker
                    .as_ref()
                    .is_some_and(|waker| waker.will_wake(context.waker()))
            {
                return Poll::Pending;
            }
            match timer.as_mut().poll(context) {
                Poll::Pending => {
                    self.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
                Poll::Ready(()) if Instant::now() >= at => {
                    self.at = None;
                    self.timer = None;
                    self.waker = None;
                    return Poll::Ready(());
                }
                Poll::Ready(()) => {
                    timer.as_mut().reset(at);
                    self.waker = None;
                }
            }
        }
    }
}

/// Limit for the time in which a client accepts no bytes, or few.
#[derive(Debug)]
pub(super) struct WriteTimeout {
    time: Duration,
    deadline: Deadline,
    pace: Pace,
}

impl WriteTimeout {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            time,
            deadline: Deadline::default(),
            pace: Pace::new(READ_RATE),
        }
    }

    /// Forgets that the client was slow, because its next request has arrived.
    pub(super) fn restart(&mut self) {
        self.pace = Pace::new(READ_RATE);
    }

    /// Returns the result of a write. Fails if the client accepts too few bytes.
    pub(super) fn limit_write(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let written = self.limit(written, context);
        if let Poll::Ready(Ok(count)) = written {
            self.pace.receive(count);
        }
        written
    }

    /// Returns the result of a write or of a flush. Fails if results have been pending for too long. With TLS, a flush
    /// waits too: the TLS connection accepts bytes before the client does.
    pub(super) fn limit<T>(
        &mut self,
        result: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            if self.pace.is_waiting() {
                self.pace.pause(Instant::now().into_std());
                self.deadline.clear();
            }
            return result;
        }
        if !self.pace.is_waiting() {
            self.pace.wait(Instant::now().into_std());
            self.deadline.set_at(self.pace.deadline(self.time));
        }
        ready!(self.deadline.poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// A timeout that responses use one after another with the same timer. Most requests take so little time that a timer
/// for each would cost more than the request.
#[derive(Debug, Default)]
pub(crate) struct ReusableTimeout(Mutex<Deadline>);

impl ReusableTimeout {
    /// Polls `work` until it is ready and returns its result; `None` if `work` takes longer than `time`. Without `time`
    /// there is no limit.
    pub(crate) async fn wait<T>(
        &self,
        time: Option<Duration>,
        mut work: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Option<T> {
        let mut is_waiting = false;
        poll_fn(|context| {
            if let Poll::Ready(done) = work(context) {
                return Poll::Ready(Some(done));
            }
            let Some(time) = time else { return Poll::Pending };
            let mut deadline = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !is_waiting {
                deadline.set(Instant::now(), time);
                is_waiting = true;
            }
            deadline.poll(context).map(|()| None)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::{ReusableTimeout, WriteTimeout};

    /// Returns true if work that takes `work` milliseconds ends before a timeout of `time` milliseconds.
    async fn ends(timeout: &ReusableTimeout, work: u64, time: Option<u64>) -> bool {
        let mut work = pin!(sleep(Duration::from_millis(work)));
        let time = time.map(Duration::from_millis);
        let done = timeout.wait(time, |context| work.as_mut().poll(context)).await;
        done.is_some()
    }

    /// Returns the number of writes after which a client is too slow. Each write waits for some milliseconds, and then writes
    /// `bytes`. `None` if 20 writes succeed.
    async fn fails_after(bytes: usize) -> Option<usize> {
        let mut timeout = WriteTimeout::new(Duration::from_millis(100));
        for number in 0..20 {
            let begin = Instant::now();
            let mut pause = pin!(sleep(Duration::from_millis(30)));
            let written = poll_fn(|context| {
                let written = pause.as_mut().poll(context).map(|()| Ok(bytes));
                timeout.limit_write(written, context)
            });
            if written.await.is_err() {
                assert!(begin.elapsed() < Duration::from_secs(5));
                return Some(number);
            }
        }
        None
    }

    #[test]
    fn write_fails_if_the_client_accepts_few_bytes() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            assert!(
                fails_after(1)
                    .await
                    .is_some_and(|number| (1..8).contains(&number))
            );
            assert_eq!(fails_after(10_000).await, None);
            let mut timeout = WriteTimeout::new(Duration::from_millis(20));
            let silent = poll_fn(|context| timeout.limit::<()>(Poll::Pending, context));
            assert!(silent.await.is_err());
        });
    }

    #[test]
    fn timeout_begins_anew_for_each_call() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let timeout = ReusableTimeout::default();
            for _ in 0..4 {
                assert!(ends(&timeout, 30, Some(90)).await);
            }
            assert!(!ends(&timeout, 60_000, Some(90)).await);
            assert!(ends(&timeout, 1, Some(90)).await && ends(&timeout, 100, None).await);
        });
    }
}
