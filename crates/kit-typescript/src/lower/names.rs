//! Names of database tables.

/// Returns the default table of an entity: its name in `snake_case`, with the last word in the plural.
///
/// The plural follows English spelling (`Category` gives `categories`, `Box` gives `boxes`) with the irregular nouns that
/// data models use. Any other irregular noun needs `@table name`.
pub(crate) fn plural_snake(name: &str) -> String {
    let snake = snake(name);
    match snake.rfind('_') {
        Some(last) => format!("{}_{}", &snake[..last], plural(&snake[last + 1..])),
        None => plural(&snake),
    }
}

fn snake(name: &str) -> String {
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
    use super::plural_snake;

    #[test]
    fn default_table_names_are_plural() {
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
        ] {
            assert_eq!(plural_snake(entity), table);
        }
    }
}
