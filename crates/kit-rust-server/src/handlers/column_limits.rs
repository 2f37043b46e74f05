//! Finds routes that accept values that a column cannot store. A property that a contract takes over from an entity
//! has the rules of the column. A property that the contract declares itself may have fewer rules.

use kit_database::{ColumnType, Rule, Table};
use kit_ir::{Decimal, DeclarationId, Format, Method, Type, TypeId, TypeKind};

use super::HandlerContext;
use crate::database::{Stored, StoredColumn};
use crate::route_names::RouteNames;

impl<'k> HandlerContext<'k, '_> {
    /// Returns true if a route accepts values that a column cannot store, such as a number beyond 32 bits for
    /// an `integer` column. Values from the path and the owner from middleware have no declared bounds, so
    /// they always count for an insert, also for a `PUT` that creates the row. For an update, only the key is in the path,
    /// and the generated function checks the key.
    pub(super) fn may_exceed_column(self, handled: &RouteNames<'_>, stored: &Stored<'_>) -> bool {
        let slots = &handled.route.slots;
        let is_new = match handled.route.method {
            Method::Post => true,
            Method::Put => handled.replies_of_upsert().is_some(),
            _ => false,
        };
        let owner = stored.owner().filter(|_| is_new);
        let is_limited = |column: &StoredColumn<'_>| {
            column.has_foreign_type()
                || matches!(
                    column.column.r#type,
                    ColumnType::Uuid
                        | ColumnType::Varchar { .. }
                        | ColumnType::SmallInt
                        | ColumnType::Integer
                        | ColumnType::BigIntExact
                        | ColumnType::Numeric { .. }
                        | ColumnType::Date
                        | ColumnType::Array { .. }
                )
        };
        // The rules of nested rows are not compared with their columns.
        let is_nested = self
            .nested_tables(handled)
            .iter()
            .any(|nested| nested.table.name == stored.table.name);
        if is_nested && stored.columns.iter().any(is_limited) {
            return true;
        }
        let params = slots.params.filter(|_| is_new);
        let mut taken = params.into_iter().chain(slots.body);
        owner.is_some_and(|(column, _)| is_limited(column)) || taken.any(|id| self.exceeds_column(id, stored))
    }

    fn exceeds_column(self, id: DeclarationId, stored: &Stored<'_>) -> bool {
        stored.columns.iter().any(|column| {
            let property = self.property(id, &column.field.property);
            let value = property.and_then(|property| self.value_type(property.r#type));
            let Some(value) = value else { return false };
            if column.has_foreign_type() {
                return true;
            }
            match (column.column.r#type, &value.kind) {
                (ColumnType::Array { element }, TypeKind::Array { element: of }) => self
                    .value_type(*of)
                    .is_some_and(|of| !holds(element.column(), of)),
                (r#type, _) => !holds(r#type, value) || may_exceed_index(stored.table, column, value),
            }
        })
    }

    /// Returns the type of a property without `null`. Returns `None` if the property is a union of several
    /// other types.
    fn value_type(self, id: TypeId) -> Option<&'k Type> {
        let own = self.resolved(id);
        let TypeKind::Union { members } = &own.kind else {
            return Some(own);
        };
        let values = members.iter().map(|member| self.resolved(*member));
        let mut values = values.filter(|member| member.kind != TypeKind::Null);
        let first = values.next()?;
        values.next().is_none().then_some(first)
    }
}

/// Maximum size of the values in one entry of a B-tree index, in bytes. PostgreSQL refuses a larger row (its maximum is 2,704 bytes
/// with the header of the entry).
const LARGEST_ENTRY: u64 = 2_600;

/// Returns true if a text of the type can be too long for a B-tree index that contains the column.
fn may_exceed_index(table: &Table, column: &StoredColumn<'_>, value: &Type) -> bool {
    if !matches!(value.kind, TypeKind::String | TypeKind::Template { .. })
        || !matches!(
            column.column.r#type,
            ColumnType::Varchar { .. } | ColumnType::Text | ColumnType::Citext
        )
    {
        return false;
    }
    let own = column.column.name.as_str();
    let size = |name: &String| {
        let longest = if name == own {
            value.constraints.effective_max_length()
        } else {
            longest(table, name)
        };
        // A character of UTF-8 has at most four bytes.
        longest.map_or(u64::MAX, |letters| letters.saturating_mul(4))
    };
    let uniques = table.uniques.iter().map(|unique| unique.columns.as_slice());
    let indexes = table.indexes.iter().filter(|index| index.method.is_none());
    let indexes = indexes.map(|index| index.columns.as_slice());
    std::iter::once(table.primary_key.as_slice())
        .chain(uniques)
        .chain(indexes)
        .filter(|columns| columns.iter().any(|name| name == own))
        .any(|columns| columns.iter().map(size).fold(0, u64::saturating_add) > LARGEST_ENTRY)
}

/// Returns the maximum number of characters of a column. A value that is no text counts as 16 characters.
fn longest(table: &Table, name: &str) -> Option<u64> {
    match table.column(name)?.r#type {
        ColumnType::Varchar { length } => Some(length.into()),
        ColumnType::Text | ColumnType::Citext => table
            .checks
            .iter()
            .filter(|check| check.column == name)
            .find_map(|check| match &check.rule {
                Rule::Length(counts) => counts.max,
                // The values are in the source of the project.
                Rule::Values(_) => Some(64),
                _ => None,
            }),
        ColumnType::Jsonb | ColumnType::Bytes | ColumnType::Array { .. } => None,
        _ => Some(16),
    }
}

/// Returns true if a column of the given type can store every value of a type.
fn holds(column: ColumnType, value: &Type) -> bool {
    let rules = &value.constraints;
    match (column, &value.kind) {
        (ColumnType::Uuid, TypeKind::String | TypeKind::Template { .. }) => {
            rules.format == Some(Format::Uuid)
        }
        (ColumnType::Varchar { length }, TypeKind::String | TypeKind::Template { .. }) => {
            rules.max_length.is_some_and(|most| most <= u64::from(length))
        }
        (ColumnType::Numeric { precision, scale }, TypeKind::String | TypeKind::Template { .. }) => {
            rules.digits.is_some_and(|digits| {
                digits.scale <= scale && digits.precision - digits.scale <= precision - scale
            })
        }
        // A format alone allows the year 0, which PostgreSQL does not have.
        (ColumnType::Date, TypeKind::String | TypeKind::Template { .. }) => {
            rules.format == Some(Format::Date) && rules.pattern.is_some()
        }
        (ColumnType::Integer | ColumnType::SmallInt, TypeKind::Number) => {
            let greatest = if column == ColumnType::SmallInt {
                f64::from(i16::MAX)
            } else {
                f64::from(i32::MAX)
            };
            let within = |bound: Option<Decimal>| {
                bound.is_some_and(|bound| (-greatest - 1.0..=greatest).contains(&bound.get()))
            };
            let least = within(rules.minimum) || within(rules.exclusive_minimum);
            least && (within(rules.maximum) || within(rules.exclusive_maximum))
        }
        (ColumnType::BigIntExact, TypeKind::BigInt) => rules.is_within_bigint_column(),
        _ => true,
    }
}
