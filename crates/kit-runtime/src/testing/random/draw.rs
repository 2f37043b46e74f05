//! Draws random values of a shape.

use serde_json::{Map, Value};

use super::Random;
use super::numbers::{bigint, number};
use crate::shape::{Array, Format, Keys, Literal, Object, Presence, Shape, Text, Tuple};

/// Depth from which optional parts are left out, so that recursive types end.
const DEEP: usize = 6;

/// Depth at which a value of a recursive type is given up.
const DEEPEST: usize = 24;

/// Largest number of values inside of a drawn value. Types that contain themselves several times could grow to millions of values.
const MOST_VALUES: usize = 20_000;

/// Largest number of items beyond the minimum. Properties of any name and rest elements are fewer.
const MORE_ITEMS: usize = 3;

/// Largest number of letters beyond the minimum.
const MORE_LETTERS: usize = 24;

/// Letters of texts without a format, with characters that HTML, SQL, JSON and URLs treat specially, and letters of several bytes.
pub(super) const LETTERS: &str =
    "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 .,-_'\"\\/%&<>{}[]();:=+*?#@äßé漢字🙂";
/// Letters of headers, which are visible ASCII.
pub(super) const ASCII_LETTERS: &str =
    "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 .,-_'\"\\/%&<>{}[]();:=+*?#@";
const PLAIN: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEXADECIMAL: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Draws a value that usually fits a shape; the caller checks the value. `sample` is the valid value at the same place, which stands for
/// texts with a pattern. Returns `None` if there is no such value, or if the value is too large.
pub(super) fn draw(shape: &'static Shape, sample: Option<&Value>, random: &mut Random) -> Option<Value> {
    random.values = 0;
    inner(shape, sample, 0, random)
}

/// Draws a value inside of another value. `depth` is the number of values around it.
fn inner(shape: &'static Shape, sample: Option<&Value>, depth: usize, random: &mut Random) -> Option<Value> {
    random.values += 1;
    if depth > DEEPEST || random.values > MOST_VALUES {
        return None;
    }
    Some(match shape.resolve() {
        Shape::Null => Value::Null,
        Shape::Unknown => unknown(random),
        Shape::Boolean => random.chance(50).into(),
        Shape::Date => date_time(random).into(),
        Shape::Bytes => {
            let length = random.below(8) * 4;
            random.text(BASE64, length).into()
        }
        Shape::Text(rules) => return text(rules, sample, random),
        Shape::Number(rules) => return number(rules, random),
        Shape::BigInt(rules) => return bigint(rules, random),
        Shape::Literal(literal) => literal_value(*literal)?,
        Shape::Array(array) => Value::Array(items(array, sample, depth, random)),
        Shape::Tuple(tuple) => return elements(tuple, sample, depth, random),
        Shape::Object(object) => return members(object, sample, depth, random),
        Shape::Union(union) => {
            let count = union.members.len();
            let members = union.members.iter().cycle().skip(random.below(count));
            let mut order: Vec<&'static Shape> = members.take(count).collect();
            if depth > DEEP {
                // Members without parts end a recursive type.
                order.sort_by_key(|&member| has_parts(member));
            }
            let mut found = order
                .into_iter()
                .filter_map(|member| inner(member, sample, depth + 1, random));
            return found.next();
        }
        // `resolve` returns no reference.
        Shape::Never | Shape::Reference(_) | Shape::Recursive(_) => return None,
    })
}

fn has_parts(shape: &'static Shape) -> bool {
    matches!(
        shape.resolve(),
        Shape::Array(_) | Shape::Tuple(_) | Shape::Object(_) | Shape::Union(_)
    )
}

/// Returns a literal as JSON.
fn literal_value(literal: Literal) -> Option<Value> {
    Some(match literal {
        Literal::Text(text) | Literal::BigInt(text) => text.into(),
        Literal::Boolean(value) => value.into(),
        Literal::Number(value) => super::numbers::json_number(value)?,
    })
}

