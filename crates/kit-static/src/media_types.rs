//! Content types by file extension.

/// Media types from mime-db 1.54.0 (MIT licence), with the types of WHATWG MIME Sniffing for JavaScript: an extension and
/// a type in each line, sorted by extension. `packages/core/src/files/media-types.ts` has the same lines.
const TABLE: &str = include_str!("media-types.txt");

/// Returns the content type of a file, from the extension of its name. Text is UTF-8.
pub(crate) fn content_type_of(name: &str) -> String {
    let kind = type_of(name).unwrap_or("application/octet-stream");
    if kind.starts_with("text/") {
        format!("{kind}; charset=utf-8")
    } else {
        kind.to_owned()
    }
}

fn type_of(name: &str) -> Option<&'static str> {
    let (start, extension) = name.rsplit_once('.')?;
    if start.is_empty() {
        return None;
    }
    let extension = extension.to_ascii_lowercase();
    let lines = TABLE.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter(|(known, _)| *known == extension)
        .map(|(_, kind)| kind)
        .next()
}
