//! Generates functions that create the defaults of omitted fields. They are written after all types are known, because
//! the expression of a value depends on the definition of its type.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kit_analysis::{Fit, fit, read, specificity};
use kit_ir::{DefaultValue, LiteralValue, ObjectType, Span, TypeId, TypeKind};
use serde_json::Value;

use super::{Models, Module, number};
use crate::print::Expression;
use crate::types::{Definition, Form, Types};
use crate::{names, shapes};

/// Default of a field.
pub(super) struct Default {
    /// Name of the function that returns the default.
    pub(super) function: String,
    pub(super) r#type: TypeId,
    /// Type of the field in Rust.
    pub(super) rust: String,
    pub(super) value: DefaultValue,
    pub(super) property: String,
    pub(super) span: Span,
}

/// Defaults of a struct that are not written yet.
pub(super) struct Pending {
    module: String,
    /// Index of the empty item that is reserved for them in the module.
    place: usize,
    owner: String,
    form: Form,
    defaults: Vec<Default>,
}

impl Models<'_, '_> {
    /// Records the defaults of a struct, and reserves an item for their functions.
    pub(super) fn defaults_later(&mut self, owner: &str, defaults: Vec<Default>) {
        if defaults.is_empty() {
            return;
        }
        self.pending.push(Pending {
            module: self.module.name.clone(),
            place: self.module.items.len(),
            owner: owner.to_owned(),
            form: self.form,
            defaults,
        });
        self.module.items.push(String::new());
    }
}

/// Writes the functions into the reserved items.
pub(super) fn write(types: &mut Types<'_>, modules: &mut BTreeMap<String, Module>, pending: Vec<Pending>) {
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    for module in modules.values() {
        let declared = module.declared.iter();
        homes.extend(declared.map(|name| (name.clone(), module.name.clone())));
    }
    for Pending {
        module,
        place,
        owner,
        form,
        defaults,
    } in pending
    {
        let Some(module) = modules.get_mut(&module) else {
            continue;
        };
        let mut functions = String::new();
        for default in defaults {
            let mut writer = Writer {
                types,
                module,
                homes: &homes,
                form,
            };
            let Some(value) = writer.default(&default) else {
                types.problem(
                    format!("the default of `{owner}.{}` has no Rust form", default.property),
                    default.span,
                    "make the property optional, and let the handler fill it in",
                );
                continue;
            };
            if !functions.is_empty() {
                functions.push('\n');
            }
            let _ = write!(
                functions,
                "    fn {}() -> {} {{\n        {}\n    }}\n",
                default.function,
                default.rust,
                value.print(8, 0, 0)
            );
        }
        if !functions.is_empty() {
            module.items[place] = format!("impl {owner} {{\n{functions}}}\n");
        }
    }
}

/// Writes values as Rust expressions.
struct Writer<'a, 'p> {
    types: &'a Types<'p>,
    module: &'a mut Module,
    /// Module of each type.
    homes: &'a BTreeMap<String, String>,
    form: Form,
}

