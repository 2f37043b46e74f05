//! Access of commands to the process and the machine, as a trait that tests can implement.

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

/// The process in which a command runs. Commands use only this trait, so that tests can replace it.
pub trait Environment {
    /// Returns the working directory.
    fn current_dir(&self) -> io::Result<PathBuf>;
    /// Returns the value of an environment variable; `None` if it is not set or is not UTF-8.
    fn var(&self, name: &str) -> Option<String>;
    /// Returns the current time.
    fn now(&self) -> SystemTime;
    /// Returns true if the stream is a terminal.
    fn is_terminal(&self, stream: Stream) -> bool;
    /// Writes the text as it is, without a line break.
    fn write(&self, stream: Stream, text: &str) -> io::Result<()>;
    /// Runs a program of the project in a directory, with empty standard input. Waits until it exits and returns its output.
    fn output(&self, program: &Path, args: &[String], directory: &Path) -> io::Result<Output>;
    /// Returns true if a user can answer questions.
    fn can_ask(&self) -> bool;
    /// Asks the user to choose. The first choice is the default. Returns the index of the choice, or `None` if the user presses
    /// Esc. Ctrl-C is an error of the kind `Interrupted`.
    fn choose(&self, question: &str, choices: &[&str]) -> io::Result<Option<usize>>;
    /// Asks the user for a line of text. Returns `None` if the user presses Esc. Ctrl-C is an error of the kind `Interrupted`.
    fn ask(&self, question: &str) -> io::Result<Option<String>>;
    /// Runs a program from `PATH`, waits until it exits, and returns true if it succeeded. Its output goes to standard error or
    /// is discarded.
    fn run(&self, program: &str, args: &[&str], directory: &Path, speech: ProgramOutput) -> io::Result<bool>;
}

/// Destination of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOutput {
    /// Print the output on standard error.
    Print,
    /// Discard the output.
    Discard,
}
