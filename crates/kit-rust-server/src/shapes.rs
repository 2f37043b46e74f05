//! Generates shapes: types as data, which the runtime uses to describe values that do not fit.

mod template;

use kit_analysis::UnionPlan;
use kit_ir::{
    Constraints, DeclarationId, Format, IndexKey, LiteralValue, ObjectType, TupleElement, TypeId, TypeKind,
};

use crate::models::Module;
use crate::names;
use crate::print::Expression;
use crate::types::{Form, Types};

pub(crate) use template::source as template_source;

/// Returns the shape of a type.
pub(crate) fn shape(types: &Types<'_>, id: TypeId, name: Option<&str>, module: &mut Module) -> Expression {
    let r#type = &types.program.types[id];
    let rules = &r#type.constraints;
    let base = module.runtime(types, "shape::Shape");
    let plain = |variant: &str| Expression::plain(format!("{base}::{variant}"));
    match &r#type.kind {
        TypeKind::Unknown => plain("Unknown"),
        TypeKind::Never => plain("Never"),
        TypeKind::Null => plain("Null"),
        TypeKind::Boolean => plain("Boolean"),
        TypeKind::Date => plain("Date"),
        TypeKind::Bytes => plain("Bytes"),
        TypeKind::Number if rules.integer => number(plain("INTEGER"), rules),
        TypeKind::Number => number(plain("NUMBER"), rules),
        TypeKind::BigInt => number(plain("BIGINT"), rules),
        TypeKind::String => text(types, plain("TEXT"), rules, module),
        TypeKind::Template { parts } => {
            let template = template::constant(types, parts, module);
            let argument = Expression::plain(format!("&{template}"));
            let shape = Expression::call(format!("{base}::template"), vec![argument]);
            text(types, shape, rules, module)
        }
        TypeKind::Literal { value } => literal(types, value, &base, module),
        TypeKind::Array { element } => {
            let element = Expression::Borrowed(Box::new(shape(types, *element, None, module)));
            let mut array = Expression::call(format!("{base}::array"), vec![element]);
            for (rule, count) in [("min_items", rules.min_items), ("max_items", rules.max_items)] {
                if let Some(count) = count {
                    array = array.method(rule, Some(integer(count)));
                }
            }
            if rules.unique_items {
                array = array.method("unique_items", None);
            }
            array
        }
        TypeKind::Tuple { elements } => {
            let elements = elements.iter().map(|of| element(types, of, module)).collect();
            Expression::call(format!("{base}::tuple"), vec![Expression::List(elements)])
        }
        TypeKind::Object(object) => self::object(types, object, name, &base, module),
        TypeKind::Union { members } => union(types, members, module),
        TypeKind::Reference { declaration } => {
            let target = module.model(types, *declaration, Form::Whole);
            Expression::plain(format!("{base}::of::<{target}>()"))
        }
    }
}

