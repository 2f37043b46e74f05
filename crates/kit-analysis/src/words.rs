//! Words in generated names: plurals, identifiers and reserved words.

/// Words that cannot be the name of a variable in a TypeScript module, sorted.
const RESERVED_WORDS: [&str; 48] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Returns true if a word cannot be the name of a variable in a TypeScript module.
///
/// ```
/// assert!(kit_analysis::is_reserved_word("class"));
/// assert!(!kit_analysis::is_reserved_word("note"));
/// ```
pub fn is_reserved_word(word: &str) -> bool {
    RESERVED_WORDS.binary_search(&word).is_ok()
}

/// Returns true if a text has the form of a JavaScript identifier in ASCII. Reserved words count as
/// identifiers. Identifiers with other letters are excluded, because their validity depends on the JavaScript
/// engine.
///
/// ```
/// assert!(kit_analysis::is_identifier("$value_1"));
/// assert!(!kit_analysis::is_identifier("1st"));
/// ```
pub fn is_identifier(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    text.bytes().next().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// Returns the table name for an entity whose `@table` has no argument: its name in `snake_case`, with the
/// last word in the plural.
///
/// ```
/// assert_eq!(kit_analysis::plural_snake_case("OrderItem"), "order_items");
/// ```
pub fn plural_snake_case(name: &str) -> String {
    let snake = snake_case(name);
    match snake.rfind('_') {
        Some(last) => format!("{}_{}", &snake[..last], plural(&snake[last + 1..])),
        None => plural(&snake),
    }
}

/// Converts a name to `snake_case`. The crate `heck` separates words at digits differently: it returns
/// `i18n_text` for `I18NText`, and this function `i18_n_text`. The function must not change, because existing
/// tables have its names.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (index, letter) in letters.iter().enumerate() {
        if letter.is_uppercase() {
            let after_lower = index > 0 && !letters[index - 1].is_uppercase();
            // `HTTPRequest` has two words: the last capital before a lower-case letter starts a word.
            let before_lower = index > 0 && letters.get(index + 1).is_some_and(|next| next.is_lowercase());
            if (after_lower || before_lower) && !snake.ends_with('_') {
                snake.push('_');
            }
            snake.extend(letter.to_lowercase());
        } else if letter.is_alphanumeric() {
            snake.push(*letter);
        } else if !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
    }
    snake.trim_end_matches('_').to_owned()
}

/// Returns the plural of a lower-case English noun: `category` gives `categories`, `box` gives `boxes`. Knows
/// the irregular nouns that data models often use.
fn plural(noun: &str) -> String {
    const IRREGULAR: &[(&str, &str)] = &[
        ("person", "people"),
        ("child", "children"),
        ("man", "men"),
        ("woman", "women"),
        ("foot", "feet"),
        ("tooth", "teeth"),
        ("mouse", "mice"),
        ("datum", "data"),
        ("medium", "media"),
        ("criterion", "criteria"),
        ("analysis", "analyses"),
        ("basis", "bases"),
        ("crisis", "crises"),
        ("index", "indexes"),
        ("leaf", "leaves"),
        ("life", "lives"),
        ("shelf", "shelves"),
        ("half", "halves"),
        ("hero", "heroes"),
        ("echo", "echoes"),
        ("potato", "potatoes"),
        ("tomato", "tomatoes"),
        ("quiz", "quizzes"),
    ];
    const UNCHANGED: &[&str] = &[
        "data",
        "equipment",
        "information",
        "media",
        "metadata",
        "money",
        "news",
        "people",
        "series",
        "settings",
        "sheep",
        "software",
        "species",
        "staff",
    ];
    if UNCHANGED.contains(&noun) {
        return noun.to_owned();
    }
    if let Some((_, plural)) = IRREGULAR.iter().find(|(singular, _)| *singular == noun) {
        return (*plural).to_owned();
    }
    if let Some(stem) = noun.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'i', 'o', 'u'])
    {
        return format!("{stem}ies");
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|end| noun.ends_with(end)) {
        return format!("{noun}es");
    }
    format!("{noun}s")
}

#[cfg(test)]
mod tests {
    use super::{RESERVED_WORDS, is_identifier, plural_snake_case};

    #[test]
    fn default_table_names_are_plural_snake_case() {
        for (entity, table) in [
            ("Note", "notes"),
            ("User", "users"),
            ("OrderItem", "order_items"),
            ("Category", "categories"),
            ("Day", "days"),
            ("Box", "boxes"),
            ("Address", "addresses"),
            ("Branch", "branches"),
            ("Person", "people"),
            ("UserSettings", "user_settings"),
            ("HTTPRequest", "http_requests"),
            ("APIKey", "api_keys"),
            ("OAuth2Token", "o_auth2_tokens"),
            ("I18NText", "i18_n_texts"),
        ] {
            assert_eq!(plural_snake_case(entity), table);
        }
    }

    #[test]
    fn reserved_words_are_sorted_identifiers() {
        assert!(RESERVED_WORDS.is_sorted());
        assert!(RESERVED_WORDS.into_iter().all(is_identifier));
    }

    #[test]
    fn identifiers_begin_with_a_letter_an_underscore_or_a_dollar_sign() {
        for text in ["a", "_", "$", "a1", "A_b$2"] {
            assert!(is_identifier(text), "{text}");
        }
        for text in ["", "1", "1a", "a-b", "a b", "é", "a.b"] {
            assert!(!is_identifier(text), "{text}");
        }
    }
}
