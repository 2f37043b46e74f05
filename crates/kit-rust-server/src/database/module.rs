//! Generates `db/<entity>.rs`: the SQL statements of a table, and the Rust functions that run them.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::finder::Finder;
use super::parameter::Parameter;
use super::{Rule, Stored, StoredColumn, is_uuid};
use crate::names;
use crate::source::{Imports, doc, file_doc, ident};
use crate::types::{RustType, Types};

/// Names of variables and other parameters in functions that take the key of a row. If a column of the key
/// has one of these names, its parameter gets the suffix `_key`.
const VARIABLES: [&str; 22] = [
    "app",
    "body",
    "changed",
    "changes",
    "connection",
    "data",
    "database",
    "deleted",
    "done",
    "error",
    "filter",
    "found",
    "input",
    "limit",
    "new",
    "offset",
    "row",
    "row_owner",
    "rows",
    "owner",
    "page",
    "transaction",
];

/// Names of the structs that the functions of a table accept, and of the enum in one of them.
pub(crate) struct StructNames {
    /// Name of the struct with the values of a new row.
    pub(crate) new: String,
    /// Name of the struct with the values that an update changes.
    pub(crate) changes: String,
    /// Name of the struct with the values that filter a list.
    pub(crate) filter: String,
    /// Name of the struct with the order of a list. Code outside of the module writes the name of the module too.
    pub(crate) order: String,
    /// Name of the enum with the columns by which a list is sorted.
    pub(crate) sort: String,
}

