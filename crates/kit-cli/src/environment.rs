//! Access of commands to the process and the machine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::SystemTime;

/// Output stream of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, for results: text for people or JSON for programs.
    Out,
    /// Standard error, for progress, warnings and errors.
    Err,
}

/// The process that a command runs in. Commands access it only through this trait, so that tests can replace it.
pub trait Environment {
    /// Returns the working directory.
    fn current_dir(&self) -> io::Result<PathBuf>;
    /// Returns an environment variable; `None` if it is not set or not UTF-8.
    fn var(&self, name: &str) -> Option<String>;
    /// Returns the current time.
    fn now(&self) -> SystemTime;
    /// Returns true if the stream is a terminal.
    fn is_terminal(&self, stream: Stream) -> bool;
    /// Writes text unchanged.
    fn write(&self, stream: Stream, text: &str) -> io::Result<()>;
    /// Runs a program of the project in a directory without input, waits for its exit, and returns its output.
    fn output(&self, program: &Path, args: &[String], directory: &Path) -> io::Result<Output>;
    /// Returns true if a user can answer questions.
    fn can_ask(&self) -> bool;
    /// Asks the user to choose; the first choice is the default. Returns the index, or `None` if the user cancels. Ctrl-C is
    /// an error of the kind `Interrupted`.
    fn choose(&self, question: &str, choices: &[&str]) -> io::Result<Option<usize>>;
    /// Asks the user for a line of text. Returns `None` if the user cancels. Ctrl-C is an error of the kind `Interrupted`.
    fn ask(&self, question: &str) -> io::Result<Option<String>>;
    /// Runs a program from the path, waits for its exit, and returns true if it succeeded. The program's output goes to standard
    /// error or is discarded.
    fn run(&self, program: &str, args: &[&str], directory: &Path, speech: ProgramOutput) -> io::Result<bool>;
}

/// Handling of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOutput {
    /// Print the output on standard error.
    Print,
    /// Discard the output.
    Discard,
}
