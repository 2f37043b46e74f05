//! Responses in lines of JSON.

use std::marker::PhantomData;

use kit_runtime::Contract;
use reqwest::Response;

use crate::json::read;
use crate::{Error, Undeclared};

/// Lines of a response, which arrive one after the other. Dropping the stream ends the response.
#[derive(Debug)]
pub struct LineStream<T> {
    lines: TextLines,
    values: PhantomData<fn() -> T>,
}

impl<T: Contract> LineStream<T> {
    pub(crate) fn new(response: Response) -> Self {
        Self {
            lines: TextLines::new(response),
            values: PhantomData,
        }
    }

    /// Returns the next line. Returns `None` after the last line.
    ///
    /// # Errors
    ///
    /// If the response breaks off, or if a line does not fit its type.
    pub async fn next(&mut self) -> Result<Option<T>, Error<Undeclared>> {
        while let Some(line) = self.lines.next().await? {
            if !line.trim().is_empty() {
                return read(&line).map(Some);
            }
        }
        Ok(None)
    }
}

/// Lines of a text that arrives in chunks. Lines end with LF, CRLF or CR.
#[derive(Debug)]
pub(crate) struct TextLines {
    response: Response,
    buffer: Vec<u8>,
    /// Number of bytes at the start of the buffer that are known to contain no end of a line.
    searched: usize,
    /// True if the last line ended with CR, so that an LF at the start of the next chunk belongs to its end.
    after_cr: bool,
    is_over: bool,
}

impl TextLines {
    pub(crate) fn new(response: Response) -> Self {
        Self {
            response,
            buffer: Vec::new(),
            searched: 0,
            after_cr: false,
            is_over: false,
        }
    }

    /// Returns the next line without its end. Returns `None` after the last line.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, reqwest::Error> {
        loop {
            if self.after_cr && !self.buffer.is_empty() {
                self.after_cr = false;
                if self.buffer[0] == b'\n' {
                    self.buffer.remove(0);
                }
            }
            let end = self.buffer[self.searched..]
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r'));
            if let Some(end) = end.map(|end| self.searched + end) {
                self.searched = 0;
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                self.after_cr = line[end] == b'\r';
                return Ok(Some(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            self.searched = self.buffer.len();
            if self.is_over {
                let rest = std::mem::take(&mut self.buffer);
                return Ok((!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned()));
            }
            match self.response.chunk().await? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => self.is_over = true,
            }
        }
    }
}
