//! Rules of schemas of `ArkType`, which are texts such as `"string > 0"`.

use oxc_ast::ast::{CallExpression, Expression, ObjectExpression, ObjectPropertyKind};

use super::reader::{Reader, location as at};
use super::rules::{Kind, SchemaRules};
use super::source::static_name;
use crate::docs::TagName;
use crate::modules::{Location, ModuleId};

/// Reads `type({ name: "string > 0" })` and `type("string.email")`.
pub(super) fn read<'a>(
    reader: &mut Reader<'_, 'a>,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> SchemaRules {
    let Expression::CallExpression(call) = expression else {
        return SchemaRules::default();
    };
    let is_type =
        matches!(call.callee.get_inner_expression(), Expression::Identifier(name) if name.name == "type");
    match Reader::argument(call, 0) {
        Some(definition) if is_type && call.arguments.len() == 1 => {
            self::definition(reader, definition, module)
        }
        _ => method(reader, call, module).unwrap_or_else(|| {
            reader.refuse(expression, module);
            SchemaRules::default()
        }),
    }
}

/// Reads `user.pick("name")` and other methods that keep the rules of a type. Returns `None` for other methods.
fn method<'a>(
    reader: &mut Reader<'_, 'a>,
    call: &'a CallExpression<'a>,
    module: ModuleId,
) -> Option<SchemaRules> {
    let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else {
        return None;
    };
    match member.property.name.as_str() {
        "pick" | "omit" | "partial" | "required" | "readonly" | "brand" | "as" => {
            Some(reader.read(&member.object, module))
        }
        "array" => {
            let element = reader.read(&member.object, module);
            Some(SchemaRules::list(Some(element)))
        }
        "describe" => {
            let mut rules = reader.read(&member.object, module);
            rules.description = reader.text(Reader::argument(call, 0), module);
            Some(rules)
        }
        _ => None,
    }
}

fn definition<'a>(
    reader: &mut Reader<'_, 'a>,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> SchemaRules {
    let inner = expression.get_inner_expression();
    match inner {
        Expression::StringLiteral(text) => {
            let location = at(module, text.span);
            let rules = of_text(text.value.as_str(), location);
            rules.unwrap_or_else(|| {
                reader.refuse(expression, module);
                SchemaRules::default()
            })
        }
        Expression::ObjectExpression(object) => SchemaRules::object(properties(reader, object, module)),
        Expression::Identifier(_) | Expression::CallExpression(_) => reader.read(inner, module),
        _ => {
            reader.refuse(expression, module);
            SchemaRules::default()
        }
    }
}

fn properties<'a>(
    reader: &mut Reader<'_, 'a>,
    object: &'a ObjectExpression<'a>,
    module: ModuleId,
) -> Vec<(String, Location, SchemaRules)> {
    let mut found = Vec::new();
    for property in &object.properties {
        match property {
            ObjectPropertyKind::ObjectProperty(property) if !property.computed => {
                let Some(name) = static_name(&property.key)
                    .filter(|name| !matches!(*name, "+" | "...") && !name.starts_with('['))
                else {
                    reader.refuse(&property.value, module);
                    continue;
                };
                let location = at(module, property.span);
                let rules = definition(reader, &property.value, module);
                found.push((name.trim_end_matches('?').to_owned(), location, rules));
            }
            ObjectPropertyKind::ObjectProperty(property) => reader.refuse(&property.value, module),
            ObjectPropertyKind::SpreadProperty(spread) => reader.refuse(&spread.argument, module),
        }
    }
    found
}

/// Returns the rules of a definition such as `0 < number.integer <= 10`; `None` if kit does not read the definition.
fn of_text(text: &str, location: Location) -> Option<SchemaRules> {
    let text = text.trim();
    if let Some(part) = text.strip_suffix("[]") {
        let element = of_text(part, location)?;
        return Some(SchemaRules::list(Some(element)));
    }
    // Texts in quotes are literals, and their characters have no meaning.
    if text.split('|').all(is_plain) {
        let kind = match text {
            "string" => Kind::Text,
            "number" => Kind::Number,
            _ => Kind::Other,
        };
        return Some(SchemaRules::of(kind));
    }
    let (left, rest) = match comparison(text) {
        Some((left, operator, rest)) if left.parse::<f64>().is_ok() => (Some((operator, left)), rest),
        _ => (None, text),
    };
    let (base, right) = match comparison(rest) {
        Some((base, operator, bound)) => (base, Some((operator, bound))),
        None => (rest, None),
    };
    let mut rules = base_rules(base, location)?;
    if let Some((operator, bound)) = left {
        let flipped = match operator {
            "<" => ">",
            "<=" => ">=",
            _ => return None,
        };
        add(&mut rules, flipped, bound, location)?;
    }
    if let Some((operator, bound)) = right {
        add(&mut rules, operator, bound, location)?;
    }
    Some(rules)
}

