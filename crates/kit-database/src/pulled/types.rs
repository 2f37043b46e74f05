//! TypeScript types and tags for types and defaults of PostgreSQL.

use std::collections::BTreeMap;

use super::literals::literal;
use crate::{ForeignObject, ObjectKind};

/// A type in TypeScript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TypeText {
    pub(super) text: String,
    /// Rules of the type: `@maxLength 20`.
    pub(super) tags: Vec<String>,
    /// Rules of the elements of an array.
    pub(super) element_tags: Vec<String>,
    /// True if the type includes `null`, so that a nullable column needs an optional property.
    pub(super) includes_null: bool,
}

pub(super) fn plain(text: &str) -> TypeText {
    TypeText {
        text: text.to_owned(),
        ..TypeText::default()
    }
}

pub(super) fn ruled(text: &str, tags: &[&str]) -> TypeText {
    TypeText {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..plain(text)
    }
}

/// Returns the labels of the enum types.
pub(super) fn enums(objects: &[ForeignObject]) -> BTreeMap<&str, Vec<String>> {
    objects
        .iter()
        .filter(|object| object.kind == ObjectKind::Type)
        .filter_map(|object| {
            let (_, labels) = object.definition.as_deref()?.split_once(" AS ENUM (")?;
            Some((object.name.as_str(), strings(labels)))
        })
        .collect()
}

/// Returns the base types of the domains.
pub(crate) fn domains(objects: &[ForeignObject]) -> BTreeMap<&str, &str> {
    objects
        .iter()
        .filter(|object| object.kind == ObjectKind::Type)
        .filter_map(|object| {
            let definition = object.definition.as_deref()?.strip_prefix("CREATE DOMAIN ")?;
            let (_, base) = definition.split_once(" AS ")?;
            let end = [" COLLATE ", " DEFAULT ", " NOT NULL", " CONSTRAINT "]
                .iter()
                .filter_map(|part| base.find(part))
                .min()
                .unwrap_or(base.len());
            Some((object.name.as_str(), &base[..end]))
        })
        .collect()
}

/// Returns the string literals of a list such as `'a'::text, 'b''c'`.
pub(crate) fn strings(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\'' {
            continue;
        }
        let mut text = String::new();
        while let Some(letter) = letters.next() {
            if letter != '\'' {
                text.push(letter);
            } else if letters.next_if_eq(&'\'').is_some() {
                text.push('\'');
            } else {
                break;
            }
        }
        found.push(text);
    }
    found
}

pub(super) fn union(values: &[String]) -> TypeText {
    let quoted: Vec<String> = values
        .iter()
        .map(|value| serde_json::Value::from(value.as_str()).to_string())
        .collect();
    plain(&quoted.join(" | "))
}

/// Returns the TypeScript type for a type of PostgreSQL, or `None` if no type of an entity represents the values.
pub(super) fn type_text(
    base: &str,
    enums: &BTreeMap<&str, Vec<String>>,
    domains: &BTreeMap<&str, &str>,
    depth: usize,
) -> Option<TypeText> {
    if let Some(labels) = enums.get(base).filter(|labels| !labels.is_empty()) {
        let mut found = union(labels);
        // A name with quotes or with a schema cannot be written in the tag.
        let is_plain = base
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if is_plain && !crate::type_names::is_own_type(base) {
            found.tags.push(format!("@storedAs enum {base}"));
        }
        return Some(found);
    }
    if let Some(inner) = domains.get(base)
        && depth < 8
    {
        return type_text(inner, enums, domains, depth + 1);
    }
    if let Some(element) = base.strip_suffix("[]") {
        return array(element);
    }
    let (name, argument) = match base.split_once('(') {
        Some((name, rest)) => {
            let (argument, tail) = rest.split_once(')')?;
            (format!("{name}{tail}"), Some(argument))
        }
        None => (base.to_owned(), None),
    };
    Some(match (name.as_str(), argument) {
        ("uuid", _) => ruled("string", &["@format uuid"]),
        ("character varying" | "character", Some(length)) => {
            let length: u32 = length.parse().ok()?;
            ruled("string", &[&format!("@maxLength {length}")])
        }
        ("numeric", Some(digits)) => {
            let (precision, scale) = digits.split_once(',')?;
            let (precision, scale): (u32, u32) = (precision.parse().ok()?, scale.parse().ok()?);
            if scale > precision {
                plain("string")
            } else {
                plain(&format!("Decimal<{precision}, {scale}>"))
            }
        }
        // PostgreSQL's own text form; drivers return and accept a string.
        (
            "text"
            | "character varying"
            | "character"
            | "numeric"
            | "time without time zone"
            | "time with time zone"
            | "inet"
            | "cidr"
            | "macaddr"
            | "macaddr8"
            | "money"
            | "bit"
            | "bit varying"
            | "xml"
            | "tsvector"
            | "tsquery"
            | "ltree"
            | "hstore"
            | "int4range"
            | "int8range"
            | "numrange"
            | "tsrange"
            | "tstzrange"
            | "daterange"
            | "name"
            | "pg_lsn",
            _,
        ) => plain("string"),
        ("boolean", _) => plain("boolean"),
        ("integer", _) => ruled("number", &["@storedAs integer"]),
        ("smallint", _) => ruled("number", &["@storedAs smallint"]),
        ("citext", _) => ruled("string", &["@storedAs citext"]),
        ("date", _) => ruled("string", &["@storedAs date"]),
        ("bigint", _) => plain("bigint"),
        ("real" | "double precision", _) => plain("number"),
        ("timestamp without time zone" | "timestamp with time zone", _) => plain("Date"),
        ("json" | "jsonb", _) => TypeText {
            includes_null: true,
            ..plain("unknown")
        },
        ("bytea", _) => plain("Uint8Array"),
        _ => return None,
    })
}

