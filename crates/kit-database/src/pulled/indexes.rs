//! Reads indexes and checks, and writes them as tags.

use kit_ir::{EntityIndex, IndexColumn, IndexColumnOptions, IndexMethod, Nulls};

use super::PulledColumn;
use super::names::{identifiers, is_name};
use crate::Index;
use crate::definitions::index_definition;
use crate::sql::fragment_problem;

/// Reads the definition of an index as PostgreSQL prints it. Returns `None` for an index that kit does not have, such as one
/// on an expression.
pub(super) fn index(table: &str, name: &str, definition: &str) -> Option<Index> {
    let (unique, rest) = match definition.strip_prefix("CREATE UNIQUE INDEX ON ") {
        Some(rest) => (true, rest),
        None => (false, definition.strip_prefix("CREATE INDEX ON ")?),
    };
    let (method, rest) = rest.split_once(" USING ")?.1.split_once(" (")?;
    let (columns, rest) = rest.split_once(')')?;
    let (include, rest) = match rest.strip_prefix(" INCLUDE (") {
        Some(rest) => {
            let (inside, rest) = rest.split_once(')')?;
            (identifiers(inside)?, rest)
        }
        None => (Vec::new(), rest),
    };
    let condition = match rest {
        "" => None,
        rest => Some(rest.strip_prefix(" WHERE ")?.to_owned()),
    };
    let mut found = Index {
        name: name.to_owned(),
        unique,
        method: match method {
            "btree" => None,
            method => Some(IndexMethod::from_name(method)?),
        },
        include,
        condition,
        ..Index::default()
    };
    for column in columns.split(", ") {
        let (name, options) = column.split_once(' ').unwrap_or((column, ""));
        found.columns.push(identifiers(name)?.pop()?);
        found.options.push(column_options(options)?);
    }
    if found
        .options
        .iter()
        .all(|options| *options == IndexColumnOptions::default())
    {
        found.options.clear();
    }
    // Other options of PostgreSQL would be lost.
    (index_definition(table, &found) == definition).then_some(found)
}

/// Reads the words behind a column of an index: `text_pattern_ops DESC NULLS LAST`.
fn column_options(text: &str) -> Option<IndexColumnOptions> {
    let mut options = IndexColumnOptions::default();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "DESC" => options.descending = true,
            "NULLS" => {
                options.nulls = Some(match words.next()? {
                    "FIRST" => Nulls::First,
                    "LAST" => Nulls::Last,
                    _ => return None,
                });
            }
            class => options.operator_class = Some(class.to_owned()),
        }
    }
    Some(options)
}

/// Returns the tag of an index. The name is empty for a tag of a property. Returns `None` if no tag can express the index.
pub(super) fn tag(index: &Index, name: &str, property: impl Fn(&str) -> Option<String>) -> Option<String> {
    let of_columns = |columns: &[String]| {
        columns
            .iter()
            .map(|column| property(column).filter(|property| is_word(property)))
            .collect::<Option<Vec<String>>>()
    };
    let options = |at: usize| index.options.get(at).cloned().unwrap_or_default();
    let columns = of_columns(&index.columns)?.into_iter().enumerate();
    let written = EntityIndex {
        name: name.to_owned(),
        unique: index.unique,
        columns: columns
            .map(|(at, property)| IndexColumn {
                property,
                options: options(at),
            })
            .collect(),
        method: index.method,
        include: of_columns(&index.include)?,
        condition: index.condition.clone(),
    };
    let fits = index.condition.as_deref().is_none_or(is_condition)
        && (0..index.columns.len()).all(|at| options(at).operator_class.as_deref().is_none_or(is_word))
        && (name.is_empty() || is_word(name));
    fits.then(|| written.to_string())
}

/// Returns true if kit accepts the access method for the types of the properties.
pub(super) fn fits<'a>(index: &Index, column: impl Fn(&str) -> Option<&'a PulledColumn<'a>>) -> bool {
    index.columns.iter().enumerate().all(|(at, name)| {
        let has_class = index
            .options
            .get(at)
            .is_some_and(|options| options.operator_class.is_some());
        let Some(r#type) = column(name).map(|column| &column.r#type) else {
            return false;
        };
        let is_list = r#type.text == "unknown" || r#type.text.ends_with("[]");
        let is_caseless = r#type.tags.iter().any(|tag| tag == "@storedAs citext");
        has_class
            || match index.method {
                None | Some(IndexMethod::Hash) => true,
                Some(IndexMethod::Gin) => is_list,
                Some(IndexMethod::Gist) => false,
                Some(IndexMethod::Brin) => !is_list && !is_caseless && r#type.text != "boolean",
            }
    })
}

/// Returns the condition of a check, or `None` if no tag can express the condition.
pub(super) fn condition_of(definition: &str) -> Option<&str> {
    let condition = definition.strip_prefix("CHECK (")?.strip_suffix(')')?;
    is_condition(condition).then_some(condition)
}

/// Returns true for a name that a tag of an index can contain.
pub(super) fn is_word(text: &str) -> bool {
    is_name(text) && !text.contains('$')
}

/// Returns true for a condition that a doc comment does not change.
fn is_condition(text: &str) -> bool {
    !text.contains(['@', '\n', '\r', '\t', '{', '}'])
        && !text.contains("*/")
        && !text.contains("  ")
        && text.trim() == text
        && fragment_problem(text).is_none()
}

#[cfg(test)]
mod tests {
    use super::{condition_of, index, tag};

    #[test]
    fn writes_the_kinds_of_indexes_as_tags() {
        let property = |column: &str| (column != "secret").then(|| column.to_owned());
        for (definition, expected) in [
            (
                "CREATE INDEX ON notes USING btree (title text_pattern_ops DESC NULLS LAST, id) INCLUDE (rate) WHERE id > 3",
                Some("@index one (title text_pattern_ops desc nulls last, id) include (rate) where id > 3"),
            ),
            (
                "CREATE UNIQUE INDEX ON notes USING btree (title) WHERE id > 3",
                Some("@unique one (title) where id > 3"),
            ),
            (
                "CREATE INDEX ON notes USING gin (tags)",
                Some("@index one (tags) using gin"),
            ),
            ("CREATE INDEX ON notes USING btree (lower(title))", None),
            ("CREATE INDEX ON notes USING btree (title COLLATE \"C\")", None),
            (
                "CREATE INDEX ON notes USING btree (title) WITH (fillfactor='70')",
                None,
            ),
            (
                "CREATE UNIQUE INDEX ON notes USING btree (title) NULLS NOT DISTINCT",
                None,
            ),
            ("CREATE INDEX ON notes USING btree (secret)", None),
            (
                "CREATE INDEX ON notes USING btree (title) WHERE title <> '@'::text",
                None,
            ),
        ] {
            let found = index("notes", "one", definition).and_then(|index| tag(&index, "one", property));
            assert_eq!(found.as_deref(), expected, "{definition}");
        }
    }

    #[test]
    fn reads_conditions_of_checks_that_a_comment_does_not_change() {
        for (definition, expected) in [
            ("CHECK (a > 0 OR (b IS NULL))", Some("a > 0 OR (b IS NULL)")),
            ("CHECK (a > 0) NOT VALID", None),
            ("CHECK (a <> '@'::text)", None),
            ("CHECK (a <> 'b  c'::text)", None),
        ] {
            assert_eq!(condition_of(definition), expected, "{definition}");
        }
    }
}
