//! Finds responses that consist of properties of a row and of rows of other tables, such as an order with its items and the
//! account that placed it.

use kit_ir::{DeclarationId, Method, Property, TypeId, TypeKind};

use super::{HandlerContext, Reason};
use crate::database::{Stored, StoredColumn};
use crate::route_names::RouteNames;
use crate::types::{Field, RustType};

/// A response that is built from a row.
pub(super) struct View<'k> {
    /// Table of the row.
    pub(super) stored: &'k Stored<'k>,
    /// Name of the struct of the response.
    pub(super) model: String,
    /// Fields that are columns of the row.
    pub(super) columns: Vec<&'k Field>,
    /// Fields with rows of other tables.
    pub(super) parts: Vec<Part<'k>>,
}

/// A field of a response with rows of another table.
pub(super) struct Part<'k> {
    pub(super) field: &'k Field,
    pub(super) link: Link<'k>,
    pub(super) item: Item<'k>,
}

/// Connection between a row and the rows of another table.
#[derive(Clone, Copy)]
pub(super) enum Link<'k> {
    /// Rows that refer to the row: the items of an order.
    Children(Reference<'k>),
    /// Rows that a third table connects with the row: the tags of a product.
    Joined {
        to_row: Reference<'k>,
        to_other: Reference<'k>,
    },
    /// The row to which the row refers: the author of a note.
    Parent(Reference<'k>),
}

/// Foreign key with one column.
#[derive(Clone, Copy)]
pub(super) struct Reference<'k> {
    /// Table with the foreign key.
    pub(super) from: &'k Stored<'k>,
    pub(super) column: &'k StoredColumn<'k>,
    /// Table to which the foreign key refers.
    pub(super) to: &'k Stored<'k>,
    pub(super) target: &'k StoredColumn<'k>,
}

/// Value that a response has for a row of another table.
#[derive(Clone)]
pub(super) enum Item<'k> {
    /// The entity.
    Row,
    /// Some properties of the entity, in the struct with this name.
    Properties(String, Vec<&'k Field>),
    /// The value of one column.
    Value(&'k StoredColumn<'k>),
}

impl<'k> Reference<'k> {
    /// Returns the only foreign key of a table that refers to another table.
    pub(super) fn only(from: &'k Stored<'k>, to: &'k Stored<'k>) -> Option<Self> {
        let mut keys = from
            .table
            .foreign_keys
            .iter()
            .filter(|key| key.table == to.table.name);
        let key = keys.next().filter(|_| keys.next().is_none())?;
        Self::new(from, to, key)
    }

    /// Returns a foreign key with one column, for which functions can read rows by several values.
    fn new(from: &'k Stored<'k>, to: &'k Stored<'k>, key: &kit_database::ForeignKey) -> Option<Self> {
        let ([column], [target]) = (key.columns.as_slice(), key.targets.as_slice()) else {
            return None;
        };
        let of = |stored: &'k Stored<'k>, name: &str| {
            let mut columns = stored.columns.iter();
            columns.find(|column| column.column.name == name && column.can_list_by_any())
        };
        let (column, target) = (of(from, column)?, of(to, target)?);
        let is_present = !target.field.optional && !target.field.r#type.is_option();
        let is_same = key.table == to.table.name && column.plain_type() == target.plain_type() && is_present;
        is_same.then_some(Self {
            from,
            column,
            to,
            target,
        })
    }

    /// Returns the other column of the key if the foreign key and one other column are the key of the table: `tag` in the rows
    /// `(productId, tag)`. The column may have a type that no parameter of a function has, such as an enum.
    pub(super) fn rest_of_key(&self) -> Option<&'k StoredColumn<'k>> {
        let own = &self.column.column.name;
        let name = match self.from.table.primary_key.as_slice() {
            [first, second] if first == own => second,
            [first, second] if second == own => first,
            _ => return None,
        };
        let mut columns = self.from.columns.iter();
        columns.find(|column| column.column.name == *name)
    }
}

