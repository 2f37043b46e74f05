//! Generates handlers of routes that return a list: all rows or one page of rows, filtered by properties of the
//! request.

use kit_ir::{DeclarationId, TypeKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::list_order::RequestedOrder;
use super::operations::awaited_query;
use super::values::Part;
use super::{HandlerContext, Uses};
use crate::database::Stored;
use crate::route_names::RouteNames;
use crate::source::{ident, string_literal};
use crate::types::{Field, Form, RustType};

/// Number of rows on a page if the request does not set `pageSize`.
const PAGE_SIZE: u32 = 20;

/// A route that lists rows.
pub(super) struct List<'k> {
    pub(super) stored: &'k Stored<'k>,
    /// Properties of the path and the query that filter the rows.
    pub(super) filters: Vec<Filter>,
    /// Properties of the query that choose the order of the rows.
    pub(super) order: Option<RequestedOrder>,
    response: ListResponse,
    /// Name of the struct of a list item, if it is not the entity's struct.
    item: Option<String>,
}

/// A property of the path or query by which the handler of a list selects rows.
pub(super) struct Filter {
    /// Name of the property in the request. The property of the entity has the same name.
    pub(super) property: String,
    /// Rust expression of the value, which is an `Option`.
    value: TokenStream,
    /// Rust expression of the value in the request.
    given: TokenStream,
}

/// The structure of the response.
enum ListResponse {
    /// An array of all rows, in the generated newtype that has this name.
    All(String),
    /// One page of the rows.
    Page(Page),
    /// One page of the rows, with cursors.
    Cursor(CursorPage),
}

/// A response with the properties `data`, `next` and `previous`: a `Cursor`.
struct CursorPage {
    answer: String,
    /// Rust expression of the maximum number of rows.
    limit: TokenStream,
}

