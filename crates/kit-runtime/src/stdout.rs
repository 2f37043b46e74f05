//! Writes lines to standard output. A write never stops or delays the program: the reader may close its end or stop
//! reading, or a disk may be full for some time. A thread writes the lines, because a write to a full pipe blocks.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd as _;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use crate::Timestamp;

/// Maximum number of bytes that wait to be written. Lines above it are dropped.
const MOST: usize = 1024 * 1024;
/// Pause after a failed write.
const RETRY: Duration = Duration::from_millis(100);

static STDOUT: Output = Output::new();

/// Writes a line soon. `text` must not contain a line feed.
pub(crate) fn line(text: &str) {
    #[cfg(feature = "testing")]
    if crate::testing::captured::keep(text) {
        return;
    }
    STDOUT.add(text);
    STDOUT.start(|| {
        // A separate file descriptor avoids the buffer of `std::io::stdout`, which would keep and repeat parts of lines
        // after an error.
        match io::stdout().as_fd().try_clone_to_owned() {
            Ok(descriptor) => STDOUT.run(File::from(descriptor)),
            // Standard output was never open.
            Err(_) => STDOUT.close(),
        }
    });
}

/// Waits until the lines are written, but not longer than `longest`. Called at the end of the program.
pub(crate) fn finish(longest: Duration) {
    STDOUT.wait_until_written(longest);
}

/// Lines on their way to a writer.
struct Output {
    queue: Mutex<Queue>,
    /// Notified if the queue gets its first line, and if all lines are written.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Lines that the writer has not taken yet.
    pending: Vec<u8>,
    /// Number of bytes that the writer has taken and not written yet.
    taken: usize,
    /// Number of lines that were dropped because too many bytes waited.
    dropped: u64,
    /// Error that currently prevents the bytes in `taken` from being written. `None` if there is no error.
    failure: Option<String>,
    /// Error because of which lines were dropped. `None` if the reader was too slow.
    reason: Option<String>,
    /// True if a thread writes the lines.
    has_thread: bool,
    /// True if no further write can succeed, because the reader has closed the output.
    is_closed: bool,
}