fn is_plain(part: &str) -> bool {
    let part = part.trim();
    let quoted = part.len() > 1
        && (part.starts_with('\'') && part.ends_with('\'') || part.starts_with('"') && part.ends_with('"'));
    let word = !part.is_empty() && part.chars().all(|letter| letter.is_ascii_alphabetic());
    quoted || word || part.parse::<f64>().is_ok()
}

/// Splits a text at its first comparison: `string > 0` gives `string`, `>` and `0`. Returns `None` without a comparison.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let at = text.find(['<', '>', '='])?;
    let operator = ["<=", ">=", "==", "<", ">"]
        .into_iter()
        .find(|operator| text[at..].starts_with(operator))?;
    Some((text[..at].trim(), operator, text[at + operator.len()..].trim()))
}

fn base_rules(base: &str, location: Location) -> Option<SchemaRules> {
    let text = SchemaRules::of(Kind::Text);
    Some(match base {
        "string" => text,
        "number" => SchemaRules::of(Kind::Number),
        "number.integer" => SchemaRules::of(Kind::Number).with(TagName::Integer, "", location),
        "string.email" => text.with(TagName::Format, "email", location),
        "string.uuid" => text.with(TagName::Format, "uuid", location),
        "string.url" => text.with(TagName::Format, "uri", location),
        "string.ip.v4" => text.with(TagName::Format, "ipv4", location),
        "string.ip.v6" => text.with(TagName::Format, "ipv6", location),
        _ => SchemaRules::list(Some(of_text(base.strip_suffix("[]")?, location)?)),
    })
}

fn add(rules: &mut SchemaRules, operator: &str, bound: &str, location: Location) -> Option<()> {
    let number: f64 = bound.parse().ok()?;
    let is_length = rules.kind != Kind::Number;
    let added = match operator {
        ">=" => rules.at_least(bound.to_owned(), location),
        "<=" => rules.at_most(bound.to_owned(), location),
        "==" => rules.at_least(bound.to_owned(), location) && rules.at_most(bound.to_owned(), location),
        // A length is a whole number, so `> 0` means at least 1.
        ">" if is_length && number.fract() == 0.0 => rules.at_least((number + 1.0).to_string(), location),
        "<" if is_length && number.fract() == 0.0 => rules.at_most((number - 1.0).to_string(), location),
        ">" if !is_length => rules.add(TagName::ExclusiveMinimum, bound.to_owned(), location),
        "<" if !is_length => rules.add(TagName::ExclusiveMaximum, bound.to_owned(), location),
        _ => false,
    };
    added.then_some(())
}

#[cfg(test)]
mod tests {
    use oxc_span::Span;

    use super::of_text;
    use crate::modules::{Location, ModuleId};

    fn rules(text: &str) -> Option<String> {
        let location = Location {
            module: ModuleId(0),
            span: Span::default(),
        };
        let read = of_text(text, location)?;
        let shown = read
            .rules
            .iter()
            .map(|rule| format!("{} {}", rule.name.name(), rule.argument));
        Some(shown.collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn comparisons_and_keywords_of_arktype_are_rules() {
        assert_eq!(rules("string"), Some(String::new()));
        assert_eq!(rules("string > 0"), Some("minLength 1".to_owned()));
        assert_eq!(rules("2<=string<9"), Some("minLength 2, maxLength 8".to_owned()));
        assert_eq!(
            rules("0 < number.integer <= 10"),
            Some("integer , exclusiveMinimum 0, maximum 10".to_owned())
        );
        assert_eq!(rules("string[] >= 1"), Some("minItems 1".to_owned()));
        assert_eq!(rules("string.email"), Some("format email".to_owned()));
        assert_eq!(rules("'a' | 'b' | null"), Some(String::new()));
    }

    #[test]
    fn definitions_with_other_rules_are_not_read() {
        for text in [
            "string.trim",
            "number % 2",
            "/^a/",
            "string & string",
            "5 > number",
            "string > x",
        ] {
            assert_eq!(rules(text), None, "{text}");
        }
    }
}
