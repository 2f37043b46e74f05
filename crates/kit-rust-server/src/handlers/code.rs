//! Code of a generated handler, and the response that the code returns.

use kit_ir::Method;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{HandlerContext, Uses};
use crate::database::Stored;
use crate::route_names::RouteNames;
use crate::source::{ident, string_literal};
use crate::status::variant_name;
use crate::types::{Field, RustType};

/// Reason why kit cannot generate a handler. It is a clause without a period, for the end of a sentence.
pub(super) type Reason = String;

/// Code of a handler.
pub(super) struct Code {
    /// Statements before the result.
    pub(super) statements: TokenStream,
    pub(super) result: Outcome,
}

/// Result of a handler.
pub(super) enum Outcome {
    /// Expression of the response body.
    Value(TokenStream),
    /// Expression of a `Result` with the response body.
    Fallible(TokenStream),
    /// An empty response if the first expression is true, or else the error in the second expression.
    Empty(TokenStream, TokenStream),
}

impl Code {
    pub(super) fn new(statements: TokenStream, result: Outcome) -> Self {
        Self { statements, result }
    }
}

impl HandlerContext<'_, '_> {
    /// Returns the body of the handler. If the contract declares a reply, the response is a variant of the enum of the replies.
    pub(super) fn body(
        self,
        handled: &RouteNames<'_>,
        code: Code,
        uses: &mut Uses,
    ) -> Result<TokenStream, Reason> {
        let Code { statements, result } = code;
        let reply = handled.reply.as_deref().zip(handled.last_reply());
        let Some((name, reply)) = reply else {
            return Ok(match result {
                Outcome::Value(value) => quote!(#statements Ok(#value)),
                Outcome::Fallible(value) => quote!(#statements #value),
                Outcome::Empty(condition, error) => {
                    quote!(#statements if #condition { Ok(()) } else { Err(#error) })
                }
            });
        };
        let (name, variant) = (ident(name), ident(&variant_name(reply.status)));
        // A variable needs no second name.
        let variable = match &result {
            Outcome::Value(value) => syn::parse2::<Ident>(value.clone()).ok(),
            Outcome::Fallible(_) | Outcome::Empty(..) => None,
        };
        let (headers, lets) = match reply.headers {
            Some(_) => {
                let body = variable.clone().unwrap_or_else(|| ident("body"));
                let lets = self.location(handled, &body, uses)?;
                (Some(quote!(headers)), Some(lets))
            }
            None => (None, None),
        };
        let headers = headers.into_iter();
        Ok(match result {
            Outcome::Value(value) => match variable {
                Some(variable) => {
                    quote!(#statements #lets Ok(#name::#variant { body: #variable #(, #headers)* }))
                }
                None => {
                    quote!(#statements let body = #value; #lets Ok(#name::#variant { body #(, #headers)* }))
                }
            },
            Outcome::Fallible(value) => {
                quote!(#statements let body = #value?; #lets Ok(#name::#variant { body #(, #headers)* }))
            }
            Outcome::Empty(condition, error) => {
                quote!(#statements if #condition { Ok(#name::#variant) } else { Err(#error) })
            }
        })
    }

    /// Returns the statement that creates the headers of a reply from the variable with the body. The only header whose value kit
    /// knows is the `location` of a new row, if another route reads the row.
    fn location(
        self,
        handled: &RouteNames<'_>,
        variable: &Ident,
        uses: &mut Uses,
    ) -> Result<TokenStream, Reason> {
        let unknown = || "types do not tell the values of the headers of the reply".to_owned();
        let reply = handled.last_reply().ok_or_else(unknown)?;
        let model = self.types.name(reply.headers.ok_or_else(unknown)?);
        let fields = self.types.structs.get(model).ok_or_else(unknown)?;
        let [field] = fields.as_slice() else {
            return Err(unknown());
        };
        let is_location = field.property == "location" && field.r#type == RustType::String;
        if !is_location || handled.route.method != Method::Post || reply.status != 201 {
            return Err(unknown());
        }
        let stored = self.resource(handled).ok_or_else(unknown)?;
        let path = handled.route.path.to_string();
        let key: Vec<_> = stored.key().collect();
        // The texts of other keys would have to be escaped in a path.
        let [key] = key.as_slice() else {
            return Err(unknown());
        };
        let is_plain = key.is_plain_in_path();
        let reads_row = self.reads_below(handled, stored);
        let response = handled.response_body().ok_or_else(unknown)?;
        let body = self
            .types
            .structs
            .get(self.types.name(response))
            .ok_or_else(unknown)?;
        let id = body
            .iter()
            .find(|field| field.property == key.field.property && !field.optional);
        let id = id.filter(|_| is_plain && reads_row && !path.contains([':', '*', '{', '}']));
        let id = ident(&id.ok_or_else(unknown)?.name);
        let text = string_literal(&format!("{}/{{}}", path.trim_end_matches('/')));
        uses.model(model);
        let (model, name) = (ident(model), ident(&field.name));
        Ok(quote! {
            let headers = #model { #name: format!(#text, #variable.#id) };
        })
    }
}

/// Returns the reason for a property of the body whose type is not that of the column.
pub(super) fn other_type(field: &Field, stored: &Stored<'_>) -> Reason {
    format!(
        "the property `{}` of the request has another type than in `{}`",
        field.property,
        stored.entity()
    )
}

/// Returns the reason for an owner in the body whose type is not that of the column.
pub(super) fn owner_type(stored: &Stored<'_>) -> Reason {
    format!(
        "the request names the owner of `{}` with another type than the entity",
        stored.entity()
    )
}

/// Returns a statement that runs a query and stores its result in a variable. `refused` is the generated
/// function that converts a database error into a response.
pub(super) fn awaited_query(variable: &str, query: &TokenStream, refused: Option<&Ident>) -> TokenStream {
    let variable = ident(variable);
    let converted = refused.map(|refused| quote!(.map_err(#refused)));
    quote!(let #variable = #query.await #converted?;)
}
