//! What a command sees of the world it runs in.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// One of the two places that output goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Results: for the reader, or as JSON for a program.
    Out,
    /// Everything that is said on the way.
    Err,
}

/// The process around a command. Commands reach it only through this trait, so that tests can put them anywhere.
pub trait Environment {
    /// The working directory.
    fn current_dir(&self) -> io::Result<PathBuf>;
    /// An environment variable; nothing where it is not set or is not UTF-8.
    fn var(&self, name: &str) -> Option<String>;
    /// The time of day.
    fn now(&self) -> SystemTime;
    /// Whether a person looks at the stream.
    fn is_terminal(&self, stream: Stream) -> bool;
    /// Writes text as it is.
    fn write(&self, stream: Stream, text: &str) -> io::Result<()>;
    /// Runs a program of the project in a directory to its end, without input, and gives what it wrote.
    fn output(&self, program: &Path, args: &[String], directory: &Path) -> io::Result<Output>;
}

/// The process itself.
#[derive(Clone, Copy, Default)]
pub struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn current_dir(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn is_terminal(&self, stream: Stream) -> bool {
        match stream {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
        }
    }

    fn write(&self, stream: Stream, text: &str) -> io::Result<()> {
        match stream {
            Stream::Out => write_all(&mut io::stdout().lock(), text.as_bytes()),
            Stream::Err => write_all(&mut io::stderr().lock(), text.as_bytes()),
        }
    }

    fn output(&self, program: &Path, args: &[String], directory: &Path) -> io::Result<Output> {
        Command::new(program)
            .args(args)
            .current_dir(directory)
            .stdin(Stdio::null())
            .output()
    }
}

impl fmt::Debug for ProcessEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProcessEnvironment")
    }
}

/// Like `Write::write_all`, for pipes too that the host (Node does it) made non-blocking: a full one is waited for.
fn write_all(stream: &mut dyn io::Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    loop {
        match stream.flush() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::write_all;

    /// Takes three bytes, then none, in turn, as a full pipe does.
    #[derive(Default)]
    struct Pipe {
        taken: Vec<u8>,
        full: bool,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.full = !self.full;
            if self.full {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let some = &bytes[..bytes.len().min(3)];
            self.taken.extend_from_slice(some);
            Ok(some.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_pipe_loses_nothing() {
        let mut pipe = Pipe::default();
        write_all(&mut pipe, b"twelve bytes").unwrap();
        assert_eq!(pipe.taken, b"twelve bytes");
    }
}
