//! From the path of a request to the names of directories and a file.

use std::borrow::Cow;

use crate::site::Site;

/// Path of a request below the prefix of a site.
pub(crate) struct PathInSite<'p> {
    /// Decoded names of the directories and of the file. Empty for the directory of the site itself.
    pub(crate) names: Vec<Cow<'p, str>>,
    /// True if the path ends with a slash, so that it names a directory.
    pub(crate) is_directory: bool,
}

/// Returns the names in a path, or `None` if the path is not below the prefix or contains a name that is never served.
/// `path` has the normal form.
pub(crate) fn path_in_site<'p>(site: &Site, path: &'p str) -> Option<PathInSite<'p>> {
    let rest = path.strip_prefix(site.prefix.as_str())?;
    if !(rest.is_empty() || rest.starts_with('/')) {
        return None;
    }
    let is_directory = rest.ends_with('/');
    let inner = match rest.strip_prefix('/') {
        None | Some("") => {
            return Some(PathInSite {
                names: Vec::new(),
                is_directory,
            });
        }
        Some(inner) => inner.strip_suffix('/').unwrap_or(inner),
    };
    let mut names = Vec::new();
    for segment in inner.split('/') {
        let name = decode(segment)?;
        if is_refused(&name) || is_hidden(site, &name, names.len()) {
            return None;
        }
        names.push(name);
    }
    Some(PathInSite { names, is_directory })
}

/// Returns the names of the directories and of the file in the name of a download, such as `2026/report.pdf`. Returns `None`
/// if one of them is never served: an empty one, `..`, or one that begins with a dot.
pub(crate) fn names_of_download(name: &str) -> Option<Vec<Cow<'_, str>>> {
    let names = name.split('/').map(|name| {
        let is_served = !name.is_empty() && !name.starts_with('.') && !is_refused(name);
        is_served.then_some(Cow::Borrowed(name))
    });
    names.collect()
}

/// Returns true for names with separators or control characters, such as NUL, and on Windows also for names with a meaning.
fn is_refused(name: &str) -> bool {
    let is_control = |character| matches!(character, '/' | '\\' | '\0'..='\x1f' | '\x7f');
    name.chars().any(is_control) || (cfg!(windows) && has_meaning_on_windows(name))
}

/// Returns true for names that Windows does not take for the name of a file: `C:a` is a file of another directory, `a:b` a part of
/// the file `a`, and `ENV~1` can be a short name of `.env`. No file has a name with one of the other characters.
fn has_meaning_on_windows(name: &str) -> bool {
    let mut after_tildes = name.split('~').skip(1);
    name.contains([':', '"', '<', '>', '|', '?', '*'])
        || after_tildes.any(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns true for an empty name, for `.` and `..`, and for names with a dot that the site does not serve.
fn is_hidden(site: &Site, name: &str, depth: usize) -> bool {
    if matches!(name, "" | "." | "..") {
        return true;
    }
    name.starts_with('.') && !site.dot_files && !(depth == 0 && name == ".well-known")
}

fn decode(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('%') {
        return Some(Cow::Borrowed(segment));
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::has_meaning_on_windows;

    #[test]
    fn knows_the_names_that_windows_does_not_take_for_the_name_of_a_file() {
        for name in [
            "C:.env",
            "index.html::$DATA",
            "ENV~1",
            "a~b~2.txt",
            "a?",
            "*",
            "a|b",
            "<a>",
            "\"",
        ] {
            assert!(has_meaning_on_windows(name), "{name}");
        }
        for name in ["index.html", "~", "a~", "~a1", "a b'(1).txt", "ü"] {
            assert!(!has_meaning_on_windows(name), "{name}");
        }
    }
}