impl Output {
    const fn new() -> Self {
        Self {
            queue: Mutex::new(Queue {
                pending: Vec::new(),
                taken: 0,
                dropped: 0,
                failure: None,
                reason: None,
                has_thread: false,
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a line.
    fn add(&self, line: &str) {
        let mut queue = self.lock();
        if queue.is_closed {
            return;
        }
        let waiting = queue.waiting();
        // After a dropped line, the next line is the one that reports it.
        if queue.dropped > 0 || (waiting > 0 && waiting + line.len() > MOST) {
            queue.dropped += 1;
            let Queue { reason, failure, .. } = &mut *queue;
            *reason = reason.take().or_else(|| failure.clone());
            return;
        }
        queue.put(line);
        drop(queue);
        self.changed.notify_all();
    }

    /// Starts the thread that writes the lines, unless it runs already. If the system has no thread left, the next line
    /// tries again.
    fn start(&self, run: fn()) {
        let mut queue = self.lock();
        if !queue.has_thread {
            queue.has_thread = thread::Builder::new().name("log".to_owned()).spawn(run).is_ok();
        }
    }

    /// Writes lines until the reader closes the output.
    fn run(&self, mut writer: impl Write) {
        loop {
            let bytes = self.take();
            if !self.write(&bytes, &mut writer) {
                self.close();
                return;
            }
            let mut queue = self.lock();
            queue.taken = 0;
            queue.failure = None;
            drop(queue);
            self.changed.notify_all();
        }
    }

    /// Waits for lines and takes all lines. If lines were dropped, adds a last line with their number and the
    /// reason.
    fn take(&self) -> Vec<u8> {
        let mut queue = self.lock();
        while queue.pending.is_empty() && queue.dropped == 0 {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.report_dropped();
        let bytes = std::mem::take(&mut queue.pending);
        queue.taken = bytes.len();
        bytes
    }

    /// Writes the bytes, and retries after each failure. Returns false if the reader has closed the output.
    fn write(&self, mut bytes: &[u8], writer: &mut impl Write) -> bool {
        while !bytes.is_empty() {
            match writer.write(bytes) {
                Ok(count) if count > 0 => {
                    bytes = &bytes[count..];
                    self.lock().taken = bytes.len();
                }
                Ok(_) => thread::sleep(RETRY),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // EPIPE: the reader is gone. EBADF: standard output was never open.
                Err(error) if error.kind() == ErrorKind::BrokenPipe || error.raw_os_error() == Some(9) => {
                    return false;
                }
                // EAGAIN: a slow reader of a pipe that does not block.
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY / 10),
                // ENOSPC, EDQUOT, EIO: a later write may succeed.
                Err(error) => {
                    let mut queue = self.lock();
                    queue.failure = Some(error.to_string());
                    drop(queue);
                    thread::sleep(RETRY);
                }
            }
        }
        true
    }

    /// Discards all lines, now and later.
    fn close(&self) {
        *self.lock() = Queue {
            is_closed: true,
            has_thread: true,
            ..Queue::default()
        };
        self.changed.notify_all();
    }

    fn wait_until_written(&self, longest: Duration) {
        let end = Instant::now() + longest;
        let mut queue = self.lock();
        while queue.waiting() > 0 || queue.dropped > 0 {
            let Some(rest) = end.checked_duration_since(Instant::now()) else {
                return;
            };
            (queue, _) = self
                .changed
                .wait_timeout(queue, rest)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queue {
    /// Number of bytes that are not written yet.
    fn waiting(&self) -> usize {
        self.pending.len() + self.taken
    }

    fn put(&mut self, line: &str) {
        self.pending.extend_from_slice(line.as_bytes());
        self.pending.push(b'\n');
    }

    fn report_dropped(&mut self) {
        if self.dropped == 0 {
            return;
        }
        let (level, reason) = match self.reason.take() {
            Some(reason) => ("error", format!("writing the log failed: {reason}")),
            None => ("warn", "the reader of the log is too slow".to_owned()),
        };
        let message = format!("{} log entries were dropped: {reason}", self.dropped);
        self.dropped = 0;
        let timestamp = Timestamp::from(SystemTime::now());
        self.put(&json!({ "level": level, "message": message, "timestamp": timestamp }).to_string());
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Condvar, Mutex, PoisonError};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::{MOST, Output};

    /// Longest time that a test waits for a thread.
    const LONG: Duration = Duration::from_secs(20);

    /// A disk with space for `room` more bytes; then each write fails with `error`, or blocks if `error` is 0.
    #[derive(Default)]
    struct Disk {
        room: usize,
        error: i32,
        written: Vec<u8>,
        writes: usize,
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<(Mutex<Disk>, Condvar)>);

    impl Shared {
        fn new(room: usize, error: i32) -> Self {
            let shared = Self::default();
            shared.change(|disk| (disk.room, disk.error) = (room, error));
            shared
        }

        fn change(&self, work: impl FnOnce(&mut Disk)) {
            work(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
            self.0.1.notify_all();
        }

        fn wait_until(&self, holds: impl Fn(&Disk) -> bool) {
            let disk = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (disk, time) = self
                .0
                .1
                .wait_timeout_while(disk, LONG, |disk| !holds(disk))
                .expect("no panic");
            assert!(!time.timed_out(), "{} bytes were written", disk.written.len());
        }

        fn text(&self) -> String {
            let disk = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            String::from_utf8(disk.written.clone()).expect("text")
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut disk = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            disk.writes += 1;
            self.0.1.notify_all();
            while disk.room == 0 && disk.error == 0 {
                disk = self.0.1.wait(disk).unwrap_or_else(PoisonError::into_inner);
            }
            if disk.room == 0 {
                return Err(io::Error::from_raw_os_error(disk.error));
            }
            let count = bytes.len().min(disk.room);
            disk.room -= count;
            disk.written.extend_from_slice(&bytes[..count]);
            self.0.1.notify_all();
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Ends the writing thread when the test ends, also by a failed assertion. Otherwise the scope would wait for the
    /// thread forever.
    struct ThreadEnd<'a>(&'a Shared, &'a Output);

    impl Drop for ThreadEnd<'_> {
        fn drop(&mut self) {
            // EPIPE ends the thread.
            self.0.change(|disk| (disk.room, disk.error) = (0, 32));
            self.1.add("last");
        }
    }

    /// Runs a test with a thread that writes to the disk. The thread ends with the test.
    fn with_output(disk: &Shared, test: impl FnOnce(&Output)) {
        let output = Output::new();
        thread::scope(|threads| {
            threads.spawn(|| output.run(disk.clone()));
            let _end = ThreadEnd(disk, &output);
            test(&output);
        });
    }

    /// Errors after which a later write may succeed: ENOSPC, EIO, EAGAIN and EDQUOT on Linux.
    const PASSING: [i32; 4] = [28, 5, 11, 122];

    #[test]
    fn keeps_queued_lines_while_the_disk_is_full() {
        for error in PASSING {
            let disk = Shared::new(5, error);
            with_output(&disk, |output| {
                output.add("first");
                output.add("second");
                disk.wait_until(|disk| disk.writes >= 2);
                assert_eq!(disk.text(), "first", "{error}");
                output.wait_until_written(Duration::from_millis(1));
                assert!(output.lock().waiting() > 0);
                disk.change(|disk| disk.room = 100);
                output.add("third");
                output.wait_until_written(LONG);
                assert_eq!(disk.text(), "first\nsecond\nthird\n", "{error}");
            });
        }
    }

    #[test]
    fn reports_the_number_of_dropped_lines_when_writing_works_again() {
        let disk = Shared::new(0, 28);
        with_output(&disk, |output| {
            let long = "x".repeat(MOST / 2);
            output.add(&long);
            disk.wait_until(|disk| disk.writes >= 2);
            for _ in 0..3 {
                output.add(&long);
            }
            assert_eq!(output.lock().dropped, 3);
            disk.change(|disk| disk.room = 2 * MOST);
            output.wait_until_written(LONG);
            let text = disk.text();
            let (_, report) = text.split_once('\n').expect("two lines");
            assert!(
                report
                    .contains("3 log entries were dropped: writing the log failed: No space left on device"),
                "{report}"
            );
            output.add("after");
            output.wait_until_written(LONG);
            assert!(disk.text().ends_with("\nafter\n"));
        });
    }

    #[test]
    fn log_neither_blocks_nor_grows_if_the_reader_of_standard_output_stops_reading() {
        let disk = Shared::new(1000, 0);
        with_output(&disk, |output| {
            let line = "x".repeat(1023);
            let count = 4 * MOST / 1024;
            output.add(&line);
            // The second write blocks. A thread that starts later takes its lines when some of the others are already
            // dropped, and reports the dropped lines in two parts.
            disk.wait_until(|disk| disk.writes >= 2);
            for _ in 1..count {
                output.add(&line);
            }
            assert!(output.lock().waiting() <= MOST);
            let began = Instant::now();
            output.wait_until_written(Duration::from_millis(20));
            assert!(began.elapsed() < LONG / 2);
            disk.change(|disk| disk.room = 2 * MOST);
            output.wait_until_written(LONG);
            let text = disk.text();
            let (lines, report) = text.trim_end().rsplit_once('\n').expect("several lines");
            let dropped = count - lines.lines().count();
            assert!(
                report.contains(&format!(
                    "{dropped} log entries were dropped: the reader of the log is too slow"
                )),
                "{report}"
            );
        });
    }

    #[test]
    fn stops_writing_without_an_error_if_the_reader_is_gone() {
        for error in [32, 9] {
            let disk = Shared::new(0, error);
            let output = Output::new();
            output.add("first");
            output.run(disk.clone());
            disk.change(|disk| disk.room = 100);
            output.add("second");
            output.wait_until_written(LONG);
            assert_eq!(disk.text(), "", "{error}");
        }
    }
}
