//! Doc tags under the cursor, explained by the page of all tags.

use std::ops::Range;

use crate::definition::is_in_comment;

/// Page with a table of all doc tags. Tests of kit-typescript compare the page with the compiler.
const PAGE: &str = include_str!("../../../docs/tags.md");

/// Returns the name of the doc tag at an offset, such as `maxLength`, and its range with the `@`. Returns `None` if there is no
/// doc tag.
pub(crate) fn tag_at(text: &str, offset: usize) -> Option<(&str, Range<usize>)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric();
    // The cursor may be before the `@`.
    let in_name = if text[offset..].starts_with('@') {
        offset + 1
    } else {
        offset
    };
    let start = text[..in_name].trim_end_matches(is_part).len();
    let before = text[..start].strip_suffix('@')?;
    let starts_word = before.ends_with(|letter: char| letter.is_whitespace() || letter == '*');
    if !starts_word || !is_in_comment(before) {
        return None;
    }
    let end = text[start..]
        .find(|letter| !is_part(letter))
        .map_or(text.len(), |length| start + length);
    Some((&text[start..end], before.len()..end))
}

/// Returns the explanation of a doc tag as Markdown. Returns `None` for a tag that kit does not know.
pub(crate) fn about(name: &str) -> Option<String> {
    let (form, place, meaning) = PAGE.lines().find_map(|line| {
        let [form, place, meaning] = cells(line)?;
        is_form_of(&form, name).then_some((form, place, meaning))
    })?;
    Some(format!("{form}\n\n{meaning}\n\nOn: {place}\n"))
}

/// Returns true if the first cell of a row describes a tag: `@minLength n` describes `minLength`.
fn is_form_of(form: &str, name: &str) -> bool {
    form.strip_prefix("`@")
        .and_then(|form| form.strip_prefix(name))
        .is_some_and(|rest| rest.starts_with([' ', '`']))
}

/// Returns the three cells of a row of a table, without links and escapes. Returns `None` for another line.
fn cells(line: &str) -> Option<[String; 3]> {
    let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let cells: Vec<String> = row
        .replace("\\|", "\0")
        .split(" | ")
        .map(|cell| without_links(cell).replace('\0', "|"))
        .collect();
    cells.try_into().ok()
}

/// Returns Markdown with the texts of links in place of the links, because their targets are pages of the documentation.
fn without_links(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some(middle) = rest.find("](") {
        let (Some(start), Some(length)) = (rest[..middle].rfind('['), rest[middle..].find(')')) else {
            break;
        };
        text.push_str(&rest[..start]);
        text.push_str(&rest[start + 1..middle]);
        rest = &rest[middle + length + 1..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::{PAGE, about, cells, tag_at};

    #[test]
    fn explains_every_tag_of_the_page_without_links() {
        let names: Vec<&str> = PAGE
            .lines()
            .filter_map(|line| line.strip_prefix("| `@"))
            .filter_map(|line| line.split([' ', '`']).next())
            .collect();
        assert!(names.len() > 35, "{names:?}");
        for name in names {
            let text = about(name).unwrap_or_else(|| panic!("{name} has a row"));
            assert!(text.starts_with(&format!("`@{name}")), "{text}");
            assert!(!text.contains("]("), "{text}");
        }
        assert_eq!(
            about("maxLength").as_deref(),
            Some("`@maxLength n`\n\nthe maximum number of characters\n\nOn: property, alias\n")
        );
        assert_eq!(about("max"), None);
        assert_eq!(about("param"), None);
    }

    #[test]
    fn escaped_bars_belong_to_a_cell() {
        let row = cells(r"| `@a [b\|c]` | x | see [d](e.md#f) and [g](h) |");
        assert_eq!(row, Some(["`@a [b|c]`", "x", "see d and g"].map(str::to_owned)));
    }

    #[test]
    fn finds_tags_in_comments_only() {
        let text = "/** @minLength 1 @id */ a; // @id\n/** me@id.org */ b";
        let found = |part: &str, at: usize| tag_at(text, text.find(part).expect("the part exists") + at);
        assert_eq!(found("@minLength", 0), Some(("minLength", 4..14)));
        assert_eq!(found("@minLength", 5), Some(("minLength", 4..14)));
        assert_eq!(found("@minLength", 10), Some(("minLength", 4..14)));
        assert_eq!(found("@id", 1), Some(("id", 17..20)));
        assert_eq!(found("1 @id", 0), None);
        assert_eq!(found("// @id", 4), None);
        assert_eq!(found("me@id", 3), None);
    }
}
