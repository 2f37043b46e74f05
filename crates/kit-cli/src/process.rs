//! The environment of a command that runs in this process.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use inquire::{InquireError, Select, Text};

use crate::{Environment, ProgramOutput, Stream};

/// Variables that belong to one repository, as `git rev-parse --local-env-vars` lists them, without those of `git -c`.
const GIT_VARIABLES: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];

/// The current process.
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
        let mut command = Command::new(program);
        if program == Path::new("git") {
            // git sets these variables for its hooks. A command in a hook would change the files of the user's commit.
            for name in GIT_VARIABLES {
                command.env_remove(name);
            }
        }
        command
            .args(args)
            .current_dir(directory)
            .stdin(Stdio::null())
            .output()
    }

    fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn choose(&self, question: &str, choices: &[&str]) -> io::Result<Option<usize>> {
        answered(
            Select::new(question, choices.to_vec())
                .raw_prompt()
                .map(|option| option.index),
        )
    }

    fn ask(&self, question: &str) -> io::Result<Option<String>> {
        answered(Text::new(question).prompt())
    }

    fn run(&self, program: &str, args: &[&str], directory: &Path, speech: ProgramOutput) -> io::Result<bool> {
        // On Windows, these programs are scripts. They can only be started with their file extension.
        let program = if cfg!(windows) && matches!(program, "npm" | "pnpm" | "yarn") {
            format!("{program}.cmd")
        } else {
            program.to_owned()
        };
        let mut command = Command::new(program);
        command.args(args).current_dir(directory).stdin(Stdio::null());
        match speech {
            // Passed explicitly, because Node does not let other programs inherit its standard streams.
            ProgramOutput::Print => command.stdout(io::stderr()).stderr(io::stderr()),
            ProgramOutput::Discard => command.stdout(Stdio::null()).stderr(Stdio::null()),
        };
        Ok(command.status()?.success())
    }
}

/// Converts the answer to a question. Esc gives `None`, and Ctrl-C an error of the kind `Interrupted`.
fn answered<T>(answer: Result<T, InquireError>) -> io::Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled) => Ok(None),
        Err(InquireError::OperationInterrupted) => Err(io::ErrorKind::Interrupted.into()),
        Err(InquireError::IO(error)) => Err(error),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

impl fmt::Debug for ProcessEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProcessEnvironment")
    }
}

/// Writes all bytes, even to a non-blocking pipe: if the pipe is full, waits and tries again. Node makes pipes non-blocking,
/// with which `Write::write_all` fails.
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

    /// A pipe that accepts three bytes, is full once, accepts three bytes, and so on.
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
    fn writes_all_bytes_to_a_pipe_that_is_sometimes_full() {
        let mut pipe = Pipe::default();
        write_all(&mut pipe, b"twelve bytes").unwrap();
        assert_eq!(pipe.taken, b"twelve bytes");
    }
}
