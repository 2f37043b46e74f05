//! Generates handlers of routes that return a list: all rows or one page of rows, filtered by properties of the
//! request.

use kit_analysis::MAX_PAGE_ITEMS;
use kit_ir::{DeclarationId, TypeId, TypeKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::code::{Code, Outcome, awaited_query};
use super::filter::{Filter, filter, unknown_filter};
use super::list_order::RequestedOrder;
use super::owner::RowOwner;
use super::values::ValuePlace;
use super::view::View;
use super::{HandlerContext, Reason, Uses};
use crate::database::Stored;
use crate::route_names::RouteNames;
use crate::source::{ident, string_literal};
use crate::types::{Definition, Field, Form, RustType};

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
    /// Parts of an item, if the items are not entities.
    pub(super) view: Option<View<'k>>,
}

impl List<'_> {
    /// Returns true if the response has the number of all rows.
    pub(super) fn has_total(&self) -> bool {
        matches!(self.response, ListResponse::Page(_))
    }
}

/// Code that reads the rows of a list and converts them to items.
struct Reading {
    /// Statements before the rows are read.
    begin: TokenStream,
    /// Pool or transaction that reads the rows.
    database: TokenStream,
    /// Connection that reads rows and their number.
    connection: TokenStream,
    /// Statements that convert `rows` to `data`. `None` if the items are the rows.
    convert: Option<TokenStream>,
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

/// Returns the code that reads rows, whose items have no rows of other tables, on a connection of the pool.
fn from_pool(list: &List<'_>, convert: Option<TokenStream>) -> Reading {
    Reading {
        begin: if list.has_total() {
            quote!(let mut connection = self.pool.acquire().await?;)
        } else {
            TokenStream::new()
        },
        database: quote!(&self.pool),
        connection: quote!(&mut connection),
        convert,
    }
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the code of the handler. Returns the reason if kit cannot tell from the types which rows the route lists.
    pub(super) fn list(self, handled: &RouteNames<'_>, uses: &mut Uses) -> Result<Code, Reason> {
        let list = self.list_of(handled)?;
        let stored = list.stored;
        uses.module(stored);
        let row_owner = self.row_owner(handled, stored, uses);
        self.check_related_filters(handled, &list.filters, uses);
        let (filter_lets, filter) = filter(stored, &list.filters, uses);
        let order = list.order.as_ref();
        let (order_lets, order) = RequestedOrder::argument(order, stored, uses);
        let arguments: Vec<TokenStream> = row_owner.argument.iter().cloned().chain(filter).collect();
        let listed: Vec<TokenStream> = arguments.iter().cloned().chain(order).collect();
        let module = ident(&stored.module);
        let (lets, reading) = self.reading(handled, &list, &row_owner, uses);
        let Reading {
            begin,
            database,
            connection,
            convert,
        } = &reading;
        Ok(match &list.response {
            ListResponse::Cursor(structure) => {
                let page = requested_page(&list, structure, row_owner.argument.as_ref(), &module);
                let call = quote!(#module::page(#database, #(#arguments,)* &page));
                let rows = awaited_query("rows", &call, None);
                let (converted, value) = match convert {
                    Some(convert) => (Some(quote!(let rows = page.data; #convert)), quote!(data)),
                    None => (None, quote!(data: page.data)),
                };
                let answer = ident(&structure.answer);
                let statements = quote! {
                    #lets
                    #page
                    #filter_lets
                    #begin
                    #rows
                    let page = page.of(rows)?;
                    #converted
                };
                let value = quote!(#answer { #value, next: page.next, previous: page.previous });
                Code::new(statements, Outcome::Value(value))
            }
            ListResponse::All(newtype) => {
                let newtype = ident(newtype);
                let call = quote!(#module::list(#database, #(#listed,)* i64::MAX, 0));
                let rows = awaited_query("rows", &call, None);
                let value = ident(if convert.is_some() { "data" } else { "rows" });
                let statements = quote!(#lets #filter_lets #order_lets #begin #rows #convert);
                Code::new(statements, Outcome::Value(quote!(#newtype(#value))))
            }
            ListResponse::Page(structure) => {
                let call =
                    quote!(#module::list_with_total(#connection, #(#listed,)* page_size, offset).await?);
                let (statements, value) = page(structure, &reading, &call, uses);
                let statements = quote!(#lets #filter_lets #order_lets #statements);
                Code::new(statements, Outcome::Value(value))
            }
        })
    }

    /// Returns the statement that assigns the owner, and the code that reads the rows. If items have rows of other tables, one
    /// transaction reads all of them.
    fn reading(
        self,
        handled: &RouteNames<'_>,
        list: &List<'_>,
        row_owner: &RowOwner,
        uses: &mut Uses,
    ) -> (TokenStream, Reading) {
        let lets = row_owner.lets.clone();
        let of_request = uses.is_in_transaction().then(|| uses.begin());
        let without_parts = |convert| match of_request.clone() {
            Some(begin) => Reading {
                begin,
                database: quote!(&mut *transaction),
                connection: quote!(&mut transaction),
                convert,
            },
            None => from_pool(list, convert),
        };
        let Some(view) = &list.view else {
            return (lets, without_parts(None));
        };
        if view.parts.is_empty() {
            let item = Self::part_of_row(view, uses);
            let convert = quote!(let data = rows.into_iter().map(|row| #item).collect(););
            return (lets, without_parts(Some(convert)));
        }
        uses.deny_reads_of_several_tables();
        uses.runtime("sql::snapshot");
        let added = self.view_function(handled, view, row_owner, uses);
        let data = added.call(&quote!(&mut transaction), &quote!(rows));
        let reading = Reading {
            begin: quote!(let mut transaction = snapshot(&self.pool).await?;),
            database: quote!(&mut *transaction),
            connection: quote!(&mut transaction),
            convert: Some(quote!(let data = #data; transaction.commit().await?;)),
        };
        (row_owner.lets_or(&added.owner).clone(), reading)
    }

    /// Analyses a route that lists rows. Returns the reason if the route does not list rows, or if a property of its
    /// request is neither a column, nor the order, nor the number or size of a page.
    pub(super) fn list_of(self, handled: &RouteNames<'_>) -> Result<List<'k>, Reason> {
        let slots = &handled.route.slots;
        let response = handled
            .response_body()
            .filter(|_| handled.route.method == kit_ir::Method::Get);
        let response = response.ok_or_else(|| "the route does not respond with rows".to_owned())?;
        let name = self.types.name(response).to_owned();
        let (item, element, response) = self.structure(handled, response, &name).ok_or_else(|| {
            format!("`{name}` is neither an entity, nor an array of rows, nor a page of rows with the query of its kind")
        })?;
        let (stored, view) = if let Some(stored) = self.database.of_entity(&item) {
            (stored, None)
        } else {
            let view = self.view_of(handled, &item, element)?;
            (view.stored, Some(view))
        };
        let entity = stored.entity();
        let paging: &[&str] = match response {
            ListResponse::All(_) => &[],
            ListResponse::Page(_) => &["page", "pageSize"],
            ListResponse::Cursor(_) if !stored.can_have_cursors() => {
                return Err(format!(
                    "rows of `{entity}` cannot be read with cursors, because a column of their order can be null or has no text form"
                ));
            }
            ListResponse::Cursor(_) => &["cursor", "limit"],
        };
        let mut filters = Vec::new();
        let mut order = None;
        for (part, id) in [
            (ValuePlace::Params, slots.params),
            (ValuePlace::Query, slots.query),
        ] {
            let Some(id) = id else { continue };
            let fields = self.types.structs.get(self.types.name_in(id, Form::Request));
            let fields =
                fields.ok_or_else(|| "the query is not an object with fixed properties".to_owned())?;
            for field in fields {
                let is_paging = part == ValuePlace::Query && paging.contains(&field.property.as_str());
                if is_paging {
                    continue;
                }
                let filter =
                    Filter::new(stored, part, field).or_else(|| self.related_filter(stored, part, field));
                if let Some(filter) = filter {
                    filters.push(filter);
                    continue;
                }
                let can_order = part == ValuePlace::Query && !matches!(response, ListResponse::Cursor(_));
                can_order
                    .then(|| {
                        order
                            .get_or_insert_with(RequestedOrder::default)
                            .read(self.types, stored, field)
                    })
                    .flatten()
                    .ok_or_else(|| unknown_filter(stored, part, field))?;
            }
        }
        Ok(List {
            stored,
            filters,
            order,
            response,
            view,
        })
    }

    /// Returns the name of the struct of an item, the type of an item, and the structure of the response. Returns `None` if
    /// the response is neither an array nor a page.
    fn structure(
        self,
        handled: &RouteNames<'_>,
        response: DeclarationId,
        name: &str,
    ) -> Option<(String, TypeId, ListResponse)> {
        let slots = &handled.route.slots;
        let program = self.types.program;
        let kind = &program.types[kit_analysis::resolve(program, program.declarations[response].r#type)].kind;
        if !handled.route.is_list
            && let TypeKind::Array { element } = kind
        {
            let Some(Definition::Newtype(RustType::Vec(of))) = self.types.definitions.get(name) else {
                return None;
            };
            let item = of.model()?.to_owned();
            return Some((item, *element, ListResponse::All(name.to_owned())));
        }
        let data = self.property(response, "data")?;
        let TypeKind::Array { element } = &self.resolved(data.r#type).kind else {
            return None;
        };
        let (item, response) = if handled.route.is_list {
            let (item, page) = self.cursor_page_of(name.to_owned(), slots.query?)?;
            (item, ListResponse::Cursor(page))
        } else {
            let (item, page) = self.page_of(name.to_owned(), slots.query?)?;
            (item, ListResponse::Page(page))
        };
        Some((item, *element, response))
    }

    /// Returns the field of a struct for a property.
    fn field(self, of: &str, property: &str) -> Option<&'k Field> {
        let fields = self.types.structs.get(of)?;
        fields.iter().find(|field| field.property == property)
    }

    /// Returns the Rust expression of a number of the query that is at least 1, and at most `maximum` if the contract allows more.
    /// Returns `None` if the query has no such number.
    fn positive(
        self,
        query: DeclarationId,
        name: &str,
        default: u32,
        maximum: Option<u32>,
    ) -> Option<TokenStream> {
        let field = self
            .field(self.types.name_in(query, Form::Request), name)
            .filter(|field| field.r#type == RustType::I64)?;
        let property = self.property(query, name)?;
        let rules = &self.resolved(property.r#type).constraints;
        let mut value = ValuePlace::Query.field(field);
        if field.optional {
            let default = Literal::u32_unsuffixed(default);
            value = quote!(#value.unwrap_or(#default));
        }
        // The first page is page 1, and a page has at least one row.
        let is_low = rules.minimum.is_none_or(|minimum| minimum.get() < 1.0);
        let is_bounded = |maximum: u32| {
            let bounds = [rules.maximum, rules.exclusive_maximum];
            bounds
                .iter()
                .flatten()
                .any(|bound| bound.get() <= f64::from(maximum))
        };
        let maximum = maximum
            .filter(|maximum| !is_bounded(*maximum))
            .map(Literal::u32_unsuffixed);
        Some(match (is_low, maximum) {
            (true, Some(maximum)) => quote!(#value.clamp(1, #maximum)),
            (true, None) => quote!(#value.max(1)),
            (false, Some(maximum)) => quote!(#value.min(#maximum)),
            (false, None) => value,
        })
    }

    /// Returns the name of the item's struct, and the description of a page with cursors.
    fn cursor_page_of(self, answer: String, query: DeclarationId) -> Option<(String, CursorPage)> {
        let RustType::Vec(item) = &self.field(&answer, "data")?.r#type else {
            return None;
        };
        let item = item.model()?.to_owned();
        let limit = self.positive(query, "limit", PAGE_SIZE, None)?;
        Some((item, CursorPage { answer, limit }))
    }

    /// Returns the name of the item's struct, and the description of the page. Returns `None` if the query
    /// lacks `page` or `pageSize`, or if the response lacks `data` or `pagination`.
    fn page_of(self, answer: String, query: DeclarationId) -> Option<(String, Page)> {
        let field = |of: &str, name: &str| self.field(of, name);
        let (first, size) = (
            self.positive(query, "page", 1, None)?,
            self.positive(query, "pageSize", PAGE_SIZE, Some(MAX_PAGE_ITEMS))?,
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

/// Returns the statements and the expression of a response with one page. `call` is the expression of the rows and their
/// number.
fn page(page: &Page, reading: &Reading, call: &TokenStream, uses: &mut Uses) -> (TokenStream, TokenStream) {
    let Page {
        answer,
        pagination,
        numbers,
        number,
        size,
    } = page;
    let Reading { begin, convert, .. } = reading;
    uses.model(pagination);
    let rows = ident(if convert.is_some() { "rows" } else { "data" });
    let numbers = numbers.iter().map(|(field, is_float)| {
        let name = ident(&field.name);
        if *is_float {
            uses.runtime("as_number");
            quote!(#name: as_number(#name))
        } else {
            quote!(#name)
        }
    });
    let (answer, pagination) = (ident(answer), ident(pagination));
    let statements = quote! {
        let page = #number;
        let page_size = #size;
        let offset = (page - 1).saturating_mul(page_size);
        #begin
        let (#rows, total) = #call;
        #convert
        let total_pages = total / page_size + i64::from(total % page_size > 0);
    };
    (
        statements,
        quote!(#answer { data, pagination: #pagination { #(#numbers),* } }),
    )
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