/// A response with the properties `data` (the rows of the page) and `pagination`.
struct Page {
    answer: String,
    pagination: String,
    /// Fields of `pagination`. The flag of a field is true if its type is `f64`, so that the number must be
    /// converted.
    numbers: Vec<(Field, bool)>,
    /// Rust expressions of the requested page number and page size.
    number: TokenStream,
    size: TokenStream,
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the code of the handler. Returns `None` if the route does not list rows.
    pub(super) fn list(self, handled: &RouteNames<'_>, uses: &mut Uses) -> Option<TokenStream> {
        let list = self.list_of(handled)?;
        let stored = list.stored;
        uses.module(stored);
        let row_owner = self.row_owner(handled, stored, uses);
        let lets = &row_owner.lets;
        let (filter_lets, filter) = filter(&list, uses);
        let order = list.order.as_ref();
        let (order_lets, order) = RequestedOrder::argument(order, stored, uses);
        let arguments: Vec<TokenStream> = row_owner.argument.iter().cloned().chain(filter).collect();
        let listed: Vec<TokenStream> = arguments.iter().cloned().chain(order).collect();
        let module = ident(&stored.module);
        let data = match &list.item {
            None => None,
            Some(item) => {
                uses.model(item);
                let fields = self.types.structs.get(item)?;
                let names = fields.iter().map(|field| ident(&field.name));
                let fields = names.map(|name| quote!(#name: row.#name));
                let item = ident(item);
                Some(quote! {
                    let data = rows.into_iter().map(|row| #item { #(#fields),* }).collect();
                })
            }
        };
        if let ListResponse::Cursor(structure) = &list.response {
            let page = requested_page(&list, structure, row_owner.argument.as_ref(), &module);
            let code = cursor_page(structure, &module, &arguments, data.as_ref());
            return Some(quote!(#lets #page #filter_lets #code));
        }
        let code = match &list.response {
            ListResponse::Cursor(_) => return None,
            ListResponse::All(newtype) => {
                let newtype = ident(newtype);
                let call = quote!(#module::list(&self.pool, #(#listed,)* i64::MAX, 0));
                let rows = awaited_query("rows", &call, None);
                match data {
                    None => quote!(#rows Ok(#newtype(rows))),
                    Some(data) => quote!(#rows #data Ok(#newtype(data))),
                }
            }
            ListResponse::Page(structure) => {
                let calls = PageCalls {
                    list: quote!(#module::list(&self.pool, #(#listed,)* page_size, offset)),
                    count: quote!(#module::count(&self.pool, #(#arguments),*)),
                };
                page(structure, &calls, data.as_ref(), uses)
            }
        };
        Some(quote!(#lets #filter_lets #order_lets #code))
    }

    /// Analyses a route that lists rows. Returns `None` if the route does not list rows, or if a property of its
    /// request is neither a column, nor the order, nor the number or size of a page.
    pub(super) fn list_of(self, handled: &RouteNames<'_>) -> Option<List<'k>> {
        let slots = &handled.route.slots;
        if handled.route.method != kit_ir::Method::Get || handled.has_parts_without_meaning() {
            return None;
        }
        let response = slots.response?;
        let name = self.types.name(response).to_owned();
        let program = self.types.program;
        let kind = &program.types[program.declarations[response].r#type].kind;
        let (item, response) = if handled.route.is_list {
            let (item, page) = self.cursor_page_of(name.clone(), slots.query?)?;
            (item, ListResponse::Cursor(page))
        } else if let TypeKind::Array { element } = kind {
            let TypeKind::Reference { declaration } = &program.types[*element].kind else {
                return None;
            };
            let item = self.types.name(*declaration).to_owned();
            (item, ListResponse::All(name))
        } else {
            let (item, page) = self.page_of(name.clone(), slots.query?)?;
            (item, ListResponse::Page(page))
        };
        let stored = self.database.of_entity(&item).or_else(|| self.listed(handled))?;
        let paging: &[&str] = match response {
            ListResponse::All(_) => &[],
            ListResponse::Page(_) => &["page", "pageSize"],
            ListResponse::Cursor(_) if !stored.can_have_cursors() => return None,
            ListResponse::Cursor(_) => &["cursor", "limit"],
        };
        let is_row = item == stored.entity();
        let has_column = |field: &Field| {
            let same = |known: &Field| {
                known.property == field.property
                    && known.r#type == field.r#type
                    && known.optional == field.optional
            };
            stored.columns.iter().any(|column| same(&column.field))
        };
        if !is_row && !self.types.structs.get(&item)?.iter().all(has_column) {
            return None;
        }
        let mut filters = Vec::new();
        let mut order = None;
        for (part, id) in [(Part::Params, slots.params), (Part::Query, slots.query)] {
            let Some(id) = id else { continue };
            for field in self.types.structs.get(self.types.name_in(id, Form::Request))? {
                let is_paging = part == Part::Query && paging.contains(&field.property.as_str());
                if is_paging {
                    continue;
                }
                if let Some(filter) = Self::filter_of(stored, part, field) {
                    filters.push(filter);
                } else if part == Part::Query && !matches!(response, ListResponse::Cursor(_)) {
                    order
                        .get_or_insert_with(RequestedOrder::default)
                        .read(self.types, stored, field)?;
                } else {
                    return None;
                }
            }
        }
        Some(List {
            stored,
            filters,
            order,
            response,
            item: (!is_row).then_some(item),
        })
    }

    /// Returns the filter for a property of the request. Returns `None` if the entity has no property with this name
    /// and type that lists can filter by.
    fn filter_of(stored: &Stored<'_>, part: Part, field: &Field) -> Option<Filter> {
        let column = stored
            .columns
            .iter()
            .find(|column| column.field.property == field.property && column.can_filter())?;
        let is_same = *column.plain_type() == field.r#type;
        let is_text_of_decimal = column.is_decimal() && field.r#type == RustType::String;
        if !is_same && !is_text_of_decimal {
            return None;
        }
        let given = part.field(field);
        // Filters have the texts of decimal numbers.
        let is_converted = is_same && column.is_decimal();
        let value = match (field.optional, is_converted) {
            (true, false) => given.clone(),
            (true, true) => quote!(#given.map(|number| number.to_string())),
            (false, false) => quote!(Some(#given)),
            (false, true) => quote!(Some(#given.to_string())),
        };
        Some(Filter {
            property: field.property.clone(),
            given,
            value,
        })
    }

    /// Returns the field of a struct for a property.
    fn field(self, of: &str, property: &str) -> Option<&'k Field> {
        let fields = self.types.structs.get(of)?;
        fields.iter().find(|field| field.property == property)
    }

    /// Returns the Rust expression of a number of the query that is at least 1. Returns `None` if the query has no such
    /// number.
    fn positive(self, query: DeclarationId, name: &str, default: u32) -> Option<TokenStream> {
        let field = self
            .field(self.types.name_in(query, Form::Request), name)
            .filter(|field| field.r#type == RustType::I64)?;
        let property = self.property(query, name)?;
        let minimum = self.resolved(property.r#type).constraints.minimum;
        let mut value = Part::Query.field(field);
        if field.optional {
            let default = Literal::u32_unsuffixed(default);
            value = quote!(#value.unwrap_or(#default));
        }
        // The first page is page 1, and a page has at least one row.
        if minimum.is_none_or(|minimum| minimum.get() < 1.0) {
            value = quote!(#value.max(1));
        }
        Some(value)
    }

    /// Returns the name of the item's struct, and the description of a page with cursors.
    fn cursor_page_of(self, answer: String, query: DeclarationId) -> Option<(String, CursorPage)> {
        let RustType::Vec(item) = &self.field(&answer, "data")?.r#type else {
            return None;
        };
        let item = item.model()?.to_owned();
        let limit = self.positive(query, "limit", PAGE_SIZE)?;
        Some((item, CursorPage { answer, limit }))
    }

    /// Returns the name of the item's struct, and the description of the page. Returns `None` if the query
    /// lacks `page` or `pageSize`, or if the response lacks `data` or `pagination`.
    fn page_of(self, answer: String, query: DeclarationId) -> Option<(String, Page)> {
        let field = |of: &str, name: &str| self.field(of, name);
        let (first, size) = (
            self.positive(query, "page", 1)?,
            self.positive(query, "pageSize", PAGE_SIZE)?,
        );
        if self.types.structs.get(&answer)?.len() != 2 {
            return None;
        }
        let RustType::Vec(item) = &field(&answer, "data")?.r#type else {
            return None;
        };
        let item = item.model()?.to_owned();
        let pagination = field(&answer, "pagination")?.r#type.model()?.to_owned();
        let mut numbers = Vec::new();
        for field in self.types.structs.get(&pagination)? {
            if !matches!(
                field.property.as_str(),
                "total" | "page" | "pageSize" | "totalPages"
            ) || field.optional
            {
                return None;
            }
            match field.r#type {
                RustType::I64 => numbers.push((field.clone(), false)),
                RustType::F64 => numbers.push((field.clone(), true)),
                _ => return None,
            }
        }
        let page = Page {
            answer,
            pagination,
            numbers,
            number: first,
            size,
        };
        Some((item, page))
    }
}

/// Calls of the functions that read one page.
struct PageCalls {
    list: TokenStream,
    count: TokenStream,
}

/// Returns the expression of a response with one page. `data` is the expression that converts rows to items.
/// It is `None` if the items are the rows.
fn page(
    page: &Page,
    PageCalls { list, count }: &PageCalls,
    data: Option<&TokenStream>,
    uses: &mut Uses,
) -> TokenStream {
    let Page {
        answer,
        pagination,
        numbers,
        number,
        size,
    } = page;
    uses.model(pagination);
    let rows = ident(if data.is_some() { "rows" } else { "data" });
    let numbers = numbers.iter().map(|(field, is_float)| {
        let name = ident(&field.name);
        if *is_float {
            quote!(#name: #name as f64)
        } else {
            quote!(#name)
        }
    });
    let (answer, pagination) = (ident(answer), ident(pagination));
    quote! {
        let page = #number;
        let page_size = #size;
        let offset = (page - 1).saturating_mul(page_size);
        let (#rows, total) = tokio::try_join!(#list, #count,)?;
        #data
        let total_pages = total / page_size + i64::from(total % page_size > 0);
        Ok(#answer { data, pagination: #pagination { #(#numbers),* } })
    }
}

/// Returns the statement that creates the filter of a list, and the argument that passes it. Returns nothing if no
/// list of the table has a filter.
fn filter(list: &List<'_>, uses: &mut Uses) -> (TokenStream, Option<TokenStream>) {
    let mut columns = list.stored.filters().peekable();
    if columns.peek().is_none() {
        return (TokenStream::new(), None);
    }
    let name = &list.stored.structs.filter;
    uses.row(list.stored, name);
    let name = ident(name);
    let mut fields = Vec::new();
    let mut is_complete = true;
    for column in columns {
        let filter = list
            .filters
            .iter()
            .find(|filter| filter.property == column.field.property);
        match filter {
            Some(Filter { value, .. }) => {
                let field = ident(&column.field.name);
                fields.push(quote!(#field: #value));
            }
            // Another list of the table filters by this column, but this list does not.
            None => is_complete = false,
        }
    }
    if fields.is_empty() {
        return (TokenStream::new(), Some(quote!(&#name::default())));
    }
    let rest = (!is_complete).then(|| quote!(, ..#name::default()));
    let lets = quote!(let filter = #name { #(#fields),* #rest };);
    (lets, Some(quote!(&filter)))
}

/// Returns the statement that reads the cursor of the request. A cursor belongs to the owner and the filters of the list.
fn requested_page(
    list: &List<'_>,
    page: &CursorPage,
    owner: Option<&TokenStream>,
    module: &proc_macro2::Ident,
) -> TokenStream {
    let owner = list.stored.owner().zip(owner).map(|((column, _), owner)| {
        let property = string_literal(&column.field.property);
        quote!(.filter(#property, &#owner))
    });
    let filters = list.filters.iter().map(|Filter { property, given, .. }| {
        let property = string_literal(property);
        quote!(.filter(#property, &#given))
    });
    let limit = &page.limit;
    quote! {
        let page = #module::KEYSET
            .filters()
            #owner
            #(#filters)*
            .page(input.query.cursor.as_deref(), #limit)?;
    }
}

/// Returns the expression of a response with one page and its cursors. `data` is the statement that converts rows to items.
/// It is `None` if the items are the rows.
fn cursor_page(
    page: &CursorPage,
    module: &proc_macro2::Ident,
    arguments: &[TokenStream],
    data: Option<&TokenStream>,
) -> TokenStream {
    let answer = ident(&page.answer);
    let (data, value) = match data {
        Some(data) => (Some(quote!(let rows = page.data; #data)), quote!(data)),
        None => (None, quote!(data: page.data)),
    };
    quote! {
        let rows = #module::page(&self.pool, #(#arguments,)* &page).await?;
        let page = page.of(rows)?;
        #data
        Ok(#answer { #value, next: page.next, previous: page.previous })
    }
}
