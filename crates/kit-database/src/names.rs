//! Creates the names of columns, constraints and indexes.

use std::fmt::Write as _;

use heck::ToSnakeCase;
use sha2::{Digest, Sha256};

/// Maximum length of a name in PostgreSQL, in bytes; PostgreSQL silently truncates longer names.
pub(crate) const LONGEST: usize = 63;

/// Tables in which kit stores the history of migrations and the progress of a migration, in the first schema of the
/// `search_path`. No entity can have these names there.
pub const HISTORY_TABLES: [&str; 2] = ["kit_migrations", "kit_migration_progress"];

/// Beginning of the names of kit's triggers. PostgreSQL runs triggers in the order of their names, and those of kit must see
/// the values that other triggers set.
pub const TRIGGER_PREFIX: &str = "zz_kit";

/// Hidden columns that PostgreSQL adds to every table.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

/// Returns the column name of a property without `@column`: `authorId` becomes `author_id`.
pub(crate) fn column(property: &str) -> String {
    let name = property.to_snake_case();
    // A property that consists only of punctuation, such as `$`, has no words: it keeps its name and is quoted.
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

/// Returns the reason why PostgreSQL would refuse or truncate the name, or `None` if the name is usable.
pub(crate) fn invalid_reason(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.contains('\0') {
        return Some("holds a zero byte".to_owned());
    }
    (name.len() > LONGEST).then(|| {
        format!(
            "is {} bytes long, but PostgreSQL allows at most {LONGEST}",
            name.len()
        )
    })
}

/// Returns true if PostgreSQL has a hidden column with this name in every table.
pub(crate) fn is_system_column(name: &str) -> bool {
    SYSTEM_COLUMNS.contains(&name)
}

/// Returns the name of a constraint or index, made from its parts. If the name is too long, a hash replaces
/// its end, so that two long names with the same beginning stay different.
pub(crate) fn constraint(parts: &[&str], suffix: &str) -> String {
    let full = format!("{}_{suffix}", parts.join("_"));
    if full.len() <= LONGEST {
        return full;
    }
    hashed(&full, suffix)
}

/// Returns a replacement for a name that is already used: the name with a hash of `parts` before its suffix.
pub(crate) fn with_hash(name: &str, parts: &[&str], suffix: &str) -> String {
    // The separator gives `["a_b", "c"]` and `["a", "b_c"]` different hashes.
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

/// Returns eight hexadecimal digits of the SHA-256 of a string.
fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..4])
}

/// Returns the longest prefix that consists of whole characters and fits into the number of bytes.
fn cut(text: &str, bytes: usize) -> String {
    text.char_indices()
        .take_while(|(at, char)| at + char.len_utf8() <= bytes)
        .map(|(_, char)| char)
        .collect()
}

/// Formats bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, column, constraint, invalid_reason};

    #[test]
    fn converts_property_names_to_snake_case() {
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
    fn truncates_long_names_without_making_them_equal() {
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
    fn refuses_names_that_postgresql_would_truncate() {
        assert_eq!(invalid_reason("notes"), None);
        assert!(invalid_reason(&"n".repeat(64)).unwrap().contains("64 bytes"));
        assert!(invalid_reason("").is_some());
    }
}
