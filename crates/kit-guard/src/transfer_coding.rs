//! Parses the field `transfer-encoding` (RFC 9112, 6.1).

use crate::characters::{TOKEN, all, trim};
use crate::rejection::Rejection;

/// Framing of a message with `transfer-encoding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferCoding {
    /// The value is only `chunked`.
    Chunked,
    /// A valid value that ends with `chunked` but also contains another coding, which this server does not
    /// decode.
    Unsupported,
}

const INVALID: Rejection = Rejection::bad_request("the header `transfer-encoding` is invalid");

/// Parses a value of the header `Transfer-Encoding`.
///
/// If `chunked` is not the last coding of a request, the server cannot find the end of the request, so 400 is the only valid
/// response (RFC 9112, 6.3). The same applies if `chunked` occurs twice. An empty list item (`chunked,` or `, chunked`)
/// is rejected too, because parsers treat it differently.
pub(crate) fn parse(value: &[u8]) -> Result<TransferCoding, Rejection> {
    // Nearly every chunked message has this value.
    if value.eq_ignore_ascii_case(b"chunked") {
        return Ok(TransferCoding::Chunked);
    }
    let mut names = value.split(|&byte| byte == b',').map(trim).rev();
    let is_chunked = |coding: &[u8]| coding.eq_ignore_ascii_case(b"chunked");
    if !names.next().is_some_and(is_chunked) {
        return Err(Rejection::bad_request(
            "the last transfer coding of a request must be `chunked`",
        ));
    }
    for coding in names {
        // A coding may have parameters: `gzip;level=1`.
        let name = coding.split(|&byte| byte == b';').next().map(trim);
        let name = name.unwrap_or_default();
        if name.is_empty() || !all(name, TOKEN) || is_chunked(name) {
            return Err(INVALID);
        }
    }
    Ok(TransferCoding::Unsupported)
}

#[cfg(test)]
mod tests {
    use super::{TransferCoding, parse};

    #[test]
    fn accepts_only_valid_transfer_codings_that_end_with_chunked() {
        assert_eq!(parse(b"chunked"), Ok(TransferCoding::Chunked));
        assert_eq!(parse(b"Chunked"), Ok(TransferCoding::Chunked));
        for unsupported in [
            "gzip, chunked",
            "gzip;level=1,chunked",
            "identity\t, CHUNKED",
            "a, b, chunked",
        ] {
            assert_eq!(
                parse(unsupported.as_bytes()),
                Ok(TransferCoding::Unsupported),
                "{unsupported}"
            );
        }
        for bad in [
            "",
            ",",
            "gzip",
            "identity",
            "xchunked",
            "chunked;q=1",
            "\"chunked\"",
            "chunked, chunked",
            "chunked, gzip",
            "chunked;a, chunked",
            ", chunked",
            "chunked,",
            "gzip,, chunked",
            "g zip, chunked",
            "\u{b}chunked",
        ] {
            assert_eq!(
                parse(bad.as_bytes()).map_err(|error| error.status),
                Err(400),
                "{bad}"
            );
        }
    }
}
