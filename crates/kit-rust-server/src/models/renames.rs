//! Chooses the attributes of serde that give the variants of an enum their texts on the wire.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::source::string_literal;

/// Attributes that give the variants of an enum their texts.
pub(super) struct Renames {
    /// Rule of `rename_all` for the enum. `None` if no rule gives all texts, or if no variant needs another text.
    pub(super) all: Option<Literal>,
    /// Attribute of each variant. Empty if the variant needs none.
    pub(super) single: Vec<TokenStream>,
}

/// Conversion from the name of a variant to its text.
type Rule = fn(&str) -> String;

/// Rules of `rename_all` in the order in which they are tried.
const RULES: [(&str, Rule); 7] = [
    ("lowercase", str::to_ascii_lowercase),
    ("camelCase", camel),
    ("snake_case", |name| words(name, '_')),
    ("kebab-case", |name| words(name, '-')),
    ("UPPERCASE", str::to_ascii_uppercase),
    ("SCREAMING_SNAKE_CASE", |name| {
        words(name, '_').to_ascii_uppercase()
    }),
    ("SCREAMING-KEBAB-CASE", |name| {
        words(name, '-').to_ascii_uppercase()
    }),
];

impl Renames {
    /// `names` are the names of the variants, and `texts` their texts.
    pub(super) fn new(names: &[String], texts: &[String]) -> Self {
        let are = |rule: &dyn Fn(&str) -> String| {
            let mut pairs = names.iter().zip(texts);
            pairs.all(|(name, text)| rule(name) == *text)
        };
        if are(&str::to_owned) {
            return Self::without_rule(names, names);
        }
        match RULES.iter().find(|(_, rule)| are(rule)) {
            Some((name, _)) => Self {
                all: Some(Literal::string(name)),
                ..Self::without_rule(names, names)
            },
            None => Self::without_rule(names, texts),
        }
    }

    fn without_rule(names: &[String], texts: &[String]) -> Self {
        let pairs = names.iter().zip(texts);
        let single = pairs.map(|(name, text)| {
            let quoted = string_literal(text);
            let rename = (name != text).then(|| quote!(#[serde(rename = #quoted)]));
            rename.unwrap_or_default()
        });
        Self {
            all: None,
            single: single.collect(),
        }
    }
}

fn camel(name: &str) -> String {
    let first = name.chars().take(1).map(|first| first.to_ascii_lowercase());
    first.chain(name.chars().skip(1)).collect()
}

/// Returns the words of a name in lower case. As in serde, each upper-case letter begins a word.
fn words(name: &str, separator: char) -> String {
    let mut found = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            found.push(separator);
        }
        found.push(letter.to_ascii_lowercase());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Renames;

    #[test]
    fn chooses_one_rule_for_all_variants_or_a_text_for_each() {
        for (pairs, expected) in [
            ([("Open", "open"), ("Done", "done")], Some("\"lowercase\"")),
            (
                [("InProgress", "inProgress"), ("Done", "done")],
                Some("\"camelCase\""),
            ),
            (
                [("InProgress", "in_progress"), ("Done", "done")],
                Some("\"snake_case\""),
            ),
            (
                [("InProgress", "in-progress"), ("Done", "done")],
                Some("\"kebab-case\""),
            ),
            ([("Get", "GET"), ("Put", "PUT")], Some("\"UPPERCASE\"")),
            (
                [("NotFound", "NOT_FOUND"), ("Gone", "GONE")],
                Some("\"SCREAMING_SNAKE_CASE\""),
            ),
            (
                [("NotFound", "NOT-FOUND"), ("Gone", "GONE")],
                Some("\"SCREAMING-KEBAB-CASE\""),
            ),
            ([("Open", "Open"), ("Done", "Done")], None),
            ([("Open", "open"), ("ShutDown", "shut down")], None),
            ([("Open", "open"), ("Done", "Done")], None),
        ] {
            let names = pairs.map(|(name, _)| name.to_owned());
            let texts = pairs.map(|(_, text)| text.to_owned());
            let renames = Renames::new(&names, &texts);
            let rule = renames.all.map(|rule| rule.to_string());
            assert_eq!(rule.as_deref(), expected, "{pairs:?}");
            for ((name, text), single) in pairs.iter().zip(renames.single) {
                assert_eq!(single.is_empty(), rule.is_some() || name == text, "{name}");
            }
        }
    }
}
