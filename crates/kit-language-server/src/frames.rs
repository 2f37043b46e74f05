//! Framing of messages on a stream: a header with the length of the message, and the message as JSON.

/// Maximum length of a message in bytes. An editor sends the whole text of a file in one message.
const MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// Maximum length of the header of a message in bytes.
const MAX_HEADER: usize = 4 * 1024;

/// Messages that arrive in parts.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
}

/// Reason why a stream does not consist of messages. The stream cannot be read any further.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidFrame(pub(crate) &'static str);

impl Frames {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Removes the next complete message. Returns `None` if no message is complete.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, InvalidFrame> {
        let Some(end) = find(&self.bytes, b"\r\n\r\n") else {
            return if self.bytes.len() > MAX_HEADER {
                Err(InvalidFrame("the header of a message is too long"))
            } else {
                Ok(None)
            };
        };
        let length = content_length(&self.bytes[..end])?;
        let start = end + 4;
        if self.bytes.len() < start + length {
            return Ok(None);
        }
        let message = self.bytes[start..start + length].to_vec();
        self.bytes.drain(..start + length);
        Ok(Some(message))
    }
}

/// Returns a message with its header.
pub(crate) fn frame(message: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

fn content_length(header: &[u8]) -> Result<usize, InvalidFrame> {
    let text =
        std::str::from_utf8(header).map_err(|_| InvalidFrame("the header of a message is not ASCII"))?;
    let length = text
        .split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok());
    match length {
        Some(length) if length <= MAX_MESSAGE => Ok(length),
        Some(_) => Err(InvalidFrame("a message is longer than 64 MiB")),
        None => Err(InvalidFrame("a message has no valid Content-Length")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Frames, InvalidFrame, frame};

    #[test]
    fn returns_each_message_as_soon_as_all_of_its_bytes_arrived() {
        let mut frames = Frames::default();
        let stream = format!("{}{}", frame("{\"ä\":1}"), frame("{}"));
        let mut found = Vec::new();
        for byte in stream.as_bytes() {
            frames.push(&[*byte]);
            found.extend(frames.next().expect("the frames are valid"));
        }
        assert_eq!(found, ["{\"ä\":1}".as_bytes(), b"{}"]);
    }

    #[test]
    fn accepts_other_headers_and_any_case() {
        let mut frames = Frames::default();
        frames.push(b"Content-Type: application/json\r\ncontent-length:2\r\n\r\n{}");
        assert_eq!(frames.next(), Ok(Some(b"{}".to_vec())));
    }

    #[test]
    fn refuses_a_stream_without_lengths() {
        for (stream, reason) in [
            (
                "Length: 2\r\n\r\n{}".to_owned(),
                "a message has no valid Content-Length",
            ),
            (
                "Content-Length: -1\r\n\r\n".to_owned(),
                "a message has no valid Content-Length",
            ),
            (
                "Content-Length: 99999999999\r\n\r\n".to_owned(),
                "a message is longer than 64 MiB",
            ),
            ("x".repeat(5_000), "the header of a message is too long"),
        ] {
            let mut frames = Frames::default();
            frames.push(stream.as_bytes());
            assert_eq!(frames.next(), Err(InvalidFrame(reason)), "{stream}");
        }
    }
}
