//! First bytes of common types of files (WHATWG MIME Sniffing, 6). kit compares them with the type that a client
//! declares, because a browser may run a file that has another type than its name says.
//! `packages/core/src/bodies/file-signatures.ts` implements the same in TypeScript.

/// Types with the bytes that their files have at a position.
const SIGNATURES: [(&str, usize, &[u8]); 12] = [
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF87a"),
    ("image/gif", 0, b"GIF89a"),
    ("image/webp", 8, b"WEBP"),
    ("image/bmp", 0, b"BM"),
    ("image/avif", 4, b"ftypavif"),
    ("application/pdf", 0, b"%PDF-"),
    ("video/webm", 0, b"\x1a\x45\xdf\xa3"),
    ("audio/mpeg", 0, b"ID3"),
    ("audio/wav", 8, b"WAVE"),
    ("application/ogg", 0, b"OggS\0"),
];

/// Maximum number of bytes from the start of a file that show its type.
pub(crate) const MAX_SIGNATURE: usize = 12;

/// Types whose files always begin with one of the signatures, so that other bytes are not a file of the type.
const CERTAIN: [&str; 8] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/bmp",
    "image/avif",
    "application/pdf",
    "video/webm",
];

/// Returns the type that the bytes really have if it contradicts the declared type: `image/png` for a PNG image that is
/// declared as text, and `other bytes` for a text that is declared as an image. Returns `None` if there is no
/// contradiction.
pub(crate) fn contradicting_type(declared: &str, bytes: &[u8]) -> Option<&'static str> {
    let fitting = || {
        let signatures = SIGNATURES.iter();
        signatures
            .filter(|(_, offset, start)| bytes.get(*offset..).is_some_and(|rest| rest.starts_with(start)))
            .map(|(kind, ..)| *kind)
    };
    if fitting().any(|kind| kind == declared) {
        return None;
    }
    // Browsers show or play these types, so they are refused under another name. The signature of BMP is too short.
    let is_shown = |kind: &&str| *kind != "image/bmp" && CERTAIN.contains(kind);
    let found = fitting().find(is_shown);
    found.or_else(|| CERTAIN.contains(&declared).then_some("other bytes"))
}

#[cfg(test)]
mod tests {
    use super::{MAX_SIGNATURE, SIGNATURES, contradicting_type};

    #[test]
    fn needs_as_many_bytes_of_a_file_as_the_longest_signature_has() {
        let ends = SIGNATURES.iter().map(|(_, offset, start)| offset + start.len());
        assert_eq!(ends.max(), Some(MAX_SIGNATURE));
    }

    #[test]
    fn finds_files_whose_first_bytes_do_not_match_the_declared_type() {
        let png = b"\x89PNG\r\n\x1a\n....";
        for (declared, bytes, expected) in [
            ("image/png", png.as_slice(), None),
            ("image/jpeg", png, Some("image/png")),
            ("text/plain", png, Some("image/png")),
            ("image/png", b"<svg>", Some("other bytes")),
            ("image/png", b"", Some("other bytes")),
            ("text/plain", b"hello", None),
            ("text/plain", b"BMW", None),
            ("image/webp", b"RIFF....WEBPVP8 ", None),
            ("audio/mpeg", b"\xff\xfb", None),
        ] {
            assert_eq!(
                contradicting_type(declared, bytes),
                expected,
                "{declared} {bytes:?}"
            );
        }
    }
}
