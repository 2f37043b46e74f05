//! What a command sees of the world it runs in.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::SystemTime;

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
    /// Whether there is a person to ask.
    fn can_ask(&self) -> bool;
    /// Asks for one of a few; the first is the likely one. Nothing where the person would rather stop; an error of the kind
    /// `Interrupted` where they press Ctrl-C.
    fn choose(&self, question: &str, choices: &[&str]) -> io::Result<Option<usize>>;
    /// Asks for a line of text. Nothing where the person would rather stop, and `Interrupted` as above.
    fn ask(&self, question: &str) -> io::Result<Option<String>>;
    /// Runs a program of the path to its end and says whether it succeeded. What it prints goes to standard error, or
    /// nowhere.
    fn run(&self, program: &str, args: &[&str], directory: &Path, speech: Speech) -> io::Result<bool>;
}

/// What becomes of what a program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// The person sees it.
    Shown,
    /// Nobody does.
    Dropped,
}
