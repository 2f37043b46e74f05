//! An environment that keeps the output of a command in memory.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::SystemTime;

use crate::{Environment, ProgramOutput, Stream};

/// The process, but with output in memory and without a user who answers questions.
pub(crate) struct Captured<'a> {
    process: &'a dyn Environment,
    written: RefCell<Vec<(Stream, String)>>,
}

impl<'a> Captured<'a> {
    pub(crate) fn new(process: &'a dyn Environment) -> Self {
        Self {
            process,
            written: RefCell::default(),
        }
    }

    /// Returns the texts of standard output and standard error.
    pub(crate) fn into_texts(self) -> (String, String) {
        let (out, err): (Vec<_>, Vec<_>) = self
            .written
            .into_inner()
            .into_iter()
            .partition(|(stream, _)| *stream == Stream::Out);
        (joined(out), joined(err))
    }

    /// Returns the text of both streams, in the order of the writes.
    pub(crate) fn into_text(self) -> String {
        joined(self.written.into_inner())
    }
}

fn joined(written: Vec<(Stream, String)>) -> String {
    written.into_iter().map(|(_, text)| text).collect()
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
        self.written.borrow_mut().push((stream, text.to_owned()));
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
