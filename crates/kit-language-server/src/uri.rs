//! File URIs of the protocol, and the paths of files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that a URI has as percent escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Returns the path of a file URI. Returns `None` for other URIs, such as those of new files without a name.
pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    let text = uri.as_str();
    let rest = text.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = percent_decode_str(path).decode_utf8().ok()?;
    Some(PathBuf::from(without_slash_before_drive(&path)))
}

/// Returns the URI of a file.
pub(crate) fn uri(path: &Path) -> Option<Uri> {
    let text = path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let slash = if text.starts_with('/') { "" } else { "/" };
    let escaped = utf8_percent_encode(&text, ESCAPED);
    Uri::from_str(&format!("file://{slash}{escaped}")).ok()
}

/// Returns the path of a file on a Windows drive without its first slash: `/c:/app` gives `c:/app`.
fn without_slash_before_drive(path: &str) -> &str {
    let bytes = path.as_bytes();
    let is_drive = cfg!(windows) && bytes.len() > 2 && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    if is_drive { &path[1..] } else { path }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::{Path, PathBuf};
    use std::str::FromStr as _;

    use lsp_types::Uri;

    use super::{path, uri};

    #[test]
    fn path_and_uri_are_inverse_for_any_characters() {
        for file in ["/app/src/a.ts", "/my app/ü #1?/[id].ts", "/100%/a.ts"] {
            let made = uri(Path::new(file)).expect("every path has a URI");
            assert_eq!(path(&made), Some(PathBuf::from(file)), "{made:?}");
        }
    }

    #[test]
    fn reads_escapes_that_other_programs_write() {
        let uri = Uri::from_str("file:///app/%C3%BC%20b/c%3Ad.ts").expect("the URI is valid");
        assert_eq!(path(&uri), Some(PathBuf::from("/app/ü b/c:d.ts")));
    }

    #[test]
    fn other_uris_have_no_path() {
        for text in [
            "untitled:Untitled-1",
            "https://example.com/a.ts",
            "file://server/share/a.ts",
        ] {
            let uri = Uri::from_str(text).expect("the URI is valid");
            assert_eq!(path(&uri), None, "{text}");
        }
    }
}
