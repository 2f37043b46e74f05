//! Names of tables that packages of kit use in their SQL.

/// Maximum lengths of the names of a schema and of a table, because PostgreSQL cuts longer names. The names of indexes are longer than
/// that of their table.
const LONGEST_SCHEMA: usize = 63;
const LONGEST_TABLE: usize = 49;

/// Returns true if SQL can contain the name of a table, with or without a schema, without quotes.
pub(crate) fn is_table_name(name: &str) -> bool {
    match name.split_once('.') {
        Some((schema, table)) => is_plain(schema, LONGEST_SCHEMA) && is_plain(table, LONGEST_TABLE),
        None => is_plain(name, LONGEST_TABLE),
    }
}

/// Returns true if PostgreSQL reads a name without quotes as it is written.
fn is_plain(name: &str, longest: usize) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=longest).contains(&name.len())
        && name.bytes().all(is_allowed)
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_table_name;

    #[test]
    fn accepts_only_names_that_need_no_quotes() {
        for name in ["kit_idempotency", "api.answers_2", "_a", &"a".repeat(49)] {
            assert!(is_table_name(name), "{name}");
        }
        for name in ["", "a;b", "A", "1a", "a.b.c", ".a", "a.", "ä", &"a".repeat(50)] {
            assert!(!is_table_name(name), "{name}");
        }
    }
}