/// Returns the type of an array of PostgreSQL, or `None` if kit has no arrays of these elements. Drivers return an array of
/// other elements in another form: `numeric[]` as rounded numbers, `timestamp[]` in the time zone of the process, `bit[]` as
/// one text.
fn array(element: &str) -> Option<TypeText> {
    let name = match element.split_once('(') {
        Some((name, rest)) => format!("{name}{}", rest.split_once(')')?.1),
        None => element.to_owned(),
    };
    let element = type_text(element, &BTreeMap::new(), &BTreeMap::new(), 0)?;
    let is_read = match name.as_str() {
        "uuid"
        | "text"
        | "character varying"
        | "character"
        | "boolean"
        | "integer"
        | "bigint"
        | "real"
        | "double precision"
        | "timestamp with time zone" => true,
        "numeric" => element.text.starts_with("Decimal<"),
        _ => false,
    };
    // `@storedAs` is a tag of properties.
    let element_tags = if name == "integer" {
        ["@integer", "@minimum -2147483648", "@maximum 2147483647"]
            .map(str::to_owned)
            .to_vec()
    } else {
        element.tags
    };
    is_read.then(|| TypeText {
        text: format!("{}[]", element.text),
        tags: vec!["@storedAs array".to_owned()],
        element_tags,
        includes_null: false,
    })
}

/// Returns the tag for a default as PostgreSQL prints it, or `None` if no tag expresses it.
pub(super) fn default_tag(default: &str, r#type: &TypeText) -> Option<String> {
    if r#type.text.ends_with("[]") {
        return (literal(default).as_deref() == Some("{}")).then(|| "@default []".to_owned());
    }
    let is_date = r#type.text == "Date";
    if is_date && matches!(default, "now()" | "CURRENT_TIMESTAMP" | "transaction_timestamp()") {
        return Some("@generated now".to_owned());
    }
    if r#type.tags.iter().any(|tag| tag == "@format uuid")
        && matches!(default, "gen_random_uuid()" | "uuid_generate_v4()")
    {
        return Some("@generated uuid".to_owned());
    }
    if matches!(default, "true" | "false") && r#type.text == "boolean" {
        return Some(format!("@default {default}"));
    }
    let quoted = literal(default);
    let plain = quoted.clone().unwrap_or_else(|| default.to_owned());
    match r#type.text.as_str() {
        "number" => plain
            .parse::<f64>()
            .is_ok_and(f64::is_finite)
            .then(|| format!("@default {plain}")),
        "bigint" => plain.parse::<i64>().ok().map(|_| format!("@default {plain}")),
        "unknown" | "boolean" | "Date" | "Uint8Array" => None,
        text if text.starts_with("Decimal<") => {
            is_decimal(&plain, text).then(|| format!("@default \"{plain}\""))
        }
        _ => {
            let value = quoted.filter(|value| {
                !is_current_time(default, value)
                    && !value.contains(['@', '\n', '*', '\\'])
                    && value.chars().all(|letter| !letter.is_control())
            })?;
            Some(format!("@default {}", serde_json::Value::from(value)))
        }
    }
}