impl<'k> Link<'k> {
    /// Returns the link from rows of a table to rows of another table by a third table whose key has one reference to each.
    fn joined(join: &'k Stored<'k>, stored: &'k Stored<'k>, other: &'k Stored<'k>) -> Option<Self> {
        let (to_row, to_other) = (Reference::only(join, stored)?, Reference::only(join, other)?);
        let key = &join.table.primary_key;
        let is_key = |reference: &Reference<'_>| key.contains(&reference.column.column.name);
        let is_join = key.len() == 2 && is_key(&to_row) && is_key(&to_other);
        (is_join && stored.table.name != other.table.name).then_some(Self::Joined { to_row, to_other })
    }

    /// Returns true if handlers can connect the rows by equal values: the rows of both tables are read with a query for each table.
    fn has_equal_values(&self) -> bool {
        let is_equal = |reference: &Reference<'_>| {
            reference.column.is_equal_in_rust() && reference.target.is_equal_in_rust()
        };
        match self {
            Self::Children(reference) | Self::Parent(reference) => is_equal(reference),
            Self::Joined { to_row, to_other } => is_equal(to_row) && is_equal(to_other),
        }
    }

    /// Returns the tables from which a handler reads the rows.
    pub(super) fn tables(&self) -> Vec<&'k Stored<'k>> {
        match self {
            Self::Children(reference) => vec![reference.from],
            Self::Joined { to_row, to_other } => vec![to_row.from, to_other.to],
            Self::Parent(reference) => vec![reference.to],
        }
    }
}

impl View<'_> {
    /// Returns the tables and columns for which the response needs a function that reads rows by several values.
    pub(super) fn listed_by(&self) -> Vec<(String, String)> {
        let columns = self.parts.iter().flat_map(Part::listed_by);
        let names = columns.map(|(stored, column)| (stored.table.name.clone(), column.column.name.clone()));
        names.collect()
    }
}

