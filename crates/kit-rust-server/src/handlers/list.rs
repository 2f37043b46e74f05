//! Generates handlers of lists: one page of rows, or all rows, filtered by the query.

use kit_ir::{DeclarationId, TypeKind};

use super::operations::asked;
use super::{Known, Uses};
use crate::database::Stored;
use crate::print::{chain, literal};
use crate::router::Handled;
use crate::types::{Field, Form};

/// Number of rows of a page if the request does not specify it.
const PAGE_SIZE: u32 = 20;

/// A route that lists rows.
pub(super) struct List<'k> {
    pub(super) stored: &'k Stored<'k>,
    /// Properties that filter the rows.
    pub(super) filters: Vec<Filter>,
    answer: Answer,
    /// Name of the struct of an item, if it differs from the row's struct.
    item: Option<String>,
}

/// A property of the request that filters rows.
pub(super) struct Filter {
    /// Name of the property, which is also the name of the column's property.
    pub(super) property: String,
    /// Expression of the value.
    value: String,
}

/// Form of the response.
enum Answer {
    /// All rows, in this wrapper type around a list.
    All(String),
    /// One page.
    Page(Page),
}

/// A page of the response: `data` and `pagination`.
struct Page {
    answer: String,
    pagination: String,
    /// Fields of `pagination`, each with a flag that is true if its type is not a whole number.
    numbers: Vec<(Field, bool)>,
    /// Expressions of the page number and of the page size.
    number: String,
    size: String,
}

