//! Generates functions that return the defaults of properties. The functions are generated after all types,
//! because the expression of a value depends on the definition of its type.

use std::collections::BTreeMap;

use kit_analysis::{Fit, fit, read, specificity};
use kit_ir::{DefaultValue, LiteralValue, ObjectType, Span, TypeId, TypeKind};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use serde_json::{Number, Value};

use super::texts::{decoded, millis};
use super::{Models, Module, number};
use crate::shapes;
use crate::source::{ident, number as digits, string_literal};
use crate::types::{Definition, Form, RuntimeItem, RuntimeType, RustType, Types};

/// Default of a field.
pub(super) struct Default {
    /// Name of the function that returns the default.
    pub(super) function: String,
    pub(super) r#type: TypeId,
    /// Rust type of the field.
    pub(super) rust: RustType,
    pub(super) value: DefaultValue,
    pub(super) property: String,
    pub(super) span: Span,
}

/// Defaults of a struct. Their functions are generated after all types.
pub(super) struct Pending {
    module: String,
    /// Index of the placeholder in the module's items, which the functions replace.
    place: usize,
    owner: String,
    form: Form,
    defaults: Vec<Default>,
}

impl Models<'_, '_> {
    /// Stores the defaults of a struct for later, and adds a placeholder for their functions to the module.
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
        self.module.items.push(TokenStream::new());
    }
}

