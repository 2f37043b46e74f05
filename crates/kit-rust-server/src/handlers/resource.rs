//! Finds the table that a route accesses, and the parameters of its path that are the key of a row.

use kit_database::ColumnType;
use kit_ir::{Method, Segment};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::HandlerContext;
use super::values::Part;
use crate::database::Stored;
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
        if handled.route.slots.response.is_some() {
            return self.answered(handled);
        }
        // A route without a response type, such as `DELETE`, accesses the row that another route with the same path
        // returns.
        let siblings = self.all().filter(|other| other.route.path == handled.route.path);
        siblings
            .into_iter()
            .find_map(|other| self.answered(other))
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
            .find_map(|other| self.answered(other))
            .or_else(|| self.collection(handled))
    }

    fn all(self) -> impl Iterator<Item = &'k RouteNames<'k>> {
        self.routes.groups.iter().flat_map(|group| &group.routes)
    }

    /// Returns the table of the entity that a route returns. Returns `None` if the response is not an entity.
    fn answered(self, handled: &RouteNames<'_>) -> Option<&'k Stored<'k>> {
        let name = self.types.name(handled.route.slots.response?);
        self.database.of_entity(name)
    }

    /// Returns the table with the name of the last static segment of the path: `/teams/:id/members` gives `members`.
    fn collection(self, handled: &RouteNames<'_>) -> Option<&'k Stored<'k>> {
        let last = handled.route.path.static_segments().next_back()?;
        self.database.table_called(&last.replace('-', "_"))
    }

    /// Returns the code for the key in the path. Returns `None` if a path parameter is neither a part of the key nor another
    /// column, or if a part of the key is not in the path.
    pub(super) fn key(self, handled: &RouteNames<'_>, stored: &Stored<'_>) -> Option<Key> {
        let params = self
            .types
            .structs
            .get(self.types.name_in(handled.route.slots.params?, Form::Request))?;
        let names = stored.key_parameters();
        if names.is_empty() {
            return None;
        }
        let mut key = Key {
            lets: TokenStream::new(),
            arguments: Vec::new(),
            above: Vec::new(),
        };
        let mut of_key = Vec::new();
        for ((name, r#type), column) in names.into_iter().zip(stored.key()) {
            let by_name = params
                .iter()
                .find(|param| param.property == column.field.property);
            let param = by_name.or_else(|| only_parameter(params, stored))?;
            if !r#type.accepts(&param.r#type) {
                return None;
            }
            let (borrow, value) = (r#type.borrow(), Part::Params.field(param));
            key.lets.extend(quote!(let #name = #borrow #value;));
            key.arguments.push(name);
            of_key.push(&param.property);
        }
        for param in params.iter().filter(|param| !of_key.contains(&&param.property)) {
            key.above.push(above(param, stored)?);
        }
        Some(key)
    }
}

/// Returns the condition that the column with the name of a path parameter has the value of the parameter, and the opposite.
/// Returns `None` if there is no such column, or if PostgreSQL compares its values in another way than Rust: `1.0` and `1.00`
/// are equal in a `numeric` column.
fn above(param: &Field, stored: &Stored<'_>) -> Option<(TokenStream, TokenStream)> {
    let mut columns = stored.columns.iter();
    let column = columns.find(|column| column.field.property == param.property)?;
    // A column of an adopted table may have a type whose values PostgreSQL compares by rules of its own.
    if *column.plain_type() != param.r#type || !column.is_sortable() {
        return None;
    }
    let (name, value) = (ident(&column.field.name), Part::Params.field(param));
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
