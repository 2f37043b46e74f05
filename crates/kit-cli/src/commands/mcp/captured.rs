//! An environment that keeps the output of a command.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::SystemTime;

use crate::{Environment, ProgramOutput, Stream};

/// The process, but with output in memory and without a user who answers questions.
pub(super) struct Captured<'a> {
    process: &'a dyn Environment,
    out: RefCell<String>,
    err: RefCell<String>,
}

impl<'a> Captured<'a> {
    pub(super) fn new(process: &'a dyn Environment) -> Self {
        Self {
            process,
            out: RefCell::default(),
            err: RefCell::default(),
        }
    }

    /// Returns the texts of standard output and standard error.
    pub(super) fn into_texts(self) -> (String, String) {
        (self.out.into_inner(), self.err.into_inner())
    }
}

impl Environment for Captured<'_> {
    fn current_dir(&self) -> io::Result<PathBuf> {
        self.process.current_dir()
    }

    fn var(&self, name: &str) -> Option<String> {
        self.process.var(name)
    }

    fn now(&self) -> SystemTime {
        self.process.now()
    }

    fn is_terminal(&self, _stream: Stream) -> bool {
        false
    }

    fn write(&self, stream: Stream, text: &str) -> io::Result<()> {
        let kept = match stream {
            Stream::Out => &self.out,
            Stream::Err => &self.err,
        };
        kept.borrow_mut().push_str(text);
        Ok(())
    }

    fn output(&self, program: &Path, args: &[String], directory: &Path) -> io::Result<Output> {
        self.process.output(program, args, directory)
    }

    fn can_ask(&self) -> bool {
        false
    }

    fn choose(&self, _question: &str, _choices: &[&str]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn ask(&self, _question: &str) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn run(&self, program: &str, args: &[&str], directory: &Path, speech: ProgramOutput) -> io::Result<bool> {
        self.process.run(program, args, directory, speech)
    }
}
