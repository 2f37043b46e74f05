//! Properties `sort` and `order` of the query of a list: the column by which the rows are sorted, and the direction.

use proc_macro2::TokenStream;
use quote::quote;

use super::Uses;
use super::values::ValuePlace;
use crate::database::Stored;
use crate::source::ident;
use crate::types::{Definition, Field, Types};

/// Order that a request chooses.
#[derive(Default)]
pub(super) struct RequestedOrder {
    sort: Option<Choice>,
    order: Option<Choice>,
}

/// A property of the query whose values are texts.
struct Choice {
    /// Rust expression of the value.
    value: TokenStream,
    is_optional: bool,
    /// Name of the enum of the values.
    model: String,
    /// Each text with its variant.
    texts: Vec<(String, String)>,
}

impl RequestedOrder {
    /// Reads a property of the query. Returns `None` if the property does not choose the order: `sort` has names of properties
    /// of the entity, and `order` has `asc` and `desc`.
    pub(super) fn read(&mut self, types: &Types<'_>, stored: &Stored<'_>, field: &Field) -> Option<()> {
        let choice = Choice::new(types, field)?;
        let are = |is: &dyn Fn(&str) -> bool| choice.texts.iter().all(|(text, _)| is(text));
        match field.property.as_str() {
            "sort"
                if are(&|text| {
                    let mut columns = stored.columns.iter();
                    columns.any(|column| column.field.property == text && column.is_sortable())
                }) =>
            {
                self.sort = Some(choice);
            }
            "order" if are(&|text| matches!(text, "asc" | "desc")) => self.order = Some(choice),
            _ => return None,
        }
        Some(())
    }

    /// Returns the properties by which a list is sorted.
    pub(super) fn properties(self) -> Vec<String> {
        let texts = self.sort.into_iter().flat_map(|sort| sort.texts);
        texts.map(|(text, _)| text).collect()
    }

    /// Returns the statement that creates the order of a list, and the argument that passes it. Returns nothing if no list of
    /// the table has an order.
    pub(super) fn argument(
        order: Option<&Self>,
        stored: &Stored<'_>,
        uses: &mut Uses,
    ) -> (TokenStream, Option<TokenStream>) {
        if !stored.has_chosen_order() {
            return (TokenStream::new(), None);
        }
        let (module, name) = (ident(&stored.module), ident(&stored.structs.order));
        let Some(order) = order else {
            return (TokenStream::new(), Some(quote!(#module::#name::default())));
        };
        let mut fields = Vec::new();
        if let Some(sort) = &order.sort {
            uses.model(&sort.model);
            let (model, column) = (ident(&sort.model), ident(&stored.structs.sort));
            let arms = sort.texts.iter().filter_map(|(text, variant)| {
                let (from, to) = (ident(variant), ident(&stored.sort_variant(text)?));
                Some(quote!(#model::#from => #module::#column::#to))
            });
            let value = &sort.value;
            fields.push(if sort.is_optional {
                quote!(by: #value.map(|sort| match sort { #(#arms,)* }))
            } else {
                quote!(by: Some(match #value { #(#arms,)* }))
            });
        }
        if let Some(direction) = &order.order {
            uses.model(&direction.model);
            let (model, value) = (ident(&direction.model), &direction.value);
            let desc = direction.texts.iter().find(|(text, _)| text == "desc");
            let is_descending = |value: &TokenStream| {
                desc.map_or_else(
                    || quote!(false),
                    |(_, variant)| {
                        let variant = ident(variant);
                        quote!(#value == #model::#variant)
                    },
                )
            };
            fields.push(if direction.is_optional {
                let compared = is_descending(&quote!(order));
                quote!(descending: #value.map(|order| #compared))
            } else {
                let compared = is_descending(value);
                quote!(descending: Some(#compared))
            });
        }
        // `sort` of this list, or of another list of the table, is a field of the struct, which this list may not choose.
        let is_complete = order.order.is_some() && (order.sort.is_some() || !stored.sorts_by_column());
        let rest = (!is_complete).then(|| quote!(, ..#module::#name::default()));
        let lets = quote!(let order = #module::#name { #(#fields),* #rest };);
        (lets, Some(quote!(order)))
    }
}

impl Choice {
    /// Returns the values of a property. Returns `None` if its type is not a union of texts.
    fn new(types: &Types<'_>, field: &Field) -> Option<Self> {
        let model = field.r#type.model()?;
        let Some(Definition::Texts(texts)) = types.definitions.get(model) else {
            return None;
        };
        Some(Self {
            value: ValuePlace::Query.field(field),
            is_optional: field.optional,
            model: model.to_owned(),
            texts: texts.clone(),
        })
    }
}