impl Writer<'_, '_> {
    fn default(&mut self, default: &Default) -> Option<Expression> {
        let value = match &default.value {
            DefaultValue::Now => {
                let timestamp = self.module.runtime(self.types, "Timestamp");
                let now = Expression::plain(format!("{timestamp}::now()"));
                return Some(some(&default.rust, now));
            }
            value => on_the_wire(value)?,
        };
        self.value(default.r#type, &default.rust, &value)
    }

    /// Returns the expression of a JSON value with a Rust type, or `None` if the value has no Rust form.
    fn value(&mut self, id: TypeId, rust: &str, value: &Value) -> Option<Expression> {
        if let Some(inner) = within(rust, "Box") {
            let inner = self.value(id, inner, value)?;
            return Some(Expression::call("Box::new", vec![inner]));
        }
        if let Some(inner) = within(rust, "Option") {
            if value.is_null() {
                return Some(Expression::plain("None"));
            }
            let inner = self.value(id, inner, value)?;
            return Some(Expression::call("Some", vec![inner]));
        }
        let program = self.types.program;
        let kind = &program.types[id].kind;
        if let TypeKind::Reference { declaration } = kind {
            self.module.model(self.types, *declaration, self.form);
            let target = program.declarations[*declaration].r#type;
            if let Some(Definition::Newtype(inner)) = self.types.definitions.get(rust).cloned() {
                let inner = self.value(target, &inner, value)?;
                return Some(Expression::call(rust, vec![inner]));
            }
            return self.value(target, rust, value);
        }
        if self.homes.get(rust).is_some_and(|home| *home != self.module.name) {
            self.module.models.insert(rust.to_owned());
        }
        match self.types.definitions.get(rust).cloned() {
            Some(Definition::Texts(texts)) => {
                let text = value.as_str()?;
                let (_, variant) = texts.iter().find(|(known, _)| known == text)?;
                return Some(Expression::plain(format!("{rust}::{variant}")));
            }
            Some(Definition::Union(variants)) => {
                let members: Vec<TypeId> = variants.iter().map(|variant| variant.member).collect();
                let variant = &variants[self.member(id, &members, value)?];
                let path = format!("{rust}::{}", variant.name);
                return Some(match &variant.inner {
                    None => Expression::plain(path),
                    Some(inner) => Expression::call(path, vec![self.value(variant.member, inner, value)?]),
                });
            }
            _ => {}
        }
        match kind {
            // A union whose members share one Rust type.
            TypeKind::Union { members } => {
                let member = members
                    .iter()
                    .find(|member| fit(program, **member, value) == Fit::Yes);
                self.value(*member?, rust, value)
            }
            TypeKind::Array { element } => {
                let inner = within(rust, "Vec")?.to_owned();
                self.list(
                    value
                        .as_array()?
                        .iter()
                        .map(|item| (*element, inner.as_str(), item)),
                )
            }
            TypeKind::Tuple { elements } => {
                let types: Vec<(TypeId, bool, bool)> = elements
                    .iter()
                    .map(|element| (element.r#type, element.optional, element.rest))
                    .collect();
                self.tuple(&types, rust, value.as_array()?)
            }
            TypeKind::Object(object) => self.object(object, rust, value),
            TypeKind::Unknown => {
                let macro_name = self.module.runtime(self.types, "value");
                Some(Expression::plain(format!("{macro_name}!({value})")))
            }
            _ => self.scalar(id, rust, value),
        }
    }

    fn scalar(&mut self, id: TypeId, rust: &str, value: &Value) -> Option<Expression> {
        let r#type = &self.types.program.types[id];
        Some(match (&r#type.kind, value) {
            (TypeKind::String | TypeKind::Template { .. }, Value::String(text)) => {
                Expression::plain(format!("{}.to_owned()", names::text(text)))
            }
            (_, Value::Bool(value)) => Expression::plain(value.to_string()),
            (_, Value::Null) => Expression::plain("()"),
            (kind, Value::Number(found)) if number(kind, &r#type.constraints).is_some() => {
                let found = found.as_f64()?;
                Expression::plain(if rust == "i64" {
                    shapes::whole(found)
                } else {
                    shapes::decimal(found)
                })
            }
            (TypeKind::Date, Value::String(text)) => {
                let timestamp = self.module.runtime(self.types, "Timestamp");
                let millis = shapes::grouped(&millis(text)?.to_string());
                Expression::call(
                    format!("{timestamp}::from_unix_millis_saturating"),
                    vec![Expression::plain(millis)],
                )
            }
            (TypeKind::Bytes, Value::String(text)) => {
                let bytes = self.module.runtime(self.types, "Bytes");
                let list = decoded(text)?.into_iter();
                let list = list.map(|byte| Expression::plain(byte.to_string())).collect();
                Expression::call(bytes, vec![Expression::Items("vec![", list)])
            }
            (
                TypeKind::BigInt
                | TypeKind::Literal {
                    value: LiteralValue::BigInt(_),
                },
                value,
            ) => {
                let bigint = self.module.runtime(self.types, "BigInt");
                let digits = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                match digits.parse::<i128>() {
                    Ok(_) => {
                        let suffix = if digits.parse::<i64>().is_ok() {
                            "i64"
                        } else {
                            "i128"
                        };
                        let digits = format!("{}_{suffix}", shapes::grouped(&digits));
                        Expression::call(format!("{bigint}::from"), vec![Expression::plain(digits)])
                    }
                    // The build already validated the value, so this branch is unreachable.
                    Err(_) => {
                        Expression::plain(format!("{}.parse().unwrap_or_default()", names::text(&digits)))
                    }
                }
            }
            _ => return None,
        })
    }

    fn list<'v>(&mut self, items: impl Iterator<Item = (TypeId, &'v str, &'v Value)>) -> Option<Expression> {
        let items: Option<Vec<Expression>> =
            items.map(|(id, rust, item)| self.value(id, rust, item)).collect();
        let items = items?;
        Some(if items.is_empty() {
            Expression::plain("Vec::new()")
        } else {
            Expression::Items("vec![", items)
        })
    }

    fn tuple(
        &mut self,
        elements: &[(TypeId, bool, bool)],
        rust: &str,
        items: &[Value],
    ) -> Option<Expression> {
        let definition = self.types.definitions.get(rust).cloned();
        let types: Vec<(String, String)> = if let Some(Definition::Tuple { fields, .. }) = &definition {
            fields.clone()
        } else {
            let inner = rust.strip_prefix('(')?.strip_suffix(')')?;
            let parts = split(inner.trim_end_matches(','));
            parts.into_iter().map(|part| (String::new(), part)).collect()
        };
        let mut values = Vec::new();
        let mut at = 0;
        for (number, ((id, optional, rest), (name, rust))) in elements.iter().zip(&types).enumerate() {
            let expression = if *rest {
                let count = (items.len() - at).saturating_sub(elements.len() - number - 1);
                let inner = within(rust, "Vec")?.to_owned();
                let list = &items[at..at + count];
                at += count;
                self.list(list.iter().map(|item| (*id, inner.as_str(), item)))?
            } else if *optional && at >= items.len() {
                Expression::plain("None")
            } else if *optional {
                let inner = self.value(*id, within(rust, "Option")?, items.get(at)?)?;
                at += 1;
                Expression::call("Some", vec![inner])
            } else {
                at += 1;
                self.value(*id, rust, items.get(at - 1)?)?
            };
            values.push((name.clone(), expression));
        }
        Some(match definition {
            Some(Definition::Tuple { named: true, .. }) => Expression::Struct(rust.to_owned(), values),
            Some(_) => Expression::call(rust, values.into_iter().map(|(_, value)| value).collect()),
            None if values.len() == 1 => {
                let only = values.pop()?.1;
                Expression::plain(format!("({},)", only.print(8, 1, 2)))
            }
            None => Expression::call("", values.into_iter().map(|(_, value)| value).collect()),
        })
    }

    fn object(&mut self, object: &ObjectType, rust: &str, value: &Value) -> Option<Expression> {
        let members = value.as_object()?;
        if super::is_map(object) {
            let inner = rust.split_once(',')?.1.trim().strip_suffix('>')?.to_owned();
            let map = rust.split_once('<')?.0.to_owned();
            if members.is_empty() {
                return Some(Expression::plain(format!("{map}::new()")));
            }
            let entries = members.iter();
            return self.map(&map, entries, object.index[0].value, &inner);
        }
        let Some(Definition::Struct { maps }) = self.types.definitions.get(rust).cloned() else {
            return None;
        };
        let fields = self.types.structs.get(rust)?.clone();
        let mut values = Vec::new();
        for field in &fields {
            let property = object.property(&field.property)?;
            let expression = match members.get(&field.property) {
                Some(item) => {
                    let inner = self.value(property.r#type, &field.r#type, item)?;
                    if field.optional {
                        Expression::call("Some", vec![inner])
                    } else {
                        inner
                    }
                }
                None if field.optional => Expression::plain("None"),
                None => match &property.tags.default {
                    Some(DefaultValue::Now) => {
                        Expression::plain(format!("{}::now()", self.module.runtime(self.types, "Timestamp")))
                    }
                    Some(default) => {
                        let item = on_the_wire(default)?;
                        self.value(property.r#type, &field.r#type, &item)?
                    }
                    None => return None,
                },
            };
            values.push((field.name.clone(), expression));
        }
        // Keys without a property belong to one of the maps; kit writes no default for such a value.
        let others = members.keys().any(|key| object.property(key).is_none());
        if others && !maps.is_empty() {
            return None;
        }
        let map = maps.first().map(|_| self.module.runtime(self.types, "IndexMap"));
        for name in maps {
            let empty = Expression::plain(format!("{}::new()", map.as_deref()?));
            values.push((name, empty));
        }
        Some(Expression::Struct(rust.to_owned(), values))
    }

    fn map<'v>(
        &mut self,
        map: &str,
        entries: impl Iterator<Item = (&'v String, &'v Value)>,
        id: TypeId,
        rust: &str,
    ) -> Option<Expression> {
        let mut pairs = Vec::new();
        for (key, item) in entries {
            let key = Expression::plain(format!("{}.to_owned()", names::text(key)));
            pairs.push(Expression::call("", vec![key, self.value(id, rust, item)?]));
        }
        Some(Expression::call(
            format!("{map}::from"),
            vec![Expression::Items("[", pairs)],
        ))
    }

    /// Returns the member of a union as which the runtimes read a value.
    fn member(&self, union: TypeId, members: &[TypeId], value: &Value) -> Option<usize> {
        let program = self.types.program;
        let whole = read(program, union, value)?;
        let same = |member: &&(usize, &TypeId)| read(program, *member.1, value).as_ref() == Some(&whole);
        let fitting: Vec<(usize, &TypeId)> = members.iter().enumerate().collect();
        let found = fitting
            .iter()
            .filter(same)
            .max_by_key(|(number, id)| (specificity(program, **id), std::cmp::Reverse(*number)));
        found.map(|(number, _)| *number)
    }
}

/// Wraps an expression in `Some` if the type is an `Option`.
fn some(rust: &str, value: Expression) -> Expression {
    if rust.starts_with("Option<") {
        Expression::call("Some", vec![value])
    } else {
        value
    }
}

/// Returns the type argument of a generic type, such as `T` of `Vec<T>`.
fn within<'t>(rust: &'t str, outer: &str) -> Option<&'t str> {
    rust.strip_prefix(outer)?.strip_prefix('<')?.strip_suffix('>')
}

/// Splits the types of a tuple.
fn split(types: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for character in types.chars() {
        match character {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if character == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Returns a default as JSON.
fn on_the_wire(default: &DefaultValue) -> Option<Value> {
    Some(match default {
        DefaultValue::Literal(LiteralValue::String(text) | LiteralValue::BigInt(text)) => {
            Value::from(text.as_str())
        }
        DefaultValue::Literal(LiteralValue::Number(number)) => Value::from(*number),
        DefaultValue::Literal(LiteralValue::Boolean(value)) => Value::from(*value),
        DefaultValue::Null => Value::Null,
        DefaultValue::Json(text) => serde_json::from_str(text).ok()?,
        DefaultValue::Now => return None,
    })
}

/// Returns the milliseconds since 1970 of an RFC 3339 date-time. A leap second (`:60`) counts as the second after it, as
/// in the runtimes.
fn millis(text: &str) -> Option<i64> {
    let text = text.to_ascii_uppercase();
    let leap = text.get(17..19) == Some("60");
    let text = if leap {
        format!("{}59{}", &text[..17], &text[19..])
    } else {
        text
    };
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(moment.as_millisecond() + if leap { 1000 } else { 0 })
}

/// Decodes base64 that the build already validated.
fn decoded(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for at in 0..4 {
            let sextet = match group.get(at) {
                Some(digit) => DIGITS.iter().position(|known| known == digit)?,
                None => 0,
            };
            bits = bits << 6 | u32::try_from(sextet).ok()?;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}
