//! Arguments of `@index` and `@unique`: columns, access method, further columns and condition.

use kit_ir::{EntityIndex, IndexColumn, IndexColumnOptions, IndexMethod, Nulls};

use super::arguments::is_property_name;

/// Parses the argument of a tag on an interface, such as `by_author (authorId, createdAt desc) where deleted_at is null`.
/// Returns `None` if the argument is not valid.
pub(crate) fn of_interface(argument: &str, unique: bool) -> Option<EntityIndex> {
    let (name, rest) = argument.split_once('(')?;
    let (inside, rest) = rest.split_once(')')?;
    let name = name.trim();
    let columns = inside.split(',').map(column).collect::<Option<Vec<_>>>()?;
    let index = EntityIndex {
        name: name.to_owned(),
        unique,
        columns,
        ..EntityIndex::default()
    };
    is_identifier(name).then(|| options(index, rest, false)).flatten()
}

/// Parses the argument of a tag on a property, such as `desc using brin where deleted_at is null`. Returns `None` if the
/// argument is not valid.
pub(crate) fn of_property(argument: &str, unique: bool) -> Option<EntityIndex> {
    let index = EntityIndex {
        unique,
        columns: vec![IndexColumn::default()],
        ..EntityIndex::default()
    };
    options(index, argument, true)
}

/// Parses a column in parentheses: `createdAt desc nulls last`.
fn column(text: &str) -> Option<IndexColumn> {
    let (property, rest) = word(text.trim())?;
    if !is_property_name(property) {
        return None;
    }
    let mut column = IndexColumn {
        property: property.to_owned(),
        ..IndexColumn::default()
    };
    let mut rest = rest;
    while !rest.is_empty() {
        rest = column_option(&mut column.options, rest)?;
    }
    Some(column)
}

/// Parses one option of a column, and returns the text after the option. A word that is no keyword is an operator class.
fn column_option<'t>(options: &mut IndexColumnOptions, text: &'t str) -> Option<&'t str> {
    let (first, rest) = word(text)?;
    match first.to_ascii_lowercase().as_str() {
        "asc" => Some(rest),
        "desc" => {
            options.descending = true;
            Some(rest)
        }
        "nulls" => {
            let (place, rest) = word(rest)?;
            let nulls = match place.to_ascii_lowercase().as_str() {
                "first" => Nulls::First,
                "last" => Nulls::Last,
                _ => return None,
            };
            // The default place is not recorded, because PostgreSQL does not record it either.
            options.nulls = Some(nulls).filter(|_| (nulls == Nulls::First) != options.descending);
            Some(rest)
        }
        _ if is_identifier(first) && options.operator_class.is_none() => {
            options.operator_class = Some(first.to_owned());
            Some(rest)
        }
        _ => None,
    }
}

/// Parses the options after the columns. `has_column` is true for a tag of a property, whose column options stand among
/// the options of the index.
fn options(mut index: EntityIndex, text: &str, has_column: bool) -> Option<EntityIndex> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (first, after) = word(rest)?;
        rest = match first.to_ascii_lowercase().as_str() {
            "using" => {
                let (name, after) = word(after)?;
                index.method = match name.to_ascii_lowercase().as_str() {
                    "btree" => None,
                    name => Some(IndexMethod::from_name(name)?),
                };
                after
            }
            "include" => {
                let (inside, after) = after.strip_prefix('(')?.split_once(')')?;
                index.include = inside.split(',').map(|name| name.trim().to_owned()).collect();
                if !index.include.iter().all(|name| is_property_name(name)) {
                    return None;
                }
                after.trim_start()
            }
            "where" => {
                index.condition = Some(after.to_owned()).filter(|condition| !condition.is_empty());
                index.condition.as_ref()?;
                ""
            }
            _ if has_column => column_option(&mut index.columns.first_mut()?.options, rest)?,
            _ => return None,
        };
    }
    Some(index)
}

/// Returns the first word of a text and the text after it. A parenthesis ends a word.
fn word(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|letter: char| letter.is_whitespace() || letter == '(')
        .unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], text[end..].trim_start()))
}

/// Returns true for a name without characters that SQL or TypeScript would quote.
pub(crate) fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use kit_ir::{IndexMethod, Nulls};

    use super::{of_interface, of_property};

    #[test]
    fn reads_all_parts_of_an_index() {
        let index = of_interface(
            "by_age (größe, age DESC nulls last, name text_pattern_ops) include (id, email) where age > 3 AND (a OR b)",
            false,
        );
        let index = index.unwrap();
        assert_eq!(index.name, "by_age");
        let columns: Vec<_> = index
            .columns
            .iter()
            .map(|column| (column.property.as_str(), &column.options))
            .collect();
        assert_eq!(columns[0].0, "größe");
        assert!(columns[1].1.descending);
        assert_eq!(columns[1].1.nulls, Some(Nulls::Last));
        assert_eq!(columns[2].1.operator_class.as_deref(), Some("text_pattern_ops"));
        assert_eq!(index.include, ["id", "email"]);
        assert_eq!(index.condition.as_deref(), Some("age > 3 AND (a OR b)"));
        let own = of_property("desc nulls first using brin", false).unwrap();
        assert_eq!(own.method, Some(IndexMethod::Brin));
        assert_eq!(own.columns[0].options.nulls, None);
    }

    #[test]
    fn refuses_other_texts() {
        for text in [
            "",
            "a",
            "a ()",
            "a (b",
            "a (b c d)",
            "a (b) using rtree",
            "a (b) where",
            "a (b) desc",
            "a-b (c)",
        ] {
            assert_eq!(of_interface(text, false), None, "{text}");
        }
        for text in ["using", "nulls", "include a", "a b", "where ", "1.5"] {
            assert_eq!(of_property(text, true), None, "{text}");
        }
    }
}