impl<'k> Known<'k, '_> {
    /// Returns the code of a route that lists rows.
    pub(super) fn list(self, handled: &Handled<'_>, uses: &mut Uses) -> Option<String> {
        let list = self.list_of(handled)?;
        let stored = list.stored;
        uses.module(stored);
        let mut code = String::new();
        let row_owner = self.row_owner(handled, stored, uses);
        code.push_str(&row_owner.lets);
        let filter = format!("{}{}", row_owner.argument, filter(&list, &mut code, uses));
        let module = &stored.module;
        let row = match &list.item {
            None => None,
            Some(item) => {
                uses.models.push(item.clone());
                let fields = self.types.structs.get(item)?;
                let fields: Vec<_> = fields
                    .iter()
                    .map(|field| format!("{0}: row.{0}", field.name))
                    .collect();
                let row = literal(12, item, &fields);
                let calls = [
                    ".into_iter()".to_owned(),
                    format!(".map(|row| {row})"),
                    ".collect()".to_owned(),
                ];
                Some(chain(8, "rows", &calls, "let data = ;".len()))
            }
        };
        match &list.answer {
            Answer::All(answer) => {
                let call = format!("{module}::list(&self.pool, {filter}i64::MAX, 0)");
                code.push_str(&asked("let rows = ", &call, None));
                match row {
                    None => code.push_str(&format!("        Ok({answer}(rows))\n")),
                    Some(row) => code.push_str(&format!(
                        "        let data = {row};\n        Ok({answer}(data))\n"
                    )),
                }
            }
            Answer::Page(of) => page(of, module, &filter, row, &mut code, uses),
        }
        Some(code)
    }

    /// Describes the list of a route. Returns `None` if the route does not list rows, or if its request has properties
    /// that kit does not understand.
    pub(super) fn list_of(self, handled: &Handled<'_>) -> Option<List<'k>> {
        let slots = &handled.route.slots;
        if handled.route.method != kit_ir::Method::Get {
            return None;
        }
        let answer = slots.response?;
        let name = self.types.name(answer).to_owned();
        let program = self.types.program;
        let kind = &program.types[program.declarations[answer].r#type].kind;
        let (item, page) = if let TypeKind::Array { element } = kind {
            let TypeKind::Reference { declaration } = &program.types[*element].kind else {
                return None;
            };
            (self.types.name(*declaration).to_owned(), None)
        } else {
            let (item, page) = self.page_of(name.clone(), slots.query?)?;
            (item, Some(page))
        };
        let stored = self.database.of_entity(&item).or_else(|| self.listed(handled))?;
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
        for (part, id) in [("params", slots.params), ("query", slots.query)] {
            let Some(id) = id else { continue };
            for field in self.types.structs.get(self.types.name_in(id, Form::Request))? {
                let is_paging = part == "query"
                    && page.is_some()
                    && matches!(field.property.as_str(), "page" | "pageSize");
                if !is_paging {
                    filters.push(Self::chosen_by(stored, part, field)?);
                }
            }
        }
        Some(List {
            stored,
            filters,
            answer: page.map_or(Answer::All(name), Answer::Page),
            item: (!is_row).then_some(item),
        })
    }

    /// Returns the filter for a property that has the name and type of a column.
    fn chosen_by(stored: &Stored<'_>, part: &str, field: &Field) -> Option<Filter> {
        let column = stored
            .columns
            .iter()
            .find(|column| column.field.property == field.property && column.is_comparable())?;
        if column.plain_type() != field.r#type {
            return None;
        }
        let value = format!("input.{part}.{}", field.name);
        Some(Filter {
            property: field.property.clone(),
            value: if field.optional {
                value
            } else {
                format!("Some({value})")
            },
        })
    }

    /// Returns a page and the struct of its items. Requires `page` and `pageSize` in the query, and `data` and
    /// `pagination` in the response.
    fn page_of(self, answer: String, query: DeclarationId) -> Option<(String, Page)> {
        let field = |of: &str, name: &str| {
            let fields = self.types.structs.get(of)?;
            fields.iter().find(|field| field.property == name)
        };
        let number = |name: &str, default: u32| {
            let field = field(self.types.name_in(query, Form::Request), name)
                .filter(|field| field.r#type == "i64")?;
            let property = self.property(query, name)?;
            let minimum = self.resolved(property.r#type).constraints.minimum;
            let mut value = format!("input.query.{}", field.name);
            if field.optional {
                value = format!("{value}.unwrap_or({default})");
            }
            // The first page is page 1, and a page has at least one row.
            if minimum.is_none_or(|minimum| minimum.get() < 1.0) {
                value = format!("{value}.max(1)");
            }
            Some(value)
        };
        let (first, size) = (number("page", 1)?, number("pageSize", PAGE_SIZE)?);
        if self.types.structs.get(&answer)?.len() != 2 {
            return None;
        }
        let data = &field(&answer, "data")?.r#type;
        let item = data.strip_prefix("Vec<")?.strip_suffix('>')?.to_owned();
        let pagination = field(&answer, "pagination")?.r#type.clone();
        let mut numbers = Vec::new();
        for field in self.types.structs.get(&pagination)? {
            if !matches!(
                field.property.as_str(),
                "total" | "page" | "pageSize" | "totalPages"
            ) || field.optional
            {
                return None;
            }
            match field.r#type.as_str() {
                "i64" => numbers.push((field.clone(), false)),
                "f64" => numbers.push((field.clone(), true)),
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

/// Writes the code of a page.
fn page(page: &Page, module: &str, filter: &str, row: Option<String>, code: &mut String, uses: &mut Uses) {
    let Page {
        answer,
        pagination,
        numbers,
        number,
        size,
    } = page;
    uses.models.push(pagination.clone());
    let count = match filter.strip_suffix(", ") {
        Some(filter) => format!("{module}::count(&self.pool, {filter})"),
        None => format!("{module}::count(&self.pool)"),
    };
    let names = if row.is_some() { "rows" } else { "data" };
    code.push_str(&format!(
        "        let page = {number};\n        let page_size = {size};\n        let offset = (page - 1).saturating_mul(page_size);\n        let ({names}, total) = tokio::try_join!(\n            {module}::list(&self.pool, {filter}page_size, offset),\n            {count},\n        )?;\n"
    ));
    if let Some(row) = row {
        code.push_str(&format!("        let data = {row};\n"));
    }
    code.push_str("        let total_pages = total / page_size + i64::from(total % page_size > 0);\n");
    let numbers: Vec<_> = numbers
        .iter()
        .map(|(field, is_float)| {
            let name = &field.name;
            if *is_float {
                format!("{name}: {name} as f64")
            } else {
                name.clone()
            }
        })
        .collect();
    let pagination = literal(12, pagination, &numbers);
    let fields = ["data".to_owned(), format!("pagination: {pagination}")];
    code.push_str(&format!("        Ok({})\n", literal(8, answer, &fields)));
}

/// Returns the filter argument, followed by a comma. Returns an empty string if the table's lists have no filter.
fn filter(list: &List<'_>, code: &mut String, uses: &mut Uses) -> String {
    if list.stored.filters().next().is_none() {
        return String::new();
    }
    let name = &list.stored.structs.filter;
    uses.row(list.stored, name);
    let mut fields = Vec::new();
    for column in list.stored.filters() {
        let filter = list
            .filters
            .iter()
            .find(|filter| filter.property == column.field.property);
        fields.extend(filter.map(|filter| format!("{}: {}", column.field.name, filter.value)));
    }
    if fields.is_empty() {
        return format!("&{name}::default(), ");
    }
    if fields.len() < list.stored.filters().count() {
        // Another list of the table filters by more columns.
        let margin = " ".repeat(8);
        let fields: String = fields
            .iter()
            .map(|field| format!("{margin}    {field},\n"))
            .collect();
        code.push_str(&format!(
            "{margin}let filter = {name} {{\n{fields}{margin}    ..{name}::default()\n{margin}}};\n"
        ));
    } else {
        code.push_str(&format!("        let filter = {};\n", literal(8, name, &fields)));
    }
    "&filter, ".to_owned()
}