/// Generates the functions of the defaults, and puts them in place of the placeholders.
pub(super) fn write(types: &mut Types<'_>, modules: &mut BTreeMap<String, Module>, pending: Vec<Pending>) {
    let mut modules_of_types: BTreeMap<String, String> = BTreeMap::new();
    for module in modules.values() {
        let declared = module.declared.iter();
        modules_of_types.extend(declared.map(|name| (name.clone(), module.name.clone())));
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
        let mut functions = Vec::new();
        for default in defaults {
            let mut writer = Writer {
                types,
                module,
                modules_of_types: &modules_of_types,
                form,
            };
            let Some(value) = writer.default(&default) else {
                types.problem(
                    format!(
                        "kit cannot write the default of `{owner}.{}` in Rust",
                        default.property
                    ),
                    default.span,
                    "make the property optional, and set the value in the handler",
                );
                continue;
            };
            let (function, rust) = (ident(&default.function), &default.rust);
            functions.push(quote!(fn #function() -> #rust { #value }));
        }
        if !functions.is_empty() {
            let owner = ident(&owner);
            module.items[place] = quote!(impl #owner { #(#functions)* });
        }
    }
}

/// Generates Rust expressions of values.
struct Writer<'a, 'p> {
    types: &'a Types<'p>,
    module: &'a mut Module,
    /// Name of the module that declares each type, by the name of the type.
    modules_of_types: &'a BTreeMap<String, String>,
    form: Form,
}

impl Writer<'_, '_> {
    fn default(&mut self, default: &Default) -> Option<TokenStream> {
        let value = match &default.value {
            DefaultValue::Now => {
                let now = self.now();
                return Some(if default.rust.is_option() {
                    quote!(Some(#now))
                } else {
                    now
                });
            }
            value => as_json(value)?,
        };
        self.value(default.r#type, &default.rust, &value)
    }

    /// Returns the expression of the current time.
    fn now(&mut self) -> TokenStream {
        let timestamp = self.runtime(RuntimeItem::Timestamp);
        quote!(#timestamp::now())
    }

    fn runtime(&mut self, item: RuntimeItem) -> RuntimeType {
        self.module.runtime_type(self.types, item)
    }

    /// Returns the Rust expression of a JSON value that has the type `rust`. Returns `None` if the value cannot be
    /// expressed in Rust.
    fn value(&mut self, id: TypeId, rust: &RustType, value: &Value) -> Option<TokenStream> {
        match rust {
            RustType::Box(inner) => {
                let inner = self.value(id, inner, value)?;
                return Some(quote!(Box::new(#inner)));
            }
            RustType::Option(_) if value.is_null() => return Some(quote!(None)),
            RustType::Option(inner) => {
                let inner = self.value(id, inner, value)?;
                return Some(quote!(Some(#inner)));
            }
            _ => {}
        }
        let program = self.types.program;
        let kind = &program.types[id].kind;
        if let TypeKind::Reference { declaration } = kind {
            self.module.model(self.types, *declaration, self.form);
            let target = program.declarations[*declaration].r#type;
            if let Some(Definition::Newtype(inner)) = self.definition(rust) {
                let inner = self.value(target, &inner, value)?;
                return Some(quote!(#rust(#inner)));
            }
            return self.value(target, rust, value);
        }
        self.import(rust);
        match self.definition(rust) {
            Some(Definition::Texts(texts)) => {
                let text = value.as_str()?;
                let (_, variant) = texts.iter().find(|(known, _)| known == text)?;
                let variant = ident(variant);
                return Some(quote!(#rust::#variant));
            }
            Some(Definition::Union(variants)) => {
                let members: Vec<TypeId> = variants.iter().map(|variant| variant.member).collect();
                let variant = &variants[self.member(id, &members, value)?];
                let name = ident(&variant.name);
                return Some(match &variant.inner {
                    None => quote!(#rust::#name),
                    Some(inner) => {
                        let inner = self.value(variant.member, inner, value)?;
                        quote!(#rust::#name(#inner))
                    }
                });
            }
            _ => {}
        }
        match kind {
            // A union whose members all have the same Rust type.
            TypeKind::Union { members } => {
                let member = members
                    .iter()
                    .find(|member| fit(program, **member, value) == Fit::Yes);
                self.value(*member?, rust, value)
            }
            TypeKind::Array { element } => {
                let items = value.as_array()?;
                self.list(*element, element_type(rust)?, items)
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
                let json = json(value);
                Some(quote!(#macro_name!(#json)))
            }
            _ => self.scalar(id, rust, value),
        }
    }

    fn definition(&self, rust: &RustType) -> Option<Definition> {
        self.types.definitions.get(rust.model()?).cloned()
    }

    /// Imports a generated type if another module declares it.
    fn import(&mut self, rust: &RustType) {
        let Some(name) = rust.model() else { return };
        let module = self.modules_of_types.get(name);
        if module.is_some_and(|module| *module != self.module.name) {
            self.module.models.insert(name.to_owned());
        }
    }

    fn scalar(&mut self, id: TypeId, rust: &RustType, value: &Value) -> Option<TokenStream> {
        let r#type = &self.types.program.types[id];
        Some(match (&r#type.kind, value) {
            (TypeKind::String, Value::String(text)) if rust.is_runtime(RuntimeItem::Decimal) => {
                self.decimal(text)
            }
            (TypeKind::String | TypeKind::Template { .. }, Value::String(text)) => owned(text),
            (_, Value::Bool(value)) => quote!(#value),
            (_, Value::Null) => quote!(()),
            (kind, Value::Number(found)) if number(kind, &r#type.constraints).is_some() => {
                let found = found.as_f64()?;
                if *rust == RustType::I64 {
                    shapes::integer_literal(found)
                } else {
                    shapes::decimal(found)
                }
            }
            (TypeKind::Date, Value::String(text)) => {
                let timestamp = self.runtime(RuntimeItem::Timestamp);
                let millis = digits(&shapes::grouped(&millis(text)?.to_string()));
                quote!(#timestamp::from_unix_millis_saturating(#millis))
            }
            (TypeKind::Bytes, Value::String(text)) => {
                let bytes = self.runtime(RuntimeItem::Bytes);
                let list = decoded(text)?.into_iter().map(Literal::u8_unsuffixed);
                quote!(#bytes(vec![#(#list),*]))
            }
            (
                TypeKind::BigInt
                | TypeKind::Literal {
                    value: LiteralValue::BigInt(_),
                },
                value,
            ) => {
                let bigint = self.runtime(RuntimeItem::BigInt);
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if text.parse::<i128>().is_ok() {
                    let suffix = if text.parse::<i64>().is_ok() {
                        "i64"
                    } else {
                        "i128"
                    };
                    let literal = digits(&format!("{}_{suffix}", shapes::grouped(&text)));
                    quote!(#bigint::from(#literal))
                } else {
                    // The build has already validated the value, so the fallback never applies.
                    quote!(#text.parse().unwrap_or_default())
                }
            }
            _ => return None,
        })
    }

    /// Returns the expression of a decimal number: `Decimal::new(150, 2)` for `1.50`.
    fn decimal(&mut self, text: &str) -> TokenStream {
        // The build has already validated the value, so the fallback never applies.
        let parsed = quote!(#text.parse().unwrap_or_default());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        match format!("{whole}{fraction}").parse::<i64>() {
            Ok(all) if all != 0 || !text.starts_with('-') => {
                let decimal = self.runtime(RuntimeItem::Decimal);
                let all = digits(&shapes::grouped(&all.to_string()));
                let scale = Literal::usize_unsuffixed(fraction.len());
                quote!(#decimal::new(#all, #scale))
            }
            _ => parsed,
        }
    }

    /// Returns the expression of a `Vec` with these items.
    fn list(&mut self, element: TypeId, rust: &RustType, items: &[Value]) -> Option<TokenStream> {
        let items: Option<Vec<TokenStream>> =
            items.iter().map(|item| self.value(element, rust, item)).collect();
        let items = items?;
        Some(if items.is_empty() {
            quote!(Vec::new())
        } else {
            quote!(vec![#(#items),*])
        })
    }

    fn tuple(
        &mut self,
        elements: &[(TypeId, bool, bool)],
        rust: &RustType,
        items: &[Value],
    ) -> Option<TokenStream> {
        let definition = self.definition(rust);
        let types: Vec<&RustType> = match (&definition, rust) {
            (Some(Definition::Tuple { fields, .. }), _) => fields.iter().map(|(_, r#type)| r#type).collect(),
            (_, RustType::Tuple(types)) => types.iter().collect(),
            _ => return None,
        };
        let mut values = Vec::new();
        let mut at = 0;
        for (number, ((id, optional, rest), rust)) in elements.iter().zip(types).enumerate() {
            values.push(if *rest {
                let count = (items.len() - at).saturating_sub(elements.len() - number - 1);
                let list = &items[at..at + count];
                at += count;
                self.list(*id, element_type(rust)?, list)?
            } else if *optional && at >= items.len() {
                quote!(None)
            } else {
                let item = items.get(at)?;
                at += 1;
                match rust {
                    RustType::Option(inner) if *optional => {
                        let inner = self.value(*id, inner, item)?;
                        quote!(Some(#inner))
                    }
                    rust => self.value(*id, rust, item)?,
                }
            });
        }
        Some(match &definition {
            Some(Definition::Tuple { named: true, fields }) => {
                let names = fields.iter().map(|(name, _)| ident(name));
                quote!(#rust { #(#names: #values),* })
            }
            Some(_) => quote!(#rust(#(#values),*)),
            None => match values.as_slice() {
                [only] => quote!((#only,)),
                several => quote!((#(#several),*)),
            },
        })
    }

    fn object(&mut self, object: &ObjectType, rust: &RustType, value: &Value) -> Option<TokenStream> {
        let members = value.as_object()?;
        if let RustType::Map(map, inner) = rust {
            if members.is_empty() {
                return Some(quote!(#map::new()));
            }
            let id = object.index.first()?.value;
            let mut pairs = Vec::new();
            for (key, item) in members {
                let (key, item) = (owned(key), self.value(id, inner, item)?);
                pairs.push(quote!((#key, #item)));
            }
            return Some(quote!(#map::from([#(#pairs),*])));
        }
        let Some(Definition::Struct { maps }) = self.definition(rust) else {
            return None;
        };
        let fields = self.types.structs.get(rust.model()?)?.clone();
        let mut values = Vec::new();
        for field in &fields {
            let property = object.property(&field.property)?;
            let expression = match members.get(&field.property) {
                Some(item) => {
                    let inner = self.value(property.r#type, &field.r#type, item)?;
                    if field.optional {
                        quote!(Some(#inner))
                    } else {
                        inner
                    }
                }
                None if field.optional => quote!(None),
                None => match &property.tags.default {
                    Some(DefaultValue::Now) => self.now(),
                    Some(default) => {
                        let item = as_json(default)?;
                        self.value(property.r#type, &field.r#type, &item)?
                    }
                    None => return None,
                },
            };
            let name = ident(&field.name);
            values.push(quote!(#name: #expression));
        }
        // A key without a property belongs into one of the maps. Defaults with such keys are not supported.
        let others = members.keys().any(|key| object.property(key).is_none());
        if others && !maps.is_empty() {
            return None;
        }
        for name in maps {
            let (name, map) = (ident(&name), self.runtime(RuntimeItem::IndexMap));
            values.push(quote!(#name: #map::new()));
        }
        Some(quote!(#rust { #(#values),* }))
    }

    /// Returns the index of the union member as which all servers of kit decode the value.
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

/// Returns the type of the items of a `Vec`.
fn element_type(rust: &RustType) -> Option<&RustType> {
    match rust {
        RustType::Vec(inner) => Some(inner),
        _ => None,
    }
}

/// Returns the expression of a `String` with this text.
fn owned(text: &str) -> TokenStream {
    let text = string_literal(text);
    quote!(#text.to_owned())
}

/// Returns a JSON value in the syntax of the macro `value!` of `kit_runtime`.
fn json(value: &Value) -> TokenStream {
    match value {
        Value::Null => quote!(null),
        Value::Bool(value) => quote!(#value),
        Value::Number(number) => json_number(number),
        Value::String(text) => string_literal(text).into_token_stream(),
        Value::Array(items) => {
            let items = items.iter().map(json);
            quote!([#(#items),*])
        }
        Value::Object(members) => {
            let names = members.keys().map(|name| string_literal(name));
            let values = members.values().map(json);
            quote!({ #(#names: #values),* })
        }
    }
}

/// Returns a JSON number. Rust takes an integer without a suffix for an `i32`.
fn json_number(number: &Number) -> TokenStream {
    let suffix = match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) if i32::try_from(integer).is_ok() => "",
        (Some(_), _) => "_i64",
        (None, Some(decimal)) if !number.is_u64() => return shapes::decimal(decimal),
        _ => "_u64",
    };
    digits(&format!("{}{suffix}", shapes::grouped(&number.to_string())))
}

/// Returns a default as JSON.
fn as_json(default: &DefaultValue) -> Option<Value> {
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

#[cfg(test)]
mod tests {
    #[test]
    fn integers_that_are_no_i32_have_a_suffix() {
        let numbers = serde_json::json!([
            2_147_483_647,
            2_147_483_648_u64,
            -3_000_000_000_i64,
            u64::MAX,
            12_345.5
        ]);
        let expected =
            "[2_147_483_647,2_147_483_648_i64,-3_000_000_000_i64,18_446_744_073_709_551_615_u64,12_345.5]";
        assert_eq!(super::json(&numbers).to_string().replace(' ', ""), expected);
    }
}