fn element(types: &Types<'_>, of: &TupleElement, module: &mut Module) -> Expression {
    let element = module.runtime(types, "shape::Element");
    let function = match of {
        TupleElement { rest: true, .. } => "rest",
        TupleElement { optional: true, .. } => "optional",
        _ => "required",
    };
    let shape = shape(types, of.r#type, None, module);
    Expression::call(format!("{element}::{function}"), vec![shape])
}

fn object(
    types: &Types<'_>,
    object: &ObjectType,
    name: Option<&str>,
    base: &str,
    module: &mut Module,
) -> Expression {
    let properties: Vec<_> = object
        .properties
        .iter()
        .map(|property| {
            let path = module.runtime(types, "shape::Property");
            let function = if property.optional_in_input() {
                "optional"
            } else {
                "required"
            };
            let arguments = vec![
                Expression::plain(names::text(&property.name)),
                shape(types, property.r#type, None, module),
            ];
            let call = Expression::call(format!("{path}::{function}"), arguments);
            if property.tags.sensitive {
                call.method("sensitive", None)
            } else {
                call
            }
        })
        .collect();
    let properties = Expression::List(properties);
    let shape_of_object = match name {
        Some(name) => Expression::call(
            format!("{base}::object"),
            vec![Expression::plain(names::text(name)), properties],
        ),
        None => Expression::call(format!("{base}::anonymous"), vec![properties]),
    };
    let index: Vec<_> = object
        .signatures()
        .into_iter()
        .map(|signature| {
            let keys = keys(types, &signature.key, module);
            let path = module.runtime(types, "shape::Index");
            let value = shape(types, signature.value, None, module);
            let keys = Expression::plain(keys);
            if signature.rules.is_empty() {
                return Expression::call(format!("{path}::new"), vec![keys, value]);
            }
            let any = Expression::plain(format!("{base}::TEXT"));
            let rules = text(types, any, &signature.rules, module);
            Expression::call(format!("{path}::ruled"), vec![keys, value, rules])
        })
        .collect();
    if index.is_empty() {
        shape_of_object
    } else {
        shape_of_object.with("index", Expression::List(index))
    }
}

/// Returns the keys that an index signature accepts.
pub(crate) fn keys(types: &Types<'_>, key: &IndexKey, module: &mut Module) -> String {
    let path = module.runtime(types, "shape::Keys");
    match key {
        IndexKey::String => format!("{path}::Any"),
        IndexKey::Number => format!("{path}::Numeric"),
        IndexKey::Template { parts } => {
            format!("{path}::Template(&{})", template::constant(types, parts, module))
        }
    }
}

/// Returns the shape of a union. Nested unions are flattened; each recursive one on the path to a member counts as one
/// level.
pub(crate) fn union(types: &Types<'_>, members: &[TypeId], module: &mut Module) -> Expression {
    let base = module.runtime(types, "shape::Shape");
    let plan = UnionPlan::new(types.program, members);
    let shapes: Vec<_> = plan
        .members
        .iter()
        .map(|member| {
            let recursive = |id: &&DeclarationId| types.is_recursive(**id);
            let levels = member.containing_unions.iter().filter(recursive).count();
            let inner = shape(types, member.r#type, None, module);
            (0..levels).fold(inner, |inner, _| {
                Expression::Lazy(format!("{base}::Recursive"), base.clone(), Box::new(inner))
            })
        })
        .collect();
    let union = Expression::call(format!("{base}::union"), vec![Expression::List(shapes)]);
    let discriminants: Vec<_> = plan
        .discriminants()
        .into_iter()
        .map(|name| Expression::plain(names::text(name)))
        .collect();
    if discriminants.is_empty() {
        union
    } else {
        union.with("discriminants", Expression::List(discriminants))
    }
}

fn literal(types: &Types<'_>, value: &LiteralValue, base: &str, module: &mut Module) -> Expression {
    let (variant, value) = match value {
        LiteralValue::String(text) => {
            let text = Expression::plain(names::text(text));
            return Expression::call(format!("{base}::literal"), vec![text]);
        }
        LiteralValue::Number(number) => ("Number", decimal(*number)),
        LiteralValue::Boolean(value) => ("Boolean", value.to_string()),
        LiteralValue::BigInt(digits) => ("BigInt", names::text(digits)),
    };
    let path = module.runtime(types, "shape::Literal");
    let value = Expression::call(format!("{path}::{variant}"), vec![Expression::plain(value)]);
    Expression::call(format!("{base}::Literal"), vec![value])
}

fn number(mut shape: Expression, rules: &Constraints) -> Expression {
    for (rule, bound) in [
        ("minimum", rules.minimum),
        ("maximum", rules.maximum),
        ("exclusive_minimum", rules.exclusive_minimum),
        ("exclusive_maximum", rules.exclusive_maximum),
        ("multiple_of", rules.multiple_of),
    ] {
        if let Some(bound) = bound {
            shape = shape.method(rule, Some(decimal(bound.get())));
        }
    }
    shape
}

fn text(types: &Types<'_>, mut shape: Expression, rules: &Constraints, module: &mut Module) -> Expression {
    for (rule, length) in [
        ("min_length", rules.min_length),
        ("max_length", rules.effective_max_length()),
    ] {
        if let Some(length) = length {
            shape = shape.method(rule, Some(integer(length)));
        }
    }
    if let Some(format) = rules.format {
        let name = match format {
            Format::Email => "Email",
            Format::Uri => "Uri",
            Format::Uuid => "Uuid",
            Format::Date => "Date",
            Format::DateTime => "DateTime",
            Format::Ipv4 => "Ipv4",
            Format::Ipv6 => "Ipv6",
        };
        let path = module.runtime(types, "shape::Format");
        shape = shape.method("format", Some(format!("{path}::{name}")));
    }
    match &rules.pattern {
        Some(pattern) => {
            let constant = module.pattern(pattern);
            shape.method("pattern", Some(format!("&{constant}")))
        }
        None => shape,
    }
}

/// Prints a literal of an `f64`.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:?}");
    match text.split_once('.') {
        Some((whole, fraction)) if !text.contains('e') => format!("{}.{fraction}", grouped(whole)),
        _ => text,
    }
}

/// Prints the literal of a safe integer. Returns `None` for any other number.
pub(crate) fn whole_literal(number: f64) -> Option<String> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= MAX_SAFE).then(|| whole(number))
}

/// Prints an integer that is stored in an `f64`.
pub(crate) fn whole(number: f64) -> String {
    match format!("{number:.0}").as_str() {
        "-0" => "0".to_owned(),
        digits => grouped(digits),
    }
}

/// Prints an integer.
pub(crate) fn integer(number: u64) -> String {
    grouped(&number.to_string())
}

/// Groups digits in threes if there are more than four, as Clippy requires.
pub(crate) fn grouped(digits: &str) -> String {
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |digits| ("-", digits));
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let first = (digits.len() - 1) % 3 + 1;
    let rest = digits.as_bytes()[first..].chunks(3);
    let rest: String = rest
        .map(|group| format!("_{}", String::from_utf8_lossy(group)))
        .collect();
    format!("{sign}{}{rest}", &digits[..first])
}
