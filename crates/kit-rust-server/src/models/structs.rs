//! Generates structs for objects. Keys that no property declares are in maps, one for each index signature.

use kit_ir::{DefaultValue, IndexKey, LiteralValue, ObjectType, Property, TemplatePart};
use proc_macro2::TokenStream;
use quote::quote;

use super::defaults::Default;
use super::{Models, UseSite};
use crate::names;
use crate::shapes;
use crate::source::{code_span, doc, ident, string_literal};
use crate::types::{Definition, Field, Form, ObjectId, RuntimeItem, RuntimeType, RustType};

/// Field of a struct for an index signature: a map with the keys that match the signature.
struct Map<'a> {
    name: String,
    /// Type of the map in generated code: `IndexMap` of the runtime.
    kind: RuntimeType,
    value: RustType,
    key: &'a IndexKey,
}

impl Models<'_, '_> {
    /// Generates the struct for an object.
    pub(super) fn structure(
        &mut self,
        name: &str,
        comment: &TokenStream,
        object: &ObjectType,
        id: ObjectId,
        site: &UseSite<'_>,
    ) {
        let tag = self.types.tag(id).cloned();
        let mut comment = comment.clone();
        if let Some((property, text)) = &tag {
            let added = code_span(&format!("{property}: {text:?}"));
            let line = format!("\nIn JSON, the enum around the struct adds {added}.");
            comment.extend(doc(&line));
        }
        let mut fields: Vec<Field> = Vec::new();
        let mut attributes = Vec::new();
        let mut defaults = Vec::new();
        for property in self.properties_of(object, id) {
            let field = self.field(name, property, site, &fields);
            attributes.push(self.attributes(name, &field, property, &mut defaults));
            fields.push(field);
        }
        let maps = self.maps(object, site, &fields);
        let (reads, writes) = self.derives();
        let sensitive = object.properties.iter().any(|property| property.tags.sensitive);
        let debug = (!sensitive).then(|| quote!(Debug,));
        let values = object.properties.iter().map(|property| property.r#type);
        let values = values.chain(object.index.iter().map(|signature| signature.value));
        let eq = self.equality(&values.collect::<Vec<_>>());
        let is_camel = fields
            .iter()
            .all(|field| names::serde_camel(plain(field)) == field.property);
        let renames = is_camel && fields.iter().any(|field| plain(field) != field.property);
        let rename_all = renames.then(|| quote!(#[serde(rename_all = "camelCase")]));
        let mut body: Vec<TokenStream> = Vec::new();
        for (field, (comment, attribute)) in fields.iter().zip(attributes) {
            let rename = (!is_camel && plain(field) != field.property).then(|| {
                let property = string_literal(&field.property);
                quote!(#[serde(rename = #property)])
            });
            let (name, mut r#type) = (ident(&field.name), field.r#type.clone());
            if field.optional {
                r#type = r#type.optional();
            }
            body.push(quote!(#comment #rename #attribute pub #name: #r#type));
        }
        let readers = self.map_fields(name, &maps, &mut body);
        let structure = ident(name);
        self.module.items.push(quote! {
            #comment
            #[derive(#debug Clone, #eq, #reads, #writes)]
            #rename_all
            pub struct #structure {
                #(#body),*
            }
        });
        if sensitive {
            self.module.items.push(hidden_debug(name, &fields, &maps, object));
            self.module.imports.add("std", "fmt");
        }
        if !readers.is_empty() {
            self.module.items.push(quote!(impl #structure { #(#readers)* }));
        }
        self.defaults_later(name, defaults);
        self.module.declared.push(name.to_owned());
        let maps = maps.into_iter().map(|map| map.name).collect();
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Struct { maps });
        self.types.structs.insert(name.to_owned(), fields);
    }

    /// Returns the properties of an object for which its struct has fields: not the property that an enum around the struct
    /// writes, and no property that can never have a value.
    pub(super) fn properties_of<'o>(&self, object: &'o ObjectType, id: ObjectId) -> Vec<&'o Property> {
        let tag = self.types.tag(id).map(|(property, _)| property);
        let properties = object.properties.iter();
        properties
            .filter(|property| self.may_hold(property) && tag != Some(&property.name))
            .collect()
    }

    /// Returns false for an optional property whose type has no values (`never`): the property is always
    /// absent.
    fn may_hold(&self, property: &Property) -> bool {
        !property.optional || !kit_analysis::is_impossible(self.types.program, property.r#type)
    }

    fn field(&mut self, owner: &str, property: &Property, site: &UseSite<'_>, before: &[Field]) -> Field {
        let name = names::unique(names::plain_field(&property.name), |taken| {
            before.iter().any(|field| plain(field) == taken)
        });
        let is_generated = property.tags.generated.is_some() && self.form == Form::Request;
        let r#type = self.rust_type(
            property.r#type,
            &UseSite {
                name: &format!("{owner}{}", names::variant(&property.name)),
                display_name: format!("{}.{}", site.display_name, property.name),
                span: property.span,
            },
            false,
        );
        Field {
            property: property.name.clone(),
            name: names::field(&name),
            r#type,
            optional: property.optional || is_generated,
        }
    }

    /// Returns the doc comment and the serde attributes of a field.
    fn attributes(
        &mut self,
        owner: &str,
        field: &Field,
        property: &Property,
        defaults: &mut Vec<Default>,
    ) -> (TokenStream, TokenStream) {
        let description = property.documentation.description.as_deref();
        let comment = doc(description.unwrap_or_default());
        let mut attributes = TokenStream::new();
        if field.optional {
            let optional = serde_path(&self.runtime("optional"));
            attributes = quote!(#[serde(default, with = #optional, skip_serializing_if = "Option::is_none")]);
        } else if let Some(default) = &property.tags.default {
            if is_default_of_type(default, &field.r#type) {
                attributes = quote!(#[serde(default)]);
            } else {
                let function = format!("default_{}", plain(field).trim_start_matches('_'));
                let path = format!("{owner}::{function}");
                attributes = quote!(#[serde(default = #path)]);
                defaults.push(Default {
                    function,
                    r#type: property.r#type,
                    rust: field.r#type.clone(),
                    value: default.clone(),
                    span: property.span,
                    property: property.name.clone(),
                });
            }
        }
        (comment, attributes)
    }

    /// Returns a map for each index signature. Each key belongs to the first signature that the key matches.
    fn maps<'o>(&mut self, object: &'o ObjectType, site: &UseSite<'_>, fields: &[Field]) -> Vec<Map<'o>> {
        let mut maps: Vec<Map<'o>> = Vec::new();
        for signature in object.signatures() {
            let wanted = match &signature.key {
                IndexKey::String => "others".to_owned(),
                IndexKey::Number => "numbers".to_owned(),
                IndexKey::Template { parts } => fixed_name(parts),
            };
            let name = names::unique(wanted, |taken| {
                fields.iter().any(|field| plain(field) == taken) || maps.iter().any(|map| map.name == taken)
            });
            let inner_site = UseSite {
                name: &format!("{}{}", site.name, names::variant(&name)),
                display_name: format!("{}[]", site.display_name),
                span: site.span,
            };
            maps.push(Map {
                kind: self.module.runtime_type(self.types, RuntimeItem::IndexMap),
                value: self.rust_type(signature.value, &inner_site, true),
                key: &signature.key,
                name,
            });
        }
        if !maps.is_empty() && fields.iter().any(|field| field.property == "__proto__") {
            self.types.problem(
                format!(
                    "`{}` has a property `__proto__` beside an index signature",
                    site.display_name
                ),
                site.span,
                "rename the property: a key `__proto__` that no contract declares is dropped",
            );
        }
        maps
    }

    /// Adds a field for each map. If serde itself would put too many keys into a map, also returns a function
    /// that selects the keys of the map.
    fn map_fields(&mut self, owner: &str, maps: &[Map<'_>], body: &mut Vec<TokenStream>) -> Vec<TokenStream> {
        let mut readers = Vec::new();
        for (number, map) in maps.iter().enumerate() {
            let Map { kind, value, .. } = map;
            let about = match map.key {
                IndexKey::String => "other keys".to_owned(),
                IndexKey::Number => "other keys that are numbers".to_owned(),
                IndexKey::Template { parts } => {
                    let source = kit_analysis::template_source(self.types.program, parts);
                    format!("other keys of the form {}", code_span(&source))
                }
            };
            let comment = doc(&format!("Values of {about}."));
            let name = ident(&map.name);
            let is_read = maps.len() > 1 || *map.key != IndexKey::String;
            let reader = is_read.then(|| {
                let path = format!("{owner}::{}", reader_name(map));
                quote!(, deserialize_with = #path)
            });
            body.push(quote!(#comment #[serde(flatten #reader)] pub #name: #kind<String, #value>));
            if !is_read {
                continue;
            }
            let mut conditions: Vec<TokenStream> = Vec::new();
            for other in &maps[..number] {
                let keys = shapes::keys(self.types, other.key, self.module);
                conditions.push(quote!(!#keys.matches(key)));
            }
            // `[key: string]` accepts every key that no other map has.
            if *map.key != IndexKey::String {
                let keys = shapes::keys(self.types, map.key, self.module);
                conditions.push(quote!(#keys.matches(key)));
            }
            let members = self.runtime("serde_parts::members");
            let reads = self.module.serde(self.types, "Deserializer");
            let function = ident(&reader_name(map));
            readers.push(quote! {
                fn #function<'de, D: #reads<'de>>(deserializer: D) -> Result<#kind<String, #value>, D::Error> {
                    #members(deserializer, |key| #(#conditions)&&*)
                }
            });
        }
        readers
    }
}

/// Returns the name of a field without the prefix `r#`.
fn plain(field: &Field) -> &str {
    field.name.trim_start_matches("r#")
}

/// Returns the name of the function that selects the keys of a map.
fn reader_name(map: &Map<'_>) -> String {
    format!("read_{}", map.name.trim_start_matches("r#"))
}

/// Returns a path as a string without spaces, for an attribute of serde.
fn serde_path(path: &TokenStream) -> String {
    path.clone().into_iter().map(|token| token.to_string()).collect()
}

/// Returns a field name made from the constant text of a template literal type: `user-${number}` gives
/// `user`.
fn fixed_name(parts: &[TemplatePart]) -> String {
    let fixed: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            TemplatePart::Text(text) => Some(text.as_str()),
            TemplatePart::Placeholder(_) => None,
        })
        .collect();
    match names::plain_field(&fixed.join("_")).trim_start_matches('_') {
        "" | "value" => "matching".to_owned(),
        name => names::field(name),
    }
}

/// Returns true if `Default::default()` of the Rust type returns the same value, so that no function for the
/// default is needed.
fn is_default_of_type(default: &DefaultValue, rust: &RustType) -> bool {
    match default {
        DefaultValue::Null => rust.is_option(),
        DefaultValue::Literal(value) => *rust == RustType::Bool && *value == LiteralValue::Boolean(false),
        DefaultValue::Json(text) => matches!(rust, RustType::Vec(_)) && text == "[]",
        DefaultValue::Now => false,
    }
}

/// Returns an implementation of `Debug` that hides sensitive fields.
fn hidden_debug(name: &str, fields: &[Field], maps: &[Map<'_>], object: &ObjectType) -> TokenStream {
    let mut calls = TokenStream::new();
    for field in fields {
        let (display_name, field_name) = (plain(field), ident(&field.name));
        let property = object.property(&field.property);
        let value = if property.is_some_and(|property| property.tags.sensitive) {
            quote!(&"[redacted]")
        } else {
            quote!(&self.#field_name)
        };
        calls.extend(quote!(.field(#display_name, #value)));
    }
    for map in maps {
        let (display_name, field_name) = (&map.name, ident(&map.name));
        calls.extend(quote!(.field(#display_name, &self.#field_name)));
    }
    let structure = ident(name);
    quote! {
        impl fmt::Debug for #structure {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(#name) #calls.finish()
            }
        }
    }
}