impl<'k> Part<'k> {
    /// Returns the columns for which the part needs a function that reads rows by several values.
    fn listed_by(&self) -> Vec<(&'k Stored<'k>, &'k StoredColumn<'k>)> {
        match self.link {
            Link::Children(reference) => vec![(reference.from, reference.column)],
            Link::Joined { to_row, to_other } => {
                let mut columns = vec![(to_row.from, to_row.column)];
                if !matches!(self.item, Item::Value(_)) {
                    columns.push((to_other.to, to_other.target));
                }
                columns
            }
            Link::Parent(reference) => vec![(reference.to, reference.target)],
        }
    }
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the parts of a response that is not an entity itself. Returns the reason if a property is neither a column of
    /// one table nor a relation of this table.
    pub(super) fn view(self, handled: &RouteNames<'_>, response: DeclarationId) -> Result<View<'k>, Reason> {
        let model = self.types.name(response);
        let r#type = self.types.program.declarations[response].r#type;
        self.view_of(handled, model, r#type)
    }

    /// Returns the parts of a struct, as [`Self::view`] does. `r#type` is the type of the struct.
    pub(super) fn view_of(
        self,
        handled: &RouteNames<'_>,
        model: &str,
        r#type: TypeId,
    ) -> Result<View<'k>, Reason> {
        let Some(fields) = self.types.structs.get(model) else {
            return Err(format!("the response `{model}` is not an object"));
        };
        let program = self.types.program;
        let properties = program.properties(kit_analysis::resolve(program, r#type));
        let mut reason = None;
        for stored in self.possible_tables(handled, properties) {
            match self.view_on(stored, model, fields, properties) {
                Ok(view) => return Ok(view),
                Err(other) => {
                    reason.get_or_insert(other);
                }
            }
        }
        Err(reason.unwrap_or_else(|| {
            format!("neither the response `{model}` nor the path names the table of an entity")
        }))
    }

    /// Returns the tables that a response may be about. The path tells the table. For routes that only read, the properties of
    /// `Pick` and `Omit` tell it too, since they are those of an entity.
    fn possible_tables(self, handled: &RouteNames<'_>, properties: &[Property]) -> Vec<&'k Stored<'k>> {
        let mut found: Vec<&'k Stored<'k>> = Vec::new();
        let origins = properties.iter().filter_map(|property| self.origin(property));
        let origins = origins.filter(|_| handled.route.method == Method::Get);
        for stored in self
            .collection(handled)
            .into_iter()
            .chain(self.listed(handled))
            .chain(origins)
        {
            if !found.iter().any(|known| known.table.name == stored.table.name) {
                found.push(stored);
            }
        }
        found
    }

    /// Returns the table of the entity that declares a property.
    fn origin(self, property: &Property) -> Option<&'k Stored<'k>> {
        let program = self.types.program;
        self.database.tables.iter().find(|stored| {
            let declaration = program.declaration(&stored.table.entity);
            declaration.is_some_and(|(_, declaration)| {
                let properties = program.properties(declaration.r#type);
                properties.iter().any(|own| own.span == property.span)
            })
        })
    }

    fn view_on(
        self,
        stored: &'k Stored<'k>,
        model: &str,
        fields: &'k [Field],
        properties: &[Property],
    ) -> Result<View<'k>, Reason> {
        let mut view = View {
            stored,
            model: model.to_owned(),
            columns: Vec::new(),
            parts: Vec::new(),
        };
        for field in fields {
            if has_column(stored, field) {
                view.columns.push(field);
            } else {
                let property = properties.iter().find(|property| property.name == field.property);
                view.parts.push(self.part(stored, field, property)?);
            }
        }
        if view.columns.is_empty() {
            return Err(format!("the response has no property of `{}`", stored.entity()));
        }
        Ok(view)
    }

    fn part(
        self,
        stored: &'k Stored<'k>,
        field: &'k Field,
        property: Option<&Property>,
    ) -> Result<Part<'k>, Reason> {
        let (name, entity) = (&field.property, stored.entity());
        let unknown = || {
            format!(
                "the property `{name}` of the response is neither a property of `{entity}` nor rows of a table with one foreign key to it"
            )
        };
        if field.optional {
            return Err(unknown());
        }
        let element = property
            .map(|property| self.element(property.r#type))
            .unwrap_or_default();
        let (link, item) = match &field.r#type {
            // Elements that are no objects, such as enums, are values of a column.
            RustType::Vec(of) => match of.model().filter(|model| self.is_object(model)) {
                Some(model) => self.linked_rows(stored, name, model, element),
                None => self.linked_values(stored, name, of),
            },
            other => {
                let model = other.without_option().model().ok_or_else(unknown)?;
                self.referred_row(stored, field, model)
            }
        }
        .ok_or_else(unknown)?;
        if !link.has_equal_values() {
            return Err(format!(
                "a foreign key of type `citext` or `character` connects `{name}` with `{entity}`, and Rust compares such texts in another way than PostgreSQL"
            ));
        }
        Ok(Part { field, link, item })
    }

    /// Returns true if a Rust type is a struct with the properties of an object.
    fn is_object(self, model: &str) -> bool {
        self.types.structs.contains_key(model)
    }

    /// Returns the properties of the elements of an array.
    fn element(self, id: TypeId) -> &'k [Property] {
        match &self.resolved(id).kind {
            TypeKind::Array { element } => {
                let program = self.types.program;
                program.properties(kit_analysis::resolve(program, *element))
            }
            _ => &[],
        }
    }

    /// Returns the rows that belong to a row: rows that refer to the row, or rows that a third table connects with the row.
    fn linked_rows(
        self,
        stored: &'k Stored<'k>,
        name: &str,
        model: &str,
        element: &[Property],
    ) -> Option<(Link<'k>, Item<'k>)> {
        let mut found = Vec::new();
        for other in &self.database.tables {
            let Some(item) = self.item(other, model) else {
                continue;
            };
            if let Some(reference) = Reference::only(other, stored) {
                found.push((other, Link::Children(reference), item));
                continue;
            }
            for join in &self.database.tables {
                if let Some(link) = Link::joined(join, stored, other) {
                    found.push((other, link, item.clone()));
                }
            }
        }
        if found.len() > 1 {
            let origins: Vec<_> = element
                .iter()
                .filter_map(|property| self.origin(property))
                .collect();
            let is_origin =
                |other: &Stored<'_>| origins.iter().any(|origin| origin.table.name == other.table.name);
            if found.iter().any(|(other, ..)| is_origin(other)) {
                found.retain(|(other, ..)| is_origin(other));
            }
        }
        if found.len() > 1 {
            found.retain(|(other, link, _)| is_called(name, other, link));
        }
        let (_, link, item) = found.pop()?;
        found.is_empty().then_some((link, item))
    }

    /// Returns the values of a column in the rows that refer to a row, if the column and the reference are the key: `tags` are
    /// the values of `tag` in the rows `(productId, tag)`.
    pub(super) fn linked_values(
        self,
        stored: &'k Stored<'k>,
        name: &str,
        of: &RustType,
    ) -> Option<(Link<'k>, Item<'k>)> {
        let mut found = Vec::new();
        for other in &self.database.tables {
            let Some(reference) = Reference::only(other, stored) else {
                continue;
            };
            let value = reference.rest_of_key().filter(|value| value.plain_type() == of);
            if let Some(value) = value {
                found.push((other, value, Link::Children(reference)));
            }
        }
        if found.len() > 1 {
            found.retain(|(other, value, link)| {
                let property = &value.field.property;
                is_plural(name, property) || is_called(name, other, link)
            });
        }
        let (_, value, link) = found.pop()?;
        found.is_empty().then_some((link, Item::Value(value)))
    }

    /// Returns the row to which a row refers. The name of the property is that of the referring property without `Id`, or only
    /// one property refers to the other table.
    fn referred_row(
        self,
        stored: &'k Stored<'k>,
        field: &Field,
        model: &str,
    ) -> Option<(Link<'k>, Item<'k>)> {
        let mut found = Vec::new();
        for other in &self.database.tables {
            let Some(item) = self.item(other, model) else {
                continue;
            };
            for key in &stored.table.foreign_keys {
                if let Some(reference) = Reference::new(stored, other, key) {
                    found.push((Link::Parent(reference), item.clone(), reference));
                }
            }
        }
        if found.len() > 1 {
            found.retain(|(_, _, reference)| {
                let property = &reference.column.field.property;
                property
                    .strip_suffix("Id")
                    .or_else(|| property.strip_suffix("_id"))
                    == Some(field.property.as_str())
            });
        }
        let (link, item, reference) = found.pop()?;
        // A row of another owner is not visible, so that the response has `null` in its place.
        let is_owned = reference.to.owner().is_some();
        let may_be_missing = reference.column.column.nullable || is_owned;
        (found.is_empty() && (!may_be_missing || field.r#type.is_option())).then_some((link, item))
    }

    /// Returns the value for a row of a table. Returns `None` if the struct has a field that is no column of the table.
    fn item(self, stored: &Stored<'_>, model: &str) -> Option<Item<'k>> {
        if stored.entity() == model {
            return Some(Item::Row);
        }
        // The struct of another entity does not stand for a row of this table.
        if self.database.of_entity(model).is_some() {
            return None;
        }
        let fields = self.types.structs.get(model)?;
        let is_part = fields.iter().all(|field| has_column(stored, field));
        is_part.then(|| Item::Properties(model.to_owned(), fields.iter().collect()))
    }
}

/// Returns true if a table has a column with the property and the type of a field.
pub(super) fn has_column(stored: &Stored<'_>, field: &Field) -> bool {
    let mut columns = stored.columns.iter();
    columns.any(|column| {
        let own = &column.field;
        own.property == field.property && own.r#type == field.r#type && own.optional == field.optional
    })
}

/// Returns true if a property has the name of the table of the rows: `items` for `order_items`.
fn is_called(name: &str, other: &Stored<'_>, link: &Link<'_>) -> bool {
    let name = crate::names::plain_field(name);
    let mut tables = link.tables().into_iter().map(|stored| stored.table.name.as_str());
    let is_name = |table: &str| {
        let table = kit_database::local_name(table);
        table == name || table.ends_with(&format!("_{name}"))
    };
    is_name(&other.table.name) || tables.any(is_name)
}

/// Returns true if a name is the plural of a property: `tags` of `tag`, and `tagIds` of `tagId`.
fn is_plural(name: &str, property: &str) -> bool {
    name == property || name.strip_suffix('s') == Some(property) || name.strip_suffix("es") == Some(property)
}