/// Returns true if a literal is the time of the insertion: `'now'::text::time without time zone`. Older versions of PostgreSQL print
/// `CURRENT_TIME` in this way.
fn is_current_time(default: &str, value: &str) -> bool {
    let r#type = default.rsplit("::").next().unwrap_or_default();
    let is_time = r#type.starts_with("time") || r#type == "date";
    is_time
        && ["now", "today", "tomorrow", "yesterday"]
            .iter()
            .any(|name| value.trim().eq_ignore_ascii_case(name))
}

/// Returns true if the text is a number with at most as many digits after the point as the type `Decimal<P, S>` allows.
fn is_decimal(text: &str, r#type: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_digit());
    let scale = r#type
        .trim_end_matches('>')
        .rsplit(", ")
        .next()
        .and_then(|scale| scale.parse::<usize>().ok())
        .unwrap_or_default();
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction) && fraction.len() <= scale,
        None => digits(text),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{default_tag, plain, ruled, type_text};

    fn text(base: &str) -> Option<String> {
        type_text(base, &BTreeMap::new(), &BTreeMap::new(), 0).map(|found| found.text)
    }

    #[test]
    fn represents_only_arrays_whose_elements_drivers_return_as_kit_declares_them() {
        for (base, expected) in [
            ("text[]", "string[]"),
            ("character varying(20)[]", "string[]"),
            ("bigint[]", "bigint[]"),
            ("numeric(8,2)[]", "Decimal<8, 2>[]"),
            ("timestamp(3) with time zone[]", "Date[]"),
        ] {
            assert_eq!(text(base).as_deref(), Some(expected), "{base}");
        }
        for base in [
            "numeric[]",
            "numeric(2,4)[]",
            "timestamp without time zone[]",
            "timestamp(3) without time zone[]",
            "time without time zone[]",
            "inet[]",
            "int4range[]",
            "bit(3)[]",
            "bytea[]",
            "jsonb[]",
            "citext[]",
            "date[]",
        ] {
            assert_eq!(text(base), None, "{base}");
        }
    }

    #[test]
    fn the_default_of_a_number_has_a_tag_only_if_it_is_finite() {
        let tag = |default: &str| default_tag(default, &plain("number"));
        assert_eq!(tag("'-1.5'::numeric").as_deref(), Some("@default -1.5"));
        for default in [
            "'NaN'::double precision",
            "'Infinity'::real",
            "'-Infinity'::double precision",
        ] {
            assert_eq!(tag(default), None, "{default}");
        }
    }

    #[test]
    fn the_default_of_an_array_has_a_tag_only_if_it_is_the_empty_array() {
        let tag = |default: &str| default_tag(default, &plain("string[]"));
        for default in ["'{}'::text[]", "'{}'::character varying(20)[]"] {
            assert_eq!(tag(default).as_deref(), Some("@default []"), "{default}");
        }
        for default in ["'{}'::text[] || 'a'::text", "'{a}'::text[]", "ARRAY['a'::text]"] {
            assert_eq!(tag(default), None, "{default}");
        }
    }

    #[test]
    fn the_time_of_the_insertion_is_no_default_of_a_text() {
        let tag = |default: &str, tags: &[&str]| default_tag(default, &ruled("string", tags));
        for default in [
            "'now'::text::time without time zone",
            "'now'::time(0) with time zone",
        ] {
            assert_eq!(tag(default, &[]), None, "{default}");
        }
        for default in ["'now'::text::date", "'today'::text::date", "'TOMORROW'::date"] {
            assert_eq!(tag(default, &["@storedAs date"]), None, "{default}");
        }
        assert_eq!(tag("'now'::text", &[]).as_deref(), Some("@default \"now\""));
        assert_eq!(
            tag("'2026-01-01'::date", &["@storedAs date"]).as_deref(),
            Some("@default \"2026-01-01\"")
        );
    }

    #[test]
    fn a_default_has_a_tag_only_if_it_is_a_literal() {
        let tag = |default: &str| default_tag(default, &plain("string"));
        for (default, expected) in [
            ("'a'::text", "@default \"a\""),
            ("'it''s'::character varying(20)", "@default \"it's\""),
            ("''::text", "@default \"\""),
            ("'EUR'::bpchar", "@default \"EUR\""),
            ("'x'::\"Odd type\"", "@default \"x\""),
        ] {
            assert_eq!(tag(default).as_deref(), Some(expected), "{default}");
        }
        for default in [
            "'PO-'::text || nextval('numbers'::regclass)",
            "('PO-'::text || nextval('numbers'::regclass))",
            "'a'::text || 'b'::text",
            "lower('A'::text)",
            "'a",
        ] {
            assert_eq!(tag(default), None, "{default}");
        }
    }
}
