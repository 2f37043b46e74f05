//! Parts of `package.json` that depend on the version of TypeScript: `types@>=5` in `exports`, and
//! `typesVersions`. The parts are read as the newest TypeScript reads them.

use serde_json::{Map, Value};

/// Newest version of TypeScript: major and minor number.
const NEWEST: (u32, u32) = (7, 0);

/// Returns the text of a `package.json` without entries for older versions of TypeScript than [`NEWEST`].
pub(crate) fn as_newest_typescript_reads(text: String) -> String {
    if !text.contains("\"types@") && !text.contains("\"typesVersions\"") {
        return text;
    }
    // A text that is not valid JSON is returned unchanged, because the resolver reports it.
    let Ok(Value::Object(mut package)) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'))
    else {
        return text;
    };
    for field in ["exports", "imports"] {
        if let Some(value) = package.get_mut(field) {
            select(value);
        }
    }
    if let Some(Value::Object(versions)) = package.get_mut("typesVersions") {
        let chosen = versions.iter().find(|(range, _)| holds(range));
        let chosen = chosen.map(|(_, paths)| ("*".to_owned(), paths.clone()));
        *versions = chosen.into_iter().collect();
    }
    Value::Object(package).to_string()
}

/// Renames `types@range` to `types` if the range includes the newest version, and removes it otherwise.
fn select(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let mut selected = Map::new();
            for (key, mut inner) in std::mem::take(map) {
                select(&mut inner);
                match key.strip_prefix("types@") {
                    // The first range that matches wins, because conditions are tried in order.
                    Some(range) if holds(range) => {
                        selected.entry("types").or_insert(inner);
                    }
                    Some(_) => {}
                    None => {
                        selected.entry(key).or_insert(inner);
                    }
                }
            }
            *map = selected;
        }
        Value::Array(items) => items.iter_mut().for_each(select),
        _ => {}
    }
}

/// Returns true if an npm version range such as `>=4.0 <5.7` includes the newest version of TypeScript.
/// Returns false for an invalid range.
fn holds(range: &str) -> bool {
    range.split("||").any(|alternative| {
        let words: Vec<&str> = alternative.split_whitespace().collect();
        if let [from, "-", to] = words.as_slice() {
            return compare(from).is_some_and(std::cmp::Ordering::is_ge)
                && compare(to).is_some_and(std::cmp::Ordering::is_le);
        }
        // A space may follow the operator, as in `>= 5`.
        let mut joined: Vec<String> = Vec::new();
        for word in words {
            match joined.last_mut() {
                Some(last) if last.chars().all(|letter| "<>=^~".contains(letter)) => last.push_str(word),
                _ => joined.push(word.to_owned()),
            }
        }
        joined.iter().all(|comparator| comparator_holds(comparator))
    })
}

fn comparator_holds(comparator: &str) -> bool {
    let digits = comparator.trim_start_matches(['<', '>', '=', '^', '~', 'v']);
    let operator = &comparator[..comparator.len() - digits.len()];
    if matches!(digits, "*" | "x" | "X" | "") {
        return operator.is_empty() || operator.contains('=');
    }
    let Some(order) = compare(digits) else {
        return false;
    };
    let major_is_same = digits.split('.').next() == Some(&NEWEST.0.to_string());
    match operator.trim_end_matches('v') {
        ">=" => order.is_ge(),
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        "<" => order.is_lt(),
        "^" => order.is_ge() && major_is_same,
        "" | "=" | "~" => order.is_eq(),
        _ => false,
    }
}

/// Compares the newest version of TypeScript with another version. If the other version is only a major
/// version such as `5`, the minor version counts as equal.
fn compare(version: &str) -> Option<std::cmp::Ordering> {
    let mut parts = version.trim_start_matches('v').split(['.', '-']);
    let major: u32 = parts.next()?.parse().ok()?;
    let minor: Option<u32> = match parts.next() {
        None | Some("x" | "X" | "*") => None,
        Some(minor) => Some(minor.parse().ok()?),
    };
    Some(
        NEWEST
            .0
            .cmp(&major)
            .then(minor.map_or(std::cmp::Ordering::Equal, |minor| NEWEST.1.cmp(&minor))),
    )
}

#[cfg(test)]
mod tests {
    use super::{as_newest_typescript_reads, holds};

    #[test]
    fn compares_version_ranges_with_the_newest_version_of_typescript() {
        for (range, expected) in [
            ("*", true),
            (">=4.8", true),
            (">= 5", true),
            ("<5.0", false),
            (">=4.0 <5.7", false),
            ("^7", true),
            ("^5.1", false),
            ("4.0 - 7.9", true),
            ("<4 || >=6", true),
            ("7.x", true),
            ("~7.0", true),
            ("nonsense", false),
        ] {
            assert_eq!(holds(range), expected, "{range}");
        }
    }

    #[test]
    fn removes_entries_for_other_versions_of_typescript_from_a_package_json() {
        let text = r#"{"exports":{".":{"types@<5":"./old.d.ts","types@>=5":"./new.d.ts","types":"./any.d.ts","default":"./a.js"}},"typesVersions":{"<5":{"*":["old/*"]},"*":{"*":["new/*"]}}}"#;
        assert_eq!(
            as_newest_typescript_reads(text.to_owned()),
            r#"{"exports":{".":{"types":"./new.d.ts","default":"./a.js"}},"typesVersions":{"*":{"*":["new/*"]}}}"#
        );
    }
}
