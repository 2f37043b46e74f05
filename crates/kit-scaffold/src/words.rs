//! Formats names of routes, middleware and entities, and replaces placeholder names in templates.

/// A name of lower-case words joined by `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    /// Validates a name.
    pub(crate) fn parse(name: &'a str) -> Result<Self, String> {
        let words: Vec<&str> = name.split('-').collect();
        let is_word = |word: &&str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if !words.iter().all(is_word) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err("a name is lower-case words joined by `-`, like `order-items`".to_owned());
        }
        Ok(Self(words))
    }

    /// Returns the name in the form `OrderItems`.
    pub(crate) fn pascal_case(&self) -> String {
        self.0
            .iter()
            .map(|word| word[..1].to_uppercase() + &word[1..])
            .collect()
    }

    /// Returns the name in the form `orderItems`.
    pub(crate) fn camel_case(&self) -> String {
        let upper = self.pascal_case();
        upper[..1].to_lowercase() + &upper[1..]
    }

    /// Joins the words with a separator: `order_items`.
    pub(crate) fn joined(&self, between: &str) -> String {
        self.0.join(between)
    }
}

/// Replaces every placeholder in a template. Inserted values are not searched again, so a name may contain a
/// placeholder.
pub(crate) fn fill(text: &str, tokens: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let found = tokens.iter().find(|(token, _)| rest.starts_with(token));
        if let Some((token, value)) = found {
            filled.push_str(value);
            rest = &rest[token.len()..];
        } else {
            filled.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::{Words, fill};

    #[test]
    fn formats_a_name_in_pascal_camel_and_snake_case() {
        let words = Words::parse("order-item2").unwrap();
        assert_eq!(
            (
                words.pascal_case().as_str(),
                words.camel_case().as_str(),
                words.joined("_").as_str()
            ),
            ("OrderItem2", "orderItem2", "order_item2")
        );
        for name in [
            "", "Order", "a--b", "-a", "a-", "2a", "a_b", "a b", "../a", "bücher",
        ] {
            assert!(Words::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn does_not_replace_placeholders_within_inserted_values() {
        let tokens = [("a", "b".to_owned()), ("b", "ü".to_owned())];
        assert_eq!(fill("a ü b ab", &tokens), "b ü ü bü");
    }
}
