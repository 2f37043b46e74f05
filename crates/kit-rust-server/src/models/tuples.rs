//! Generates types for tuples: Rust tuples, or structs for tuples with labels, optional or repeated elements.

use kit_ir::{TupleElement, TypeId};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::{Models, UseSite};
use crate::names;
use crate::source::ident;
use crate::types::{Definition, RustType};

/// Maximum length of a Rust tuple. The standard library implements traits such as `Debug` only up to this length.
const LONGEST: usize = 12;

/// Field of a struct that represents a tuple: name or position, and type.
type TupleField = (String, RustType);

impl Models<'_, '_> {
    /// Returns the Rust type for a tuple that another type contains.
    pub(super) fn tuple_rust_type(
        &mut self,
        id: TypeId,
        elements: &[TupleElement],
        site: &UseSite<'_>,
    ) -> RustType {
        let is_plain = elements.iter().all(|element| !element.optional && !element.rest);
        if !is_plain || is_labelled(elements) || elements.is_empty() || elements.len() > LONGEST {
            if let Some(known) = self.generated(id) {
                return known;
            }
            let name = self.types.name_anonymous(self.home, site.name);
            self.tuple_struct(&name, &site.comment(), elements, site);
            return self.record_type(id, name);
        }
        let types = elements
            .iter()
            .enumerate()
            .map(|(number, element)| self.element(element, number, site));
        RustType::Tuple(types.collect())
    }

    /// Generates a struct for a tuple. If every element has a label, the fields have names.
    pub(super) fn tuple_struct(
        &mut self,
        name: &str,
        comment: &TokenStream,
        elements: &[TupleElement],
        site: &UseSite<'_>,
    ) {
        let named = is_labelled(elements) || elements.is_empty();
        let mut fields: Vec<TupleField> = Vec::new();
        for (number, element) in elements.iter().enumerate() {
            let mut r#type = self.element(element, number, site);
            if element.optional {
                r#type = r#type.optional();
            }
            let label = element.label.as_deref().unwrap_or_default();
            let field = if named {
                let wanted = names::plain_field(label);
                names::field(&names::unique(wanted, |taken| {
                    fields
                        .iter()
                        .any(|(name, _)| name.trim_start_matches("r#") == taken)
                }))
            } else {
                number.to_string()
            };
            fields.push((field, r#type));
        }
        // serde serializes a struct without field names as a JSON array, unless it has only one field.
        let is_plain =
            !named && elements.len() > 1 && elements.iter().all(|element| !element.optional && !element.rest);
        let derives = is_plain.then(|| {
            let (reads, writes) = self.derives();
            quote!(, #reads, #writes)
        });
        let types = fields.iter().map(|(_, r#type)| r#type);
        let body = if named {
            let names = fields.iter().map(|(name, _)| ident(name));
            quote!({ #(pub #names: #types),* })
        } else {
            quote!((#(pub #types),*);)
        };
        let model = ident(name);
        let values: Vec<TypeId> = elements.iter().map(|element| element.r#type).collect();
        let eq = self.equality(&values);
        self.module.items.push(quote! {
            #comment
            #[derive(Debug, Clone, #eq #derives)]
            pub struct #model #body
        });
        if !is_plain {
            self.write_list(&model, elements, &fields);
            self.read_list(&model, elements, &fields, named);
        }
        self.module.declared.push(name.to_owned());
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Tuple { fields, named });
    }

    fn element(&mut self, element: &TupleElement, number: usize, site: &UseSite<'_>) -> RustType {
        let part = match &element.label {
            Some(label) => names::variant(label),
            None => format!("Item{}", number + 1),
        };
        let inner_site = UseSite {
            name: &format!("{}{part}", site.name),
            display_name: format!("{}[{number}]", site.display_name),
            span: site.span,
        };
        let r#type = self.rust_type(element.r#type, &inner_site, element.rest);
        if element.rest {
            RustType::Vec(Box::new(r#type))
        } else {
            r#type
        }
    }

    fn write_list(&mut self, model: &impl ToTokens, elements: &[TupleElement], fields: &[TupleField]) {
        let serialize = self.module.serde(self.types, "Serialize");
        let serializer = self.module.serde(self.types, "Serializer");
        self.module.imports.add_methods("serde::ser", "SerializeSeq");
        // If an optional element is absent, the elements after it are absent too. So they are written inside of its
        // `if`.
        let mut body = TokenStream::new();
        for (element, (field, _)) in elements.iter().zip(fields).rev() {
            let field = member(field);
            body = if element.rest {
                quote! {
                    for item in &self.#field {
                        items.serialize_element(item)?;
                    }
                    #body
                }
            } else if element.optional {
                quote! {
                    if let Some(item) = &self.#field {
                        items.serialize_element(item)?;
                        #body
                    }
                }
            } else {
                quote! {
                    items.serialize_element(&self.#field)?;
                    #body
                }
            };
        }
        let mutable = (!elements.is_empty()).then(|| quote!(mut));
        self.module.items.push(quote! {
            impl #serialize for #model {
                fn serialize<S: #serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    let #mutable items = serializer.serialize_seq(None)?;
                    #body
                    items.end()
                }
            }
        });
    }

    fn read_list(
        &mut self,
        model: &impl ToTokens,
        elements: &[TupleElement],
        fields: &[TupleField],
        named: bool,
    ) {
        let deserialize = self.module.serde(self.types, "Deserialize");
        let deserializer = self.module.serde(self.types, "Deserializer");
        let items = self.runtime("serde_parts::Items");
        let reads = elements.iter().enumerate().map(|(number, element)| {
            if element.rest {
                let after = Literal::usize_unsuffixed(elements.len() - number - 1);
                quote!(items.rest(#after)?)
            } else if element.optional {
                quote!(items.optional()?)
            } else {
                quote!(items.required()?)
            }
        });
        let body = if elements.is_empty() {
            quote! {
                #items::read(deserializer)?;
                Ok(Self {})
            }
        } else {
            let value = if named {
                let names = fields.iter().map(|(field, _)| ident(field));
                quote!(Self { #(#names: #reads),* })
            } else {
                quote!(Self(#(#reads),*))
            };
            quote! {
                let mut items = #items::read(deserializer)?;
                Ok(#value)
            }
        };
        self.module.items.push(quote! {
            impl<'de> #deserialize<'de> for #model {
                fn deserialize<D: #deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    #body
                }
            }
        });
    }
}

/// Returns the tokens after the dot of a field access: a name, or a position as a number without a suffix.
fn member(field: &str) -> TokenStream {
    match field.parse::<usize>() {
        Ok(position) => Literal::usize_unsuffixed(position).into_token_stream(),
        Err(_) => ident(field).into_token_stream(),
    }
}

/// Returns true if every element has a label.
fn is_labelled(elements: &[TupleElement]) -> bool {
    !elements.is_empty() && elements.iter().all(|element| element.label.is_some())
}
