//! Finds the table that a route accesses, and the parameters of its path that are the key of a row.

use kit_database::ColumnType;
use kit_ir::{DeclarationId, Method, Segment};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::values::ValuePlace;
use super::{HandlerContext, Reason};
use crate::database::{ColumnParameter, Parameter, Stored, StoredColumn};
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::types::{Field, Form, RustType};

/// Generated code for the key of the row that a handler accesses.
pub(super) struct Key {
    /// Statements that assign the parts of the key to variables.
    pub(super) lets: TokenStream,
    /// Names of the variables to which `lets` assigns the parts of the key.
    pub(super) arguments: Vec<Ident>,
    /// Conditions that a row belongs to the path above it, and their opposites. In `/shops/:shopId/products/:id`, the column
    /// `shopId` of `row` must have the value in the path.
    above: Vec<(TokenStream, TokenStream)>,
}

impl Key {
    /// Returns the condition that `row` belongs to the path above it. Returns `None` if the path has no other parameters than
    /// the key.
    pub(super) fn is_below(&self) -> Option<TokenStream> {
        let equal = self.above.iter().map(|(equal, _)| equal);
        (!self.above.is_empty()).then(|| quote!(#(#equal)&&*))
    }

    /// Returns the opposite of [`Key::is_below`].
    pub(super) fn is_elsewhere(&self) -> Option<TokenStream> {
        let other = self.above.iter().map(|(_, other)| other);
        (!self.above.is_empty()).then(|| quote!(#(#other)||*))
    }
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the table in which a route accesses one row. Returns `None` if the response type and the path name no
    /// table.
    pub(super) fn resource(self, handled: &RouteNames<'_>) -> Option<&'k Stored<'k>> {
        if let Some(response) = handled.response_body() {
            return self.table_of(handled, response);
        }
        // A route without a response type, such as `DELETE`, accesses the row that another route with the same path
        // returns.
        let siblings = self.all().filter(|other| other.route.path == handled.route.path);
        siblings
            .into_iter()
            .find_map(|other| self.table_of(other, other.response_body()?))
            .or_else(|| self.collection(handled))
    }

    /// Returns the table whose rows a route lists, if the items of the response are not the entity itself. In
    /// this case, another route tells the table: a route that responds with the entity, such as `GET
    /// /notes/:id` for `GET /notes`.
    pub(super) fn listed(self, handled: &RouteNames<'_>) -> Option<&'k Stored<'k>> {
        let path = &handled.route.path;
        let of_one = |other: &&RouteNames<'_>| match other.route.path.after(path) {
            Some([]) => other.route.method == Method::Post,
            Some([Segment::Parameter(_)]) => true,
            Some(_) | None => false,
        };
        let mut others = self.all().filter(of_one);
        others
            .find_map(|other| self.database.of_entity(self.types.name(other.response_body()?)))
            .or_else(|| self.collection(handled))
    }

    /// Returns true if a route reads a row of the table by its key below the path of another route: `GET /notes/:id` for `POST
    /// /notes`.
    pub(super) fn reads_below(self, handled: &RouteNames<'_>, stored: &Stored<'_>) -> bool {
        let mut others = self.all().filter(|other| {
            let below = other.route.path.after(&handled.route.path);
            other.route.method == Method::Get && matches!(below, Some([Segment::Parameter(_)]))
        });
        others.any(|other| {
            let table = self.resource(other).map(|table| &table.table.name);
            table == Some(&stored.table.name) && self.key(other, stored).is_ok()
        })
    }

    fn all(self) -> impl Iterator<Item = &'k RouteNames<'k>> {
        self.routes.groups.iter().flat_map(|group| &group.routes)
    }

    /// Returns the table of a response that is an entity, or a row with rows of other tables.
    fn table_of(self, handled: &RouteNames<'_>, response: DeclarationId) -> Option<&'k Stored<'k>> {
        let entity = self.database.of_entity(self.types.name(response));
        entity.or_else(|| Some(self.view(handled, response).ok()?.stored))
    }

    /// Returns the table with the name of the last static segment of the path: `/teams/:id/members` gives `members`.
    pub(super) fn collection(self, handled: &RouteNames<'_>) -> Option<&'k Stored<'k>> {
        let last = handled.route.path.static_segments().next_back()?;
        self.database.table_called(&last.replace('-', "_"))
    }

    /// Returns the code for the key in the path. Returns the reason if a path parameter is neither a part of the key nor
    /// another column, or if a part of the key is not in the path.
    pub(super) fn key(self, handled: &RouteNames<'_>, stored: &Stored<'_>) -> Result<Key, Reason> {
        let params = handled.route.slots.params.and_then(|id| {
            let name = self.types.name_in(id, Form::Request);
            self.types.structs.get(name)
        });
        let params = params.ok_or_else(|| "the path has no parameter that selects a row".to_owned())?;
        let names = stored.key_parameters();
        let entity = stored.entity();
        if names.is_empty() {
            return Err(format!(
                "kit cannot compare the key of `{entity}` with a parameter of the path"
            ));
        }
        let mut key = Key {
            lets: TokenStream::new(),
            arguments: Vec::new(),
            above: Vec::new(),
        };
        let mut of_key = Vec::new();
        for ((name, r#type), column) in names.into_iter().zip(stored.key()) {
            let property = &column.field.property;
            let by_name = params.iter().find(|param| param.property == *property);
            let param = by_name.or_else(|| only_parameter(params, stored));
            let param = param
                .ok_or_else(|| format!("no parameter of the path is `{property}`, the key of `{entity}`"))?;
            if !r#type.accepts(&param.r#type) {
                return Err(format!(
                    "the parameter `{}` of the path has another type than `{property}` of `{entity}`",
                    param.property
                ));
            }
            let value = path_parameter(param, &r#type);
            key.lets.extend(quote!(let #name = #value;));
            key.arguments.push(name);
            of_key.push(&param.property);
        }
        for param in params.iter().filter(|param| !of_key.contains(&&param.property)) {
            let above = above(param, stored).ok_or_else(|| {
                format!(
                    "the parameter `{}` of the path is not a property of `{entity}` with this type that Rust can compare",
                    param.property
                )
            })?;
            key.above.push(above);
        }
        Ok(key)
    }

    /// Returns the code for a unique property in the path, such as `slug` in `/articles/:slug`, and the name of the function
    /// that reads the row. Returns `None` if the parameters of the path are not the columns of a unique constraint.
    pub(super) fn unique_key<'s>(
        self,
        handled: &RouteNames<'_>,
        stored: &'s Stored<'s>,
    ) -> Option<UniqueKey<'s>> {
        let params = handled.route.slots.params?;
        let params = self
            .types
            .structs
            .get(self.types.name_in(params, Form::Request))?;
        let (function, columns) = stored.unique_finder(|columns| {
            let is_parameter = |column: &StoredColumn<'_>| {
                params.iter().any(|param| param.property == column.field.property)
            };
            columns.len() == params.len() && columns.iter().all(|(column, _)| is_parameter(column))
        })?;
        let mut key = UniqueKey {
            function,
            lets: TokenStream::new(),
            columns: Vec::new(),
        };
        for (column, (name, r#type)) in columns {
            let mut params = params.iter();
            let param = params.find(|param| param.property == column.field.property)?;
            if !r#type.accepts(&param.r#type) {
                return None;
            }
            let value = path_parameter(param, &r#type);
            key.lets.extend(quote!(let #name = #value;));
            key.columns.push((column, (name, r#type)));
        }
        Some(key)
    }
}

/// Generated code for a unique property that selects the row that a handler reads.
pub(super) struct UniqueKey<'s> {
    /// Name of the function that reads the row: `get_by_slug`.
    pub(super) function: Ident,
    /// Statements that assign the values to variables.
    pub(super) lets: TokenStream,
    /// Columns, each with its variable and the type of the variable.
    pub(super) columns: Vec<ColumnParameter<'s>>,
}

/// Returns the expression of a parameter of the path. If the query of another route has the same type, a parameter with
/// `@generated` is an `Option`, although a path always has its parameters.
fn path_parameter(param: &Field, r#type: &Parameter) -> TokenStream {
    let value = ValuePlace::Params.field(param);
    match (param.optional, r#type) {
        (false, r#type) => {
            let borrow = r#type.borrow();
            quote!(#borrow #value)
        }
        (true, Parameter::Text) => quote!(#value.as_deref().unwrap_or_default()),
        (true, r#type) => {
            let borrow = r#type.borrow();
            quote!(#borrow #value.unwrap_or_default())
        }
    }
}

/// Returns the condition that the column with the name of a path parameter has the value of the parameter, and the opposite.
/// Returns `None` if there is no such column, or if PostgreSQL compares its values in another way than Rust: `1.0` and `1.00`
/// are equal in a `numeric` column.
fn above(param: &Field, stored: &Stored<'_>) -> Option<(TokenStream, TokenStream)> {
    let mut columns = stored.columns.iter();
    let column = columns.find(|column| column.field.property == param.property)?;
    // A column of an adopted table may have a type whose values PostgreSQL compares by rules of its own.
    if *column.plain_type() != param.r#type || param.optional || !column.is_sortable() {
        return None;
    }
    let (name, value) = (ident(&column.field.name), ValuePlace::Params.field(param));
    // A property that may be absent and null is an `Option` in an `Option`.
    let stored_value = match (column.field.optional, column.field.r#type.is_option()) {
        (false, false) => None,
        (true, true) => Some(quote!(row.#name.as_ref().and_then(Option::as_ref))),
        _ => Some(quote!(row.#name.as_ref())),
    };
    match column.column.r#type {
        // The case of the digits does not count.
        ColumnType::Uuid if param.r#type == RustType::String => {
            let equal = if let Some(stored) = stored_value {
                quote!(#stored.is_some_and(|value| value.eq_ignore_ascii_case(&#value)))
            } else {
                quote!(row.#name.eq_ignore_ascii_case(&#value))
            };
            Some((equal.clone(), quote!(!#equal)))
        }
        ColumnType::Varchar { .. }
        | ColumnType::Text
        | ColumnType::Boolean
        | ColumnType::SmallInt
        | ColumnType::Integer
        | ColumnType::BigInt
        | ColumnType::BigIntExact
        | ColumnType::Enum { .. } => Some(match stored_value {
            Some(stored) => (quote!(#stored == Some(&#value)), quote!(#stored != Some(&#value))),
            None => (quote!(row.#name == #value), quote!(row.#name != #value)),
        }),
        _ => None,
    }
}

/// Returns the parameter of a path that is the key under another name: `noteId` in `/notes/:noteId`. Returns `None` if the path
/// has several parameters that are no properties of the entity, or none: `slug` in `/articles/:slug` is another property.
fn only_parameter<'p>(params: &'p [Field], stored: &Stored<'_>) -> Option<&'p Field> {
    let is_property = |param: &&Field| {
        let mut columns = stored.columns.iter();
        columns.any(|column| column.field.property == param.property)
    };
    let mut others = params.iter().filter(|param| !is_property(param));
    let param = others.next()?;
    (others.next().is_none() && stored.key().count() == 1).then_some(param)
}

#[cfg(test)]
mod tests {
    use kit_test_programs::notes;

    use crate::{Options, generate};

    /// Returns the handlers of Notes if the parameter of its paths has this name.
    fn handlers(parameter: &str) -> String {
        let mut program = notes::program();
        for id in 0..program.routes.len() {
            let route = &mut program.routes[id.into()];
            let Some(params) = route.slots.params else {
                continue;
            };
            route.path = format!("/notes/:{parameter}").parse().unwrap();
            route.parameters = vec![parameter.to_owned()];
            let object = program.declarations[params].r#type;
            let kit_ir::TypeKind::Object(object) = &mut program.types[object].kind else {
                panic!("parameters are an object");
            };
            parameter.clone_into(&mut object.properties[0].name);
        }
        let options = Options {
            name: "notes".to_owned(),
            output_dir: ".kit".to_owned(),
            ..Options::default()
        };
        let output = generate(&program, &options);
        assert!(output.problems.is_empty(), "{:?}", output.problems);
        let mut files = output.files.into_iter();
        files
            .find(|file| file.path == "src/handlers/notes.rs")
            .unwrap()
            .text
    }

    #[test]
    fn uses_the_only_path_parameter_as_the_key_if_no_property_has_the_name_of_the_parameter() {
        for parameter in ["id", "noteId"] {
            let text = handlers(parameter);
            for function in ["note::get(", "note::update(", "note::delete("] {
                assert!(text.contains(function), "{function} {text}");
            }
        }
    }

    /// `DELETE /notes/:title` must not delete the note whose id is the text in the path.
    #[test]
    fn generates_no_handler_if_a_path_parameter_is_not_the_key() {
        let text = handlers("title");
        for function in ["note::get(", "note::update(", "note::delete("] {
            assert!(!text.contains(function), "{function} {text}");
        }
        for method in ["GET", "PUT", "DELETE"] {
            assert!(
                text.contains(&format!("\"{method} /notes/:title\"")),
                "{method} {text}"
            );
        }
    }
}
