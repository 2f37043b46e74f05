//! Reads the body of a response.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::range::ByteRange;

/// Number of bytes that are read at once.
const CHUNK_BYTES: u64 = 64 * 1024;

/// Part of a body: bytes, or a range of the file.
#[derive(Debug)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    Range(ByteRange),
}

/// Reader of a body with a known length. Each [`FileReader::read`] blocks.
///
/// ```
/// use std::io;
///
/// use kit_static::FileReader;
///
/// fn read_all(mut reader: FileReader) -> io::Result<Vec<u8>> {
///     let mut body = Vec::with_capacity(usize::try_from(reader.length()).unwrap_or(0));
///     while !reader.is_at_end() {
///         body.extend(reader.read()?);
///     }
///     Ok(body)
/// }
/// ```
#[derive(Debug)]
pub struct FileReader {
    file: File,
    parts: VecDeque<Part>,
    length: u64,
    /// Position of the file, if it is known.
    position: Option<u64>,
}

impl FileReader {
    pub(crate) fn new(file: File, parts: Vec<Part>) -> Self {
        let length = parts.iter().map(|part| match part {
            Part::Bytes(bytes) => bytes.len() as u64,
            Part::Range(range) => range.length(),
        });
        Self {
            file,
            length: length.sum(),
            parts: parts.into(),
            position: Some(0),
        }
    }

    /// Returns the number of bytes of the whole body.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns true if nothing is left to read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.parts.is_empty()
    }

    /// Reads the whole rest.
    ///
    /// # Errors
    ///
    /// The same as of [`FileReader::read`].
    pub(crate) fn read_all(mut self) -> io::Result<Vec<u8>> {
        let mut whole = self.read()?;
        while !self.is_at_end() {
            whole.extend(self.read()?);
        }
        Ok(whole)
    }

    /// Reads the next chunk, at most 64 KiB. The chunk is empty at the end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has become shorter.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        let range = match self.parts.pop_front() {
            None => return Ok(Vec::new()),
            Some(Part::Bytes(bytes)) => return Ok(bytes),
            Some(Part::Range(range)) => range,
        };
        if self.position != Some(range.first) {
            self.file.seek(SeekFrom::Start(range.first))?;
        }
        let length = range.length().min(CHUNK_BYTES);
        let mut chunk = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        // The position is unknown if reading fails.
        self.position = None;
        (&self.file).take(length).read_to_end(&mut chunk)?;
        if (chunk.len() as u64) < length {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "The file became shorter while it was sent",
            ));
        }
        let first = range.first + length;
        self.position = Some(first);
        if first <= range.last {
            let last = range.last;
            self.parts.push_front(Part::Range(ByteRange { first, last }));
        }
        Ok(chunk)
    }
}
