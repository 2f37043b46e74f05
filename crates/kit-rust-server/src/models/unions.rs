//! Generates enums for unions. A union of string literals gets a variant for each string; any other union gets a
//! variant for each member.

use kit_analysis::UnionPlan;
use kit_ir::{LiteralValue, TypeId, TypeKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::renames::Renames;
use super::variant_names::VariantNames;
use super::{Models, UseSite, number};
use crate::names;
use crate::shapes;
use crate::source::{code_span, doc, ident, string_literal};
use crate::types::{Definition, RustType, StringEnum, StringUnion, Variant};

impl Models<'_, '_> {
    pub(super) fn union_rust_type(
        &mut self,
        id: TypeId,
        members: &[TypeId],
        site: &UseSite<'_>,
        inside: bool,
    ) -> RustType {
        let rest = self.without_null(members);
        let nullable = rest.len() < members.len();
        let inner = match rest.as_slice() {
            [] => RustType::Unit,
            [only] => self.rust_type(*only, site, inside),
            several => match (self.texts(several), self.common(several)) {
                (Some(texts), _) => self.named_text_enum(site, &texts),
                (None, Some(common)) => self.rust_type(common, site, inside),
                (None, None) => self.named_union(id, several, site),
            },
        };
        if nullable && inner != RustType::Unit {
            inner.optional()
        } else {
            inner
        }
    }

    /// Returns the enum for a union that another type contains. `null` gets no variant, because the caller
    /// puts the enum into an `Option`.
    fn named_union(&mut self, id: TypeId, members: &[TypeId], site: &UseSite<'_>) -> RustType {
        if let Some(known) = self.generated(id) {
            return known;
        }
        let name = self.types.name_anonymous(self.home, site.name);
        self.union(&name, &site.comment(), members, site, true);
        self.record_type(id, name)
    }

    pub(super) fn without_null(&self, members: &[TypeId]) -> Vec<TypeId> {
        let program = self.types.program;
        let is_null = |id: &&TypeId| !matches!(program.types[**id].kind, TypeKind::Null);
        members.iter().filter(is_null).copied().collect()
    }

    /// Returns true if a union needs no enum: without `null` it has only one member, or one Rust type can
    /// represent all members.
    pub(super) fn is_one(&self, members: &[TypeId]) -> bool {
        let rest = self.without_null(members);
        rest.len() < 2 || self.texts(&rest).is_some() || self.common(&rest).is_some()
    }

    /// Returns the member whose Rust type can represent all members of a union. Returns `None` if the members
    /// are not all numbers, all booleans or all bigints.
    fn common(&self, members: &[TypeId]) -> Option<TypeId> {
        let program = self.types.program;
        let kind = |id: &TypeId| &program.types[*id].kind;
        let numbers: Option<Vec<RustType>> = members
            .iter()
            .map(|id| number(kind(id), &program.types[*id].constraints))
            .collect();
        if let Some(numbers) = numbers {
            let fraction = numbers.iter().position(|number| *number == RustType::F64);
            return Some(members[fraction.unwrap_or(0)]);
        }
        let are = |is: fn(&TypeKind) -> bool| members.iter().all(|id| is(kind(id)));
        (are(is_boolean) || are(is_bigint)).then(|| members[0])
    }

    /// Returns the strings of a union of string literals. Returns `None` for other unions.
    pub(super) fn texts(&self, members: &[TypeId]) -> Option<Vec<String>> {
        let program = self.types.program;
        members
            .iter()
            .map(|id| match &program.types[*id].kind {
                TypeKind::Literal {
                    value: LiteralValue::String(text),
                } => Some(text.clone()),
                _ => None,
            })
            .collect()
    }

    pub(super) fn named_text_enum(&mut self, site: &UseSite<'_>, texts: &[String]) -> RustType {
        let path = site.display_name.rsplit('.').next().unwrap_or_default();
        let union = StringUnion {
            span: site.span,
            property: path.trim_end_matches("[]").to_owned(),
            texts: texts.to_vec(),
            is_of_entity: self.types.entity(self.home).is_some(),
            module: self.module.name.clone(),
        };
        if let Some(known) = self.types.string_enum(&union) {
            let (module, name) = (known.union.module.clone(), known.name.clone());
            return self.imported(&module, name);
        }
        let name = self.types.name_anonymous(self.home, site.name);
        self.text_enum(&name, &site.comment(), texts);
        self.types.record_string_enum(StringEnum {
            union,
            name: name.clone(),
        });
        RustType::Model(name)
    }

    pub(super) fn text_enum(&mut self, name: &str, comment: &TokenStream, texts: &[String]) {
        let mut variants: Vec<String> = Vec::new();
        for text in texts {
            variants.push(unique(names::variant(text), &variants));
        }
        let Renames { all, single } = Renames::new(&variants, texts);
        let all = all.map(|rule| quote!(#[serde(rename_all = #rule)]));
        let mut body = Vec::new();
        let mut arms = Vec::new();
        for ((variant, text), rename) in variants.iter().zip(texts).zip(single) {
            let (own, quoted) = (ident(variant), string_literal(text));
            let comment = doc(&code_span(text));
            body.push(quote!(#comment #rename #own));
            arms.push(quote!(Self::#own => #quoted));
        }
        let (reads, writes) = self.derives();
        let model = ident(name);
        self.module.items.push(quote! {
            #comment
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, #reads, #writes)]
            #all
            pub enum #model {
                #(#body),*
            }
        });
        let values = variants.iter().map(|variant| ident(variant));
        self.module.items.push(quote! {
            impl #model {
                /// All values.
                pub const ALL: &[Self] = &[#(Self::#values),*];

                /// Returns the text on the wire.
                #[must_use]
                pub const fn as_str(self) -> &'static str {
                    match self { #(#arms,)* }
                }
            }
        });
        self.module.declared.push(name.to_owned());
        let texts = texts.iter().cloned().zip(variants).collect();
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Texts(texts));
    }

    /// Generates an enum with a variant for each member. As in all servers of kit, a value is decoded as the
    /// member that retains most keys of the value.
    pub(super) fn union(
        &mut self,
        name: &str,
        comment: &TokenStream,
        members: &[TypeId],
        site: &UseSite<'_>,
        anonymous: bool,
    ) {
        let program = self.types.program;
        let plan = UnionPlan::new(program, members);
        let flat: Vec<TypeId> = plan.members.iter().map(|member| member.r#type).collect();
        if let Some(tagged) = self.types.tagged_union(&flat).cloned() {
            return self.tagged_enum(name, comment, &flat, &tagged, site);
        }
        let wanted = VariantNames::new(self.types, &flat);
        let wanted: Vec<String> = (0..flat.len()).map(|number| wanted.name(number)).collect();
        let mut variants: Vec<Variant> = Vec::new();
        for (member, wanted) in flat.into_iter().zip(wanted) {
            let known: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
            let variant = unique(wanted, &known);
            let inner = match &program.types[member].kind {
                TypeKind::Null | TypeKind::Literal { .. } => None,
                _ => {
                    let inner_site = UseSite {
                        name: &format!("{name}{variant}"),
                        display_name: site.display_name.clone(),
                        span: site.span,
                    };
                    Some(self.rust_type(member, &inner_site, false))
                }
            };
            variants.push(Variant {
                member,
                name: variant,
                inner,
            });
        }
        self.union_type(name, comment, &variants);
        self.union_reader(name, members, &variants, anonymous);
        self.module.declared.push(name.to_owned());
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Union(variants));
    }

    /// Generates the enum and its implementation of `Serialize`. A variant with a value is serialized as this
    /// value, and a variant for a literal as the literal.
    fn union_type(&mut self, name: &str, comment: &TokenStream, variants: &[Variant]) {
        let program = self.types.program;
        let mut body = Vec::new();
        let mut arms = Vec::new();
        let mut serde_knows = true;
        for Variant { member, name, inner } in variants {
            let own = ident(name);
            match (inner, &program.types[*member].kind) {
                (Some(inner), _) => {
                    let about = kit_analysis::describe(program, *member);
                    let comment = doc(&code_span(&about));
                    body.push(quote!(#comment #own(#inner)));
                    arms.push(quote!(Self::#own(value) => value.serialize(serializer)));
                }
                (None, TypeKind::Literal { value }) => {
                    serde_knows = false;
                    let (display_name, call) = serialized(value);
                    let comment = doc(&code_span(&display_name));
                    body.push(quote!(#comment #own));
                    arms.push(quote!(Self::#own => serializer.#call));
                }
                (None, _) => {
                    let comment = doc("`null`");
                    body.push(quote!(#comment #own));
                    arms.push(quote!(Self::#own => serializer.serialize_unit()));
                }
            }
        }
        let serialize = self.module.serde(self.types, "Serialize");
        let is_flat = variants.iter().all(|variant| variant.inner.is_none());
        let more = if is_flat {
            quote!(Clone, Copy, PartialEq, Eq, Hash)
        } else {
            let members: Vec<TypeId> = variants.iter().map(|variant| variant.member).collect();
            let eq = self.equality(&members);
            quote!(Clone, #eq)
        };
        let model = ident(name);
        if serde_knows {
            self.module.items.push(quote! {
                #comment
                #[derive(Debug, #more, #serialize)]
                #[serde(untagged)]
                pub enum #model {
                    #(#body),*
                }
            });
            return;
        }
        let serializer = self.module.serde(self.types, "Serializer");
        self.module.items.push(quote! {
            #comment
            #[derive(Debug, #more)]
            pub enum #model {
                #(#body),*
            }
        });
        self.module.items.push(quote! {
            impl #serialize for #model {
                fn serialize<S: #serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self { #(#arms,)* }
                }
            }
        });
    }

    fn union_reader(&mut self, name: &str, members: &[TypeId], variants: &[Variant], anonymous: bool) {
        let pick = self.runtime("check::pick");
        let deserialize = self.module.serde(self.types, "Deserialize");
        let deserializer = self.module.serde(self.types, "Deserializer");
        self.module.imports.add("serde", "de");
        let (constant, shape_of) = if anonymous {
            let kind = self.runtime("shape::Shape");
            let shape = shapes::union(self.types, members, self.module);
            (Some(quote!(static SHAPE: #kind = #shape;)), quote!(&SHAPE))
        } else {
            (None, self.shape_of("Self"))
        };
        let mut arms = Vec::new();
        let is_flat = variants.iter().all(|variant| variant.inner.is_none());
        for (number, variant) in variants.iter().enumerate() {
            let (number, own) = (Literal::usize_unsuffixed(number), ident(&variant.name));
            let value = if variant.inner.is_some() {
                let from_json = self.runtime("json::from_json");
                quote!(#from_json(&json).map(Self::#own))
            } else {
                quote!(Ok(Self::#own))
            };
            arms.push(quote!(Some(#number) => #value));
        }
        let error = format!("no member of `{name}`");
        let picked = quote! {
            match #pick(#shape_of, &json) {
                #(#arms,)*
                _ => Err(de::Error::custom(#error)),
            }
        };
        let result = if is_flat {
            picked
        } else {
            quote! {
                let read = #picked;
                read.map_err(de::Error::custom)
            }
        };
        let model = ident(name);
        self.module.items.push(quote! {
            impl<'de> #deserialize<'de> for #model {
                fn deserialize<D: #deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    #constant
                    let json = kit_runtime::json::Json::deserialize(deserializer)?;
                    #result
                }
            }
        });
    }
}

/// Returns the name `wanted`. If another variant has this name, appends a number.
pub(super) fn unique(wanted: String, variants: &[String]) -> String {
    names::unique(wanted, |name| variants.iter().any(|known| known == name))
}

/// Returns a literal in TypeScript syntax for the doc comment, and the method call that serializes it.
fn serialized(value: &LiteralValue) -> (String, TokenStream) {
    match value {
        LiteralValue::String(text) => {
            let literal = string_literal(text);
            (text.clone(), quote!(serialize_str(#literal)))
        }
        LiteralValue::BigInt(digits) => (format!("{digits}n"), quote!(serialize_str(#digits))),
        LiteralValue::Boolean(value) => (value.to_string(), quote!(serialize_bool(#value))),
        LiteralValue::Number(number) => {
            let call = if let Some(whole) = shapes::whole_literal(*number) {
                quote!(serialize_i64(#whole))
            } else {
                let decimal = shapes::decimal(*number);
                quote!(serialize_f64(#decimal))
            };
            (number.to_string(), call)
        }
    }
}

fn is_boolean(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::Boolean
            | TypeKind::Literal {
                value: LiteralValue::Boolean(_)
            }
    )
}

fn is_bigint(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::BigInt
            | TypeKind::Literal {
                value: LiteralValue::BigInt(_)
            }
    )
}
