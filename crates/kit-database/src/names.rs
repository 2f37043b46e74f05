//! Names in the database.

use std::fmt::Write as _;

use heck::ToSnakeCase;
use sha2::{Digest, Sha256};

/// The longest name PostgreSQL keeps, in bytes; it silently cuts longer ones.
pub(crate) const LONGEST: usize = 63;

/// Columns every table has anyway.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

/// The column of a property without `@column`: `authorId` becomes `author_id`.
pub(crate) fn column(property: &str) -> String {
    let name = property.to_snake_case();
    // A property of signs alone, such as `$`, has no words: it keeps its name and is quoted.
    let name = if name.is_empty() {
        property.to_owned()
    } else {
        name
    };
    if name.len() <= LONGEST {
        return name;
    }
    let hash = hash(&name);
    format!("{}_{hash}", cut(&name, LONGEST - hash.len() - 1))
}

/// Why PostgreSQL would not take a name as it is, or nothing.
pub(crate) fn refusal(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.contains('\0') {
        return Some("holds a zero byte".to_owned());
    }
    (name.len() > LONGEST).then(|| format!("is {} bytes long and PostgreSQL keeps {LONGEST}", name.len()))
}

/// Whether PostgreSQL has a hidden column of that name in every table.
pub(crate) fn is_system_column(name: &str) -> bool {
    SYSTEM_COLUMNS.contains(&name)
}

/// The name of a constraint or index from its parts. Where it would be too long, a hash takes the place of its end, so
/// that two long names that begin alike stay two.
pub(crate) fn constraint(parts: &[&str], suffix: &str) -> String {
    let full = format!("{}_{suffix}", parts.join("_"));
    if full.len() <= LONGEST {
        return full;
    }
    hashed(&full, suffix)
}

/// A name that another one took: with a hash before its suffix, by which it is its own.
pub(crate) fn distinct(name: &str, parts: &[&str], suffix: &str) -> String {
    // The separator tells `a_b` of `c` from `b_c` of `a`.
    let hash = hash(&parts.join("\0"));
    let room = LONGEST - suffix.len() - hash.len() - 2;
    let head = name.strip_suffix(&format!("_{suffix}")).unwrap_or(name);
    format!("{}_{hash}_{suffix}", cut(head, room))
}

fn hashed(full: &str, suffix: &str) -> String {
    let hash = hash(full);
    let room = LONGEST - suffix.len() - hash.len() - 2;
    format!("{}_{hash}_{suffix}", cut(full, room))
}

/// Eight hexadecimal digits.
fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..4])
}

/// As many whole characters as fit into so many bytes.
fn cut(text: &str, bytes: usize) -> String {
    text.char_indices()
        .take_while(|(at, char)| at + char.len_utf8() <= bytes)
        .map(|(_, char)| char)
        .collect()
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, column, constraint, refusal};

    #[test]
    fn properties_become_snake_case() {
        for (property, expected) in [
            ("id", "id"),
            ("authorId", "author_id"),
            ("createdAt", "created_at"),
            ("HTMLBody", "html_body"),
            ("line2", "line2"),
            ("$", "$"),
        ] {
            assert_eq!(column(property), expected);
        }
        let (one, two) = (column(&"é".repeat(40)), column(&"é".repeat(41)));
        assert!(one.len() <= LONGEST && two.len() <= LONGEST, "{one} {two}");
        assert_ne!(one, two);
    }

    #[test]
    fn long_names_are_cut_without_becoming_equal() {
        let long = "a".repeat(70);
        let (one, two) = (
            constraint(&[&long, "x"], "unique"),
            constraint(&[&long, "y"], "unique"),
        );
        assert!(one.len() <= LONGEST && two.len() <= LONGEST, "{one} {two}");
        assert_ne!(one, two);
        assert!(one.ends_with("_unique"));
        assert_eq!(constraint(&["users", "email"], "unique"), "users_email_unique");
    }

    #[test]
    fn names_that_postgresql_would_cut_are_refused() {
        assert_eq!(refusal("notes"), None);
        assert!(refusal(&"n".repeat(64)).unwrap().contains("64 bytes"));
        assert!(refusal("").is_some());
    }
}