impl StructNames {
    /// Chooses names that differ from the name of the model, because a file may import the model together
    /// with these structs: as the type of a column, or as the response of a handler.
    pub(super) fn new(model: &str, columns: &[StoredColumn<'_>], types: &mut Types<'_>) -> Self {
        let answers = types
            .program
            .routes
            .iter()
            .filter_map(|route| route.slots.response);
        let mut imported: BTreeSet<String> = answers.map(|id| types.name(id).to_owned()).collect();
        let columns = columns.iter().flat_map(|stored| stored.plain_type().models());
        imported.extend(columns.map(str::to_owned));
        let mut free = |wanted: String| {
            let name = names::unique(wanted, |name| imported.contains(name));
            types.taken.insert(name.clone());
            name
        };
        let (new, changes, filter) = (
            free(format!("New{model}")),
            free(format!("{model}Changes")),
            free(format!("{model}Filter")),
        );
        let in_module =
            |wanted: &str| names::unique(wanted.to_owned(), |name| name == model || imported.contains(name));
        Self {
            new,
            changes,
            filter,
            order: in_module("ListOrder"),
            sort: in_module("SortColumn"),
        }
    }
}

impl Stored<'_> {
    pub(super) fn module_file(&self) -> TokenStream {
        let mut models = Imports::default();
        models.add("crate::models", self.entity());
        let mut imports = Imports::default();
        let all = self.columns.iter();
        let is_guarded = self
            .filters()
            .any(|stored| stored.comparison_error(&TokenStream::new()).is_some());
        if is_guarded || all.clone().any(StoredColumn::is_read_by_runtime) {
            imports.add("kit_runtime", "sql");
        }
        let owner = self.owner().map(|(column, _)| column);
        let finders = self.finders();
        let found = finders
            .iter()
            .flat_map(|finder| finder.columns.iter().map(|(column, _)| *column));
        let found = found.chain(self.listed_by()).chain(self.deleted_by());
        let compared: Vec<_> = self.key().chain(owner).chain(found).collect();
        let written = self.inserted().chain(self.changed());
        for r#type in written
            .chain(compared.iter().copied())
            .chain(self.related_filters())
            .map(StoredColumn::plain_type)
            .chain(all.clone().filter_map(StoredColumn::named_in_read))
        {
            for name in r#type.models() {
                models.add("crate::models", name);
            }
            for own in r#type.runtime_types() {
                if !own.is_qualified {
                    imports.add("kit_runtime", own.item.name());
                }
            }
        }
        if compared.iter().any(|column| is_uuid(column)) {
            imports.add("kit_runtime::format", "is_uuid");
        }
        if self.has_cursors() {
            // Without the names in it: an application may have a type `Order`.
            imports.add("kit_runtime", "keyset");
            imports.add("kit_runtime", "sql");
        }
        if self.has_totals || self.key().any(StoredColumn::is_checked_text) {
            imports.add("kit_runtime", "sql");
        }
        imports.add("sqlx::postgres", "PgRow");
        imports.add("sqlx", "FromRow");
        imports.add("sqlx", "PgExecutor");
        if !all.clone().all(StoredColumn::is_read_by_runtime) {
            imports.add_methods("sqlx", "Row");
        }
        let comment = file_doc(&format!("The table `{}`.", self.table.name));
        let (statements, constraints) = (self.statements(&finders), self.constraint_names());
        let (structs, functions) = (self.structs(), self.functions(&finders));
        quote!(#comment #imports #models #statements #constraints #structs #functions)
    }

    fn structs(&self) -> TokenStream {
        let StructNames {
            new, changes, filter, ..
        } = &self.structs;
        // A derived `Debug` would show secrets.
        let debug = (!self.has_secrets).then(|| quote!(Debug,));
        let mut structs = structure(
            "Values of a new row. An omitted value gets its default.",
            &quote!(#debug Clone),
            new,
            self.inserted().map(|stored| (stored, stored.insert_options())),
        );
        if self.is_updated() {
            structs.extend(structure(
                "Changes of a row. An omitted value stays unchanged.",
                &quote!(#debug Clone, Default),
                changes,
                self.changed().map(|stored| (stored, stored.update_options())),
            ));
        }
        if self.has_filters() {
            structs.extend(structure(
                "Filter of a list. An omitted value matches all rows.",
                &quote!(#debug Clone, Default),
                filter,
                self.filters().map(|stored| (stored, 1)),
            ));
        }
        structs.extend(self.order_types());
        let entity = ident(self.entity());
        let fields = self.columns.iter().map(|stored| {
            let (name, value) = (ident(&stored.field.name), stored.read());
            quote!(#name: #value)
        });
        structs.extend(quote! {
            impl<'r> FromRow<'r, PgRow> for #entity {
                fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
                    Ok(Self { #(#fields),* })
                }
            }
        });
        structs
    }

    fn functions(&self, finders: &[Finder<'_>]) -> TokenStream {
        let entity = ident(self.entity());
        let filters = self.filters().map(|stored| {
            let name = ident(&stored.field.name);
            stored.bind(&quote!(filter.#name), true)
        });
        let filters: TokenStream = filters.collect();
        let mut given = vec![quote!(database: impl PgExecutor<'_>)];
        given.extend(self.owner_given());
        given.extend(self.has_filters().then(|| {
            let filter = ident(&self.structs.filter);
            quote!(filter: &#filter)
        }));
        let of_owner = self.of_owner(true);
        let owner = self.owner_bind();
        let guard = self.list_guard(&quote!(0));
        let count = function(
            &format!("Returns the number of rows{of_owner}."),
            "count",
            &given,
            &quote!(i64),
            &quote!(#guard sqlx::query_scalar(COUNT) #owner #filters.fetch_one(database).await),
        );
        let guard = self.list_guard(&quote!(Vec::new()));
        let page = self.has_cursors().then(|| {
            let mut given = given.clone();
            given.push(quote!(page: &keyset::KeysetPage<'_>));
            function(
                &format!("Returns the rows of a page{of_owner}, each with its key for cursors."),
                "page",
                &given,
                &quote!(Vec<(#entity, String)>),
                &quote! {
                    #guard
                    let statement = match page.side() {
                        None => FIRST_PAGE,
                        Some(keyset::Side::Next) => NEXT_PAGE,
                        Some(keyset::Side::Previous) => PREVIOUS_PAGE,
                    };
                    let query = sqlx::query_as(statement).bind(page.limit()) #owner #filters;
                    sql::keyed_rows(query, page.key(), database).await
                },
            )
        });
        given.extend(self.has_chosen_order().then(|| {
            let order = ident(&self.structs.order);
            quote!(order: #order)
        }));
        let with_total = self.list_with_total(&given, owner.as_ref(), &filters);
        let (statement, text) = self.ordered(&ident("LIST"));
        given.extend([quote!(limit: i64), quote!(offset: i64)]);
        let list = function(
            &format!("Returns rows{of_owner}, in order."),
            "list",
            &given,
            &quote!(Vec<#entity>),
            &quote! {
                #guard
                #statement
                sqlx::query_as(#text).bind(limit).bind(offset) #owner #filters.fetch_all(database).await
            },
        );
        // The prefix `_` avoids a warning if the insert uses no field, because the database creates all values of the
        // row.
        let is_used = self.inserted().next().is_some();
        let parameter = ident(if is_used { "new" } else { "_new" });
        let new = ident(&self.structs.new);
        let binds = self.inserted().map(|stored| {
            let name = ident(&stored.field.name);
            stored.bind_optional(&quote!(new.#name), stored.insert_options())
        });
        let binds: Vec<TokenStream> = binds.collect();
        let insert = function(
            "Inserts a row.",
            "insert",
            &[quote!(database: impl PgExecutor<'_>), quote!(#parameter: &#new)],
            &entity,
            &quote!(sqlx::query_as(INSERT) #(#binds)*.fetch_one(database).await),
        );
        let insert_if_absent = self.has_conflicts().then(|| {
            function(
                "Inserts a row. Returns `None` if another row has the same key or the same unique values.",
                "insert_if_absent",
                &[quote!(database: impl PgExecutor<'_>), quote!(#parameter: &#new)],
                &quote!(Option<#entity>),
                &quote!(sqlx::query_as(INSERT_IF_ABSENT) #(#binds)*.fetch_optional(database).await),
            )
        });
        let of_a_row = (!self.key.is_empty()).then(|| self.functions_of_a_row());
        let finders = self.finder_functions(finders);
        let related = self.related_functions();
        let deletions = self.deletion_functions();
        quote!(#list #with_total #page #count #insert #insert_if_absent #of_a_row #finders #related #deletions)
    }

    /// Returns true if an insert may fail because another row has the same values.
    pub(super) fn has_conflicts(&self) -> bool {
        let constraints = self.constraints();
        constraints
            .iter()
            .any(|constraint| matches!(constraint.rule, Rule::Unique(_)))
    }

    /// Returns the name and type of a function parameter for each column of the key.
    pub(crate) fn key_parameters(&self) -> Vec<(Ident, Parameter)> {
        let is_only = self.key.len() == 1;
        let columns = self.key().filter_map(|stored| Some((stored, stored.key_type()?)));
        parameter_names(columns, is_only.then_some("id"))
    }

    /// Returns the functions `get`, `update` and `delete`, which access one row by its key.
    fn functions_of_a_row(&self) -> TokenStream {
        let entity = ident(self.entity());
        let parameters = self.key_parameters();
        let mut given = vec![quote!(database: impl PgExecutor<'_>)];
        given.extend(parameters.iter().map(|(name, r#type)| quote!(#name: #r#type)));
        given.extend(self.owner_given());
        let names = parameters.iter().map(|(name, _)| name);
        let owner = self.owner_bind();
        let key = quote!(#(.bind(#names))* #owner);
        let row = quote!(Option<#entity>);
        let of_owner = self.of_owner(false);
        let compared: Vec<_> = self.key().zip(self.key_parameters()).collect();
        let guard = self.guard(&compared, &quote!(None));
        let mut functions = function(
            &format!("Returns the row with this key{of_owner}."),
            "get",
            &given,
            &row,
            &quote!(#guard sqlx::query_as(GET) #key.fetch_optional(database).await),
        );
        if self.is_locked {
            functions.extend(function(
                &format!("Returns the row with this key{of_owner}. No other transaction can change the row before this one ends."),
                "get_for_update",
                &given,
                &row,
                &quote!(#guard sqlx::query_as(GET_FOR_UPDATE) #key.fetch_optional(database).await),
            ));
        }
        if self.is_updated() {
            let changes = ident(&self.structs.changes);
            let mut given = given.clone();
            given.push(quote!(changes: &#changes));
            let binds = self.changed().map(|stored| {
                let name = ident(&stored.field.name);
                stored.bind_optional(&quote!(changes.#name), stored.update_options())
            });
            functions.extend(function(
                &format!("Changes the row with this key{of_owner}."),
                "update",
                &given,
                &row,
                &quote!(#guard sqlx::query_as(UPDATE) #key #(#binds)*.fetch_optional(database).await),
            ));
        }
        let guard = self.guard(&compared, &quote!(false));
        functions.extend(function(
            &format!("Deletes the row with this key{of_owner}. Returns true if the row existed."),
            "delete",
            &given,
            &quote!(bool),
            &quote! {
                #guard
                let done = sqlx::query(DELETE) #key.execute(database).await?;
                Ok(done.rows_affected() > 0)
            },
        ));
        functions
    }
}

/// Returns a name for the function parameter of each column. `name` is the name of a single parameter, if not that of its
/// field.
pub(super) fn parameter_names<'s>(
    columns: impl Iterator<Item = (&'s StoredColumn<'s>, Parameter)>,
    name: Option<&str>,
) -> Vec<(Ident, Parameter)> {
    let mut found: Vec<(Ident, Parameter)> = Vec::new();
    for (stored, r#type) in columns {
        let mut name = name.unwrap_or(stored.field.name.as_str()).to_owned();
        if VARIABLES.contains(&name.as_str()) {
            name.push_str("_key");
        }
        let name = names::unique(name, |taken| found.iter().any(|(known, _)| known == taken));
        found.push((ident(&name), r#type));
    }
    found
}

/// Returns a struct with one field per column. Each column comes with the number of `Option`s around the type
/// of its field.
fn structure<'s>(
    comment: &str,
    derives: &TokenStream,
    name: &str,
    columns: impl Iterator<Item = (&'s StoredColumn<'s>, usize)>,
) -> TokenStream {
    let fields = columns.map(|(stored, options)| {
        let comment = doc(stored.column.comment.as_deref().unwrap_or_default());
        let name = ident(&stored.field.name);
        let r#type: RustType = stored.plain_type().clone().in_options(options);
        quote!(#comment pub #name: #r#type)
    });
    let (comment, name) = (doc(comment), ident(name));
    quote! {
        #comment
        #[derive(#derives)]
        pub struct #name { #(#fields),* }
    }
}

/// Returns an `async` function that runs a statement on a pool, a connection or a transaction.
pub(super) fn function(
    comment: &str,
    name: &str,
    given: &[TokenStream],
    result: &impl ToTokens,
    body: &TokenStream,
) -> TokenStream {
    let (comment, name) = (doc(comment), ident(name));
    quote! {
        #comment
        pub async fn #name(#(#given),*) -> Result<#result, sqlx::Error> {
            #body
        }
    }
}
