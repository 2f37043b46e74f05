//! Writes lines to standard output. A failed write never stops the program: the reader may close its end, or a disk may
//! be full for some time.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::Timestamp;

/// Maximum number of bytes in the queue. If it is full, lines are dropped.
const MOST: usize = 1024 * 1024;
/// Interval between attempts to write the queue while no other line is written.
const RETRY: Duration = Duration::from_millis(100);
/// Maximum time for writing the queue at the end of the program.
const LAST: Duration = Duration::from_secs(2);

static STDOUT: Mutex<Option<Lines<File>>> = Mutex::new(None);

/// Writes a line. `text` must not contain a line feed.
pub(crate) fn line(text: &str) {
    let is_waiting = with(|lines| {
        let was_waiting = lines.is_waiting();
        lines.add(text);
        !was_waiting && lines.is_waiting()
    });
    if !is_waiting {
        return;
    }
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async {
            while with(|lines| lines.is_waiting()) {
                tokio::time::sleep(RETRY).await;
                with(|lines| {
                    lines.flush();
                    false
                });
            }
        });
    }
}

/// Writes the queued lines. Call it at the end of the program.
pub(crate) fn finish() {
    let end = std::time::Instant::now() + LAST;
    while with(|lines| {
        lines.flush();
        lines.is_waiting()
    }) && std::time::Instant::now() < end
    {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn with(work: impl FnOnce(&mut Lines<File>) -> bool) -> bool {
    let mut stdout = STDOUT.lock().unwrap_or_else(PoisonError::into_inner);
    if stdout.is_none() {
        // A separate file descriptor avoids the buffer of `std::io::stdout`, which would keep and repeat parts of lines
        // after an error.
        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        *stdout = file.ok().map(Lines::new);
    }
    stdout.as_mut().is_some_and(work)
}

/// Lines that wait to be written.
struct Lines<W> {
    writer: W,
    /// Bytes that the writer has not accepted yet. They may begin in the middle of a line.
    pending: Vec<u8>,
    /// Number of lines that were dropped because the queue was full.
    dropped: u64,
    /// Error of the last write that failed.
    reason: String,
    /// True if no further write can succeed, because the reader is gone.
    is_closed: bool,
}

impl<W: Write> Lines<W> {
    fn new(writer: W) -> Self {
        Self {
            writer,
            pending: Vec::new(),
            dropped: 0,
            reason: String::new(),
            is_closed: false,
        }
    }

    fn is_waiting(&self) -> bool {
        !self.is_closed && (!self.pending.is_empty() || self.dropped > 0)
    }

    fn add(&mut self, line: &str) {
        if self.is_closed {
            return;
        }
        if self.pending.is_empty() && self.dropped == 0 {
            self.put(line);
        } else if self.dropped > 0 || self.pending.len() + line.len() > MOST {
            self.dropped += 1;
        } else {
            self.put(line);
        }
        self.flush();
    }

    fn put(&mut self, line: &str) {
        self.pending.extend_from_slice(line.as_bytes());
        self.pending.push(b'\n');
    }

    /// Writes as many queued bytes as the writer accepts now.
    fn flush(&mut self) {
        loop {
            while !self.pending.is_empty() {
                match self.writer.write(&self.pending) {
                    Ok(0) => return,
                    Ok(count) => drop(self.pending.drain(..count)),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    // EPIPE: the reader is gone. EBADF: standard output was never open.
                    Err(error)
                        if error.kind() == ErrorKind::BrokenPipe || error.raw_os_error() == Some(9) =>
                    {
                        self.is_closed = true;
                        self.pending = Vec::new();
                        return;
                    }
                    // ENOSPC, EDQUOT, EIO, EAGAIN: a later write may succeed.
                    Err(error) => {
                        self.reason = error.to_string();
                        return;
                    }
                }
            }
            if self.dropped == 0 {
                return;
            }
            let message = format!(
                "{} log entries were dropped: standard output took no more ({})",
                std::mem::take(&mut self.dropped),
                self.reason
            );
            let timestamp = Timestamp::from(SystemTime::now());
            self.put(&json!({ "level": "warn", "message": message, "timestamp": timestamp }).to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::{Lines, MOST};

    /// A disk with space for `room` more bytes; then each write fails with `error`.
    #[derive(Default)]
    struct Disk {
        room: usize,
        error: i32,
        written: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                return Err(io::Error::from_raw_os_error(self.error));
            }
            let count = bytes.len().min(self.room);
            self.room -= count;
            self.written.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Errors after which a later write may succeed: ENOSPC, EIO, EAGAIN and EDQUOT on Linux.
    const PASSING: [i32; 4] = [28, 5, 11, 122];

    #[test]
    fn keeps_queued_lines_while_the_disk_is_full() {
        for error in PASSING {
            let mut lines = Lines::new(Disk {
                room: 5,
                error,
                ..Disk::default()
            });
            lines.add("first");
            lines.add("second");
            assert_eq!(lines.writer.written, b"first", "{error}");
            assert!(lines.is_waiting());
            lines.writer.room = 100;
            lines.add("third");
            assert_eq!(lines.writer.written, b"first\nsecond\nthird\n", "{error}");
            assert!(!lines.is_waiting());
        }
    }

    #[test]
    fn reports_the_number_of_dropped_lines_when_writing_works_again() {
        let mut lines = Lines::new(Disk {
            error: 28,
            ..Disk::default()
        });
        let long = "x".repeat(MOST / 2);
        for _ in 0..4 {
            lines.add(&long);
        }
        assert_eq!(lines.dropped, 3);
        lines.writer.room = 2 * MOST;
        lines.flush();
        let written = String::from_utf8(std::mem::take(&mut lines.writer.written)).expect("text");
        let (_, warning) = written.split_once('\n').expect("two lines");
        assert!(
            warning.contains(
                "3 log entries were dropped: standard output took no more (No space left on device"
            ),
            "{warning}"
        );
        assert!(!lines.is_waiting());
    }

    #[test]
    fn stops_writing_without_an_error_if_the_reader_is_gone() {
        for error in [32, 9] {
            let mut lines = Lines::new(Disk {
                error,
                ..Disk::default()
            });
            lines.add("first");
            assert!(!lines.is_waiting());
            lines.writer.room = 100;
            lines.add("second");
            assert_eq!(lines.writer.written, b"", "{error}");
        }
    }
}