/// Draws a value of any type.
fn unknown(random: &mut Random) -> Value {
    match random.below(5) {
        0 => Value::Null,
        1 => random.chance(50).into(),
        2 => random.below(1000).into(),
        3 => Value::Array(vec![random.below(10).into()]),
        _ => random.text(random.letters, 5).into(),
    }
}

fn date_time(random: &mut Random) -> String {
    let [month, day] = [random.between(1, 12), random.between(1, 28)];
    let [hour, minute, second] = [random.below(24), random.below(60), random.below(60)];
    let (year, millisecond) = (random.between(1970, 2100), random.below(1000));
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}

fn text(rules: &Text, sample: Option<&Value>, random: &mut Random) -> Option<Value> {
    // The text of the valid request fits a pattern or template, for which no other text can be drawn.
    let sample = sample.filter(|sample| sample.is_string());
    if rules.pattern.is_some() || rules.template.is_some() || rules.words.is_some() {
        return sample.cloned();
    }
    let least = rules.min_length.unwrap_or_default();
    let longest = rules.max_length.unwrap_or(usize::MAX);
    if let Some(format) = rules.format {
        let drawn = formatted(format, random);
        let is_within = (least..=longest).contains(&drawn.chars().count());
        // Texts of a format have a length of their own, which the bounds may exclude.
        return if is_within {
            Some(drawn.into())
        } else {
            sample.cloned()
        };
    }
    let most = longest.min(least + MORE_LETTERS);
    let length = random.between(least, most.max(least));
    Some(random.text(random.letters, length).into())
}

fn formatted(format: Format, random: &mut Random) -> String {
    let word = |random: &mut Random| random.text(PLAIN, 8);
    match format {
        Format::Email => format!("{}@example.com", word(random)),
        Format::Uri => format!("https://example.com/{}", word(random)),
        Format::Uuid => {
            let [first, second] = [8, 4].map(|length| random.text(HEXADECIMAL, length));
            let [third, fourth, last] = [3, 3, 12].map(|length| random.text(HEXADECIMAL, length));
            format!("{first}-{second}-4{third}-a{fourth}-{last}")
        }
        Format::Date => date_time(random).chars().take(10).collect(),
        Format::DateTime => date_time(random),
        Format::Ipv4 => {
            let parts: Vec<String> = (0..4).map(|_| random.below(256).to_string()).collect();
            parts.join(".")
        }
        Format::Ipv6 => format!("2001:db8::{}", random.text("123456789abcdef", 4)),
    }
}

fn items(array: &Array, sample: Option<&Value>, depth: usize, random: &mut Random) -> Vec<Value> {
    let least = array.min_items.unwrap_or_default();
    let more = if depth > DEEP { 0 } else { MORE_ITEMS };
    let most = array.max_items.unwrap_or(usize::MAX).min(least + more);
    let length = random.between(least, most.max(least));
    let sample = sample.and_then(|sample| sample.get(0));
    let mut items: Vec<Value> = Vec::new();
    for _ in 0..length {
        let item = inner(array.element, sample, depth + 1, random);
        let item = item.filter(|item| !array.unique_items || !items.contains(item));
        items.extend(item);
    }
    items
}

fn elements(tuple: &Tuple, sample: Option<&Value>, depth: usize, random: &mut Random) -> Option<Value> {
    let mut values = Vec::new();
    for (index, element) in tuple.elements.iter().enumerate() {
        let count = match element.presence {
            // An element can be absent only if all later ones are.
            Presence::Optional if random.chance(50) => break,
            Presence::Required | Presence::Optional => 1,
            Presence::Rest if depth > DEEP => 0,
            Presence::Rest => random.below(MORE_ITEMS),
        };
        for _ in 0..count {
            let sample = sample.and_then(|sample| sample.get(index));
            values.push(inner(&element.shape, sample, depth + 1, random)?);
        }
    }
    Some(Value::Array(values))
}

fn members(object: &Object, sample: Option<&Value>, depth: usize, random: &mut Random) -> Option<Value> {
    let mut members = Map::new();
    for property in object.properties {
        if property.optional && (depth > DEEP || random.chance(40)) {
            continue;
        }
        let sample = sample.and_then(|sample| sample.get(property.key));
        match inner(&property.shape, sample, depth + 1, random) {
            Some(value) => {
                members.insert(property.key.to_owned(), value);
            }
            None if property.optional => {}
            None => return None,
        }
    }
    let count = if depth > DEEP { 0 } else { random.below(MORE_ITEMS) };
    for index in object.index {
        for _ in 0..count {
            let key = match index.keys {
                Keys::Any => random.text(PLAIN, 6),
                Keys::Numeric => random.below(1000).to_string(),
                Keys::Template(_) => continue,
            };
            if object.properties.iter().all(|property| property.key != key) {
                members.extend(inner(&index.shape, None, depth + 1, random).map(|value| (key, value)));
            }
        }
    }
    Some(Value::Object(members))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Random, draw};
    use crate::check::explain;
    use crate::json::parse;
    use crate::shape::{Format, Property, Shape};

    const TREE: Shape = Shape::object(
        "Tree",
        &[
            Property::required("name", Shape::TEXT.min_length(1)),
            Property::optional("left", Shape::Recursive(tree)),
            Property::required("children", Shape::array(&Shape::Recursive(tree))),
        ],
    );

    fn tree() -> &'static Shape {
        &TREE
    }

    const SHAPES: &[Shape] = &[
        Shape::Boolean,
        Shape::Date,
        Shape::Bytes,
        Shape::TEXT.min_length(3),
        Shape::TEXT.format(Format::Uuid),
        Shape::TEXT.format(Format::Email),
        Shape::TEXT.format(Format::Uri),
        Shape::TEXT.format(Format::Date),
        Shape::TEXT.format(Format::DateTime),
        Shape::TEXT.format(Format::Ipv4),
        Shape::TEXT.format(Format::Ipv6),
        Shape::INTEGER,
        Shape::union(&[Shape::Null, Shape::Date]),
        TREE,
    ];

    #[test]
    fn draws_values_that_fit_their_shapes() {
        for (number, shape) in SHAPES.iter().enumerate() {
            let mut random = Random::new(42, &number.to_string());
            for _ in 0..50 {
                let value = draw(shape, None, &mut random).expect("a value").to_string();
                assert_eq!(explain(shape, &parse(&value).expect("JSON")), [], "{value}");
            }
        }
    }

    const BUSHY: Shape = Shape::object(
        "Bushy",
        &[
            Property::required(
                "left",
                Shape::union(&[Shape::Recursive(bushy), Shape::Recursive(bushy), LEAF]),
            ),
            Property::required(
                "right",
                Shape::union(&[Shape::Recursive(bushy), Shape::Recursive(bushy), LEAF]),
            ),
            Property::required(
                "last",
                Shape::union(&[Shape::Recursive(bushy), Shape::Recursive(bushy), LEAF]),
            ),
        ],
    );

    const LEAF: Shape = Shape::object("Leaf", &[Property::required("name", Shape::TEXT)]);

    fn bushy() -> &'static Shape {
        &BUSHY
    }

    #[test]
    fn gives_up_values_of_types_that_contain_themselves_several_times() {
        let count = |value: &serde_json::Value| value.to_string().matches('{').count();
        let mut random = Random::new(1, "bushy");
        let drawn: Vec<_> = (0..50).map(|_| draw(&BUSHY, None, &mut random)).collect();
        assert!(drawn.iter().any(Option::is_none), "no value was too large");
        assert!(
            drawn
                .iter()
                .flatten()
                .all(|value| count(value) <= super::MOST_VALUES)
        );
    }

    #[test]
    fn the_same_seed_draws_the_same_values_and_each_test_has_its_own() {
        let drawn = |seed, test: &str| {
            let mut random = Random::new(seed, test);
            let values = (0..5).filter_map(|_| draw(&TREE, None, &mut random));
            json!(values.collect::<Vec<_>>())
        };
        assert_eq!(drawn(7, "POST /trees"), drawn(7, "POST /trees"));
        assert_ne!(drawn(7, "POST /trees"), drawn(8, "POST /trees"));
        assert_ne!(drawn(7, "POST /trees"), drawn(7, "PUT /trees"));
    }
}
