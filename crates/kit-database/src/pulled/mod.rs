//! Writes entities for the tables of an existing database.

mod indexes;
mod literals;
mod names;
mod rules;
mod tags;
mod text;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::definitions::{index_definition, unique_definition};
use crate::{ForeignObject, ObjectKind, Unique};
use literals::listed;
use names::{identifiers, is_tag_word, name_interfaces, property_name};
pub use text::on_one_line;
use text::{DECIMAL_IMPORT, text};
use types::{TypeText, default_tag, enums, type_text, union};
pub(crate) use types::{domains, strings};

/// Entities for the tables of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pulled {
    /// The entities, in the order of their tables.
    pub entities: Vec<PulledEntity>,
    /// Tables and columns for which there is no entity or property, with the reasons.
    pub left_out: Vec<LeftOut>,
}

/// An entity for a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PulledEntity {
    /// Name of the table.
    pub table: String,
    /// Name of the interface.
    pub interface: String,
    /// Source of the interface, with its doc comment.
    pub text: String,
}

/// A table, column or other object that no entity contains. It remains in the database and in the SQL of the baseline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Title of the object: `table spatial_ref_sys`, `column films.fulltext`.
    pub object: String,
    /// Reason, as a phrase after "because".
    pub reason: String,
}

/// Writes entities for the tables among the objects of a database.
///
/// `without` contains tables that get no entity, with the reasons. `plain` contains tables whose indexes and checks get no
/// tags. Each property has the tags from which kit derives the column, as far as kit can model the column. Keys, indexes and
/// checks become tags, and lists of values become unions.
///
/// ```
/// use kit_database::{ForeignObject, ObjectKind, pulled};
///
/// let object = |kind, table: Option<&str>, name: &str, definition: &str| ForeignObject {
///     kind,
///     table: table.map(str::to_owned),
///     name: name.to_owned(),
///     definition: Some(definition.to_owned()),
///     uses: Vec::new(),
/// };
/// let found = pulled(
///     &[
///         object(ObjectKind::Table, None, "authors", "TABLE"),
///         object(ObjectKind::Column, Some("authors"), "id", "uuid DEFAULT gen_random_uuid() NOT NULL"),
///         object(ObjectKind::Column, Some("authors"), "born_in", "text"),
///         object(ObjectKind::Constraint, Some("authors"), "authors_pkey", "PRIMARY KEY (id)"),
///     ],
///     &Default::default(),
///     &Default::default(),
/// );
/// assert_eq!(
///     found.entities[0].text,
///     "/** @table authors */\nexport interface Author {\n  /** @id @generated uuid */\n  id: string;\n  bornIn: string | null;\n}\n"
/// );
/// ```
pub fn pulled(
    objects: &[ForeignObject],
    without: &BTreeMap<String, String>,
    plain: &BTreeSet<String>,
) -> Pulled {
    let mut found = Pulled::default();
    let enums = enums(objects);
    let domains = domains(objects);
    let mut tables: Vec<PulledTable<'_>> = Vec::new();
    for object in objects.iter().filter(|object| object.kind == ObjectKind::Table) {
        let read = match without.get(&object.name) {
            Some(reason) => Err(reason.clone()),
            None => table(object, objects, &enums, &domains),
        };
        match read {
            Ok(mut table) => {
                table.has_all_tags = !plain.contains(table.name);
                let columns = table.left_out.iter().map(|(_, column)| column.clone());
                found.left_out.extend(columns);
                tables.push(table);
            }
            Err(reason) => found.left_out.push(LeftOut {
                object: object.title(),
                reason,
            }),
        }
    }
    name_interfaces(&mut tables);
    for table in &tables {
        found.entities.push(PulledEntity {
            table: table.name.to_owned(),
            interface: table.interface.clone(),
            text: text(table, &tables),
        });
    }
    found
}

impl Pulled {
    /// Returns the entities as one file.
    ///
    /// ```
    /// assert_eq!(kit_database::Pulled::default().single_file(), "");
    /// ```
    pub fn single_file(&self) -> String {
        let texts: Vec<&str> = self
            .entities
            .iter()
            .map(|entity| {
                let import = entity.text.strip_prefix(DECIMAL_IMPORT);
                import.map_or(entity.text.as_str(), |rest| rest.trim_start())
            })
            .collect();
        let import = self
            .entities
            .iter()
            .any(|entity| entity.text.starts_with(DECIMAL_IMPORT));
        let head = if import {
            format!("{DECIMAL_IMPORT}\n")
        } else {
            String::new()
        };
        let left_out = self.tables_left_out();
        let mut tail = String::new();
        if !left_out.is_empty() {
            tail.push_str("\n// Tables without an entity, whose SQL is in the first migration:\n");
        }
        for LeftOut { object, reason } in left_out {
            let name = object.strip_prefix("table ").unwrap_or(object);
            let _ = writeln!(tail, "// - {}: {}.", on_one_line(name), on_one_line(reason));
        }
        format!("{head}{}{tail}", texts.join("\n"))
    }

    /// Returns the tables without an entity.
    ///
    /// ```
    /// assert!(kit_database::Pulled::default().tables_left_out().is_empty());
    /// ```
    pub fn tables_left_out(&self) -> Vec<&LeftOut> {
        let is_table = |left_out: &&LeftOut| left_out.object.starts_with("table ");
        self.left_out.iter().filter(is_table).collect()
    }
}

struct PulledTable<'a> {
    name: &'a str,
    interface: String,
    key: Vec<String>,
    comment: Option<&'a str>,
    columns: Vec<PulledColumn<'a>>,
    /// Definitions of the constraints, with their names.
    constraints: Vec<(&'a str, &'a str)>,
    /// Definitions of the indexes, with their names.
    indexes: Vec<(&'a str, &'a str)>,
    /// Names of the columns without a property, with the reasons.
    left_out: Vec<(&'a str, LeftOut)>,
    /// False if indexes and checks get no tags.
    has_all_tags: bool,
}

impl<'a> PulledTable<'a> {
    fn column(&self, name: &str) -> Option<&PulledColumn<'a>> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the columns with these names, or `None` if a column has no property.
    fn columns_of(&self, names: &[String]) -> Option<Vec<&PulledColumn<'a>>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// Returns the names and columns of the unique constraints and unique indexes on all rows.
    fn uniques(&self) -> impl Iterator<Item = (&'a str, Vec<String>)> {
        let constraints = self.constraints.iter().filter_map(|(name, definition)| {
            let columns = unique_constraint(definition)?;
            let unique = Unique {
                name: (*name).to_owned(),
                columns,
            };
            (unique_definition(&unique) == *definition).then_some((*name, unique.columns))
        });
        let indexes = self.indexes.iter().filter_map(|(name, definition)| {
            let columns = unique_index(definition)?;
            let unique = Unique {
                name: (*name).to_owned(),
                columns,
            };
            let index = unique.as_index(name);
            (index_definition(self.name, &index) == *definition).then_some((*name, unique.columns))
        });
        constraints.chain(indexes)
    }

    /// Returns true if no column without a property is a part of the condition.
    fn has_columns_of(&self, condition: &str) -> bool {
        self.left_out.iter().all(|(name, _)| !condition.contains(name))
    }
}

/// Returns the columns of a unique constraint.
fn unique_constraint(definition: &str) -> Option<Vec<String>> {
    identifiers(definition.strip_prefix("UNIQUE (")?.strip_suffix(')')?)
}

/// Returns the columns of a unique index on columns of all rows.
fn unique_index(definition: &str) -> Option<Vec<String>> {
    let (_, rest) = definition
        .strip_prefix("CREATE UNIQUE INDEX ON ")?
        .split_once(" USING btree (")?;
    identifiers(rest.strip_suffix(')')?)
}

struct PulledColumn<'a> {
    name: &'a str,
    property: String,
    /// Type of PostgreSQL, without default and nullability.
    base: String,
    r#type: TypeText,
    /// Tag for the default, if an entity can express it.
    default: Option<String>,
    nullable: bool,
    comment: Option<&'a str>,
}

impl PulledColumn<'_> {
    /// Returns the name of the type without arguments: `character varying`.
    fn kind(&self) -> &str {
        self.base.split('(').next().unwrap_or_default()
    }

    /// Returns true if the type lists the values.
    fn is_union(&self) -> bool {
        self.r#type.text.contains('"')
    }
}

fn table<'a>(
    object: &'a ForeignObject,
    objects: &'a [ForeignObject],
    enums: &BTreeMap<&str, Vec<String>>,
    domains: &BTreeMap<&str, &str>,
) -> Result<PulledTable<'a>, String> {
    let mut left_out = Vec::new();
    let settings = object.definition.as_deref().unwrap_or_default();
    if settings.contains(" PARTITION OF ") {
        return Err("it is a partition; the entity of the partitioned table reads its rows".to_owned());
    }
    // A name with a dot is in double quotes.
    if !is_tag_word(&object.name) || object.name.contains('"') {
        return Err("`@table` cannot express its name".to_owned());
    }
    let of = |kind: ObjectKind| {
        objects
            .iter()
            .filter(move |part| part.kind == kind && part.table.as_deref() == Some(object.name.as_str()))
    };
    let named = |kind| -> Vec<(&str, &str)> {
        of(kind)
            .filter_map(|part| Some((part.name.as_str(), part.definition.as_deref()?)))
            .collect()
    };
    let constraints = named(ObjectKind::Constraint);
    let indexes = named(ObjectKind::Index);
    let is_never_null = |column: &String| {
        of(ObjectKind::Column).any(|part| {
            part.name == *column
                && part
                    .definition
                    .as_deref()
                    .is_some_and(|text| text.ends_with(" NOT NULL"))
        })
    };
    let key = constraints
        .iter()
        .find_map(|(_, definition)| identifiers(definition.strip_prefix("PRIMARY KEY (")?.strip_suffix(')')?))
        .or_else(|| unique_key(&constraints, &indexes, is_never_null))
        .ok_or("it has neither a primary key nor unique columns that are never null, and an entity needs an `@id`")?;
    let comment_of = |described: &str| {
        of(ObjectKind::Comment)
            .find(|comment| comment.name == described)
            .and_then(|comment| comment.definition.as_deref())
    };
    let mut columns: Vec<PulledColumn<'a>> = Vec::new();
    for part in of(ObjectKind::Column) {
        let definition = part.definition.as_deref().unwrap_or_default();
        let checks = constraints.iter().map(|(_, definition)| *definition);
        match column(part, definition, checks, enums, domains) {
            Ok(mut found) => {
                found.comment = comment_of(&part.title());
                while columns.iter().any(|other| other.property == found.property) {
                    found.property.push('_');
                }
                columns.push(found);
            }
            Err(reason) if key.contains(&part.name) => {
                return Err(format!("the column `{}` of its primary key {reason}", part.name));
            }
            Err(reason) => {
                let required = if is_required(definition) {
                    "; since the column has no default, other SQL must insert its rows"
                } else {
                    ""
                };
                let column = LeftOut {
                    object: part.title(),
                    reason: format!("it {reason}{required}"),
                };
                left_out.push((part.name.as_str(), column));
            }
        }
    }
    Ok(PulledTable {
        name: &object.name,
        interface: String::new(),
        key,
        comment: comment_of(&object.title()),
        columns,
        indexes,
        constraints,
        left_out,
        has_all_tags: true,
    })
}

/// Returns the columns that identify a row of a table without a primary key: the shortest unique constraint or unique index
/// whose columns are never null.
fn unique_key(
    constraints: &[(&str, &str)],
    indexes: &[(&str, &str)],
    is_never_null: impl Fn(&String) -> bool,
) -> Option<Vec<String>> {
    let constraints = constraints
        .iter()
        .filter_map(|(_, definition)| unique_constraint(definition));
    let indexes = indexes
        .iter()
        .filter_map(|(_, definition)| unique_index(definition));
    constraints
        .chain(indexes)
        .filter(|columns| columns.iter().all(&is_never_null))
        .min_by_key(Vec::len)
}

fn is_required(definition: &str) -> bool {
    definition.ends_with(" NOT NULL")
        && !definition.contains(" DEFAULT ")
        && !definition.contains(" GENERATED ")
}

fn column<'a>(
    object: &'a ForeignObject,
    definition: &str,
    checks: impl IntoIterator<Item = &'a str>,
    enums: &BTreeMap<&str, Vec<String>>,
    domains: &BTreeMap<&str, &str>,
) -> Result<PulledColumn<'a>, String> {
    if definition.contains(" GENERATED ALWAYS AS (") {
        return Err("is computed by the database, and a property of an entity can be written".to_owned());
    }
    if !is_tag_word(&object.name) {
        return Err("has a name that `@column` cannot express".to_owned());
    }
    let (rest, nullable) = match definition.strip_suffix(" NOT NULL") {
        Some(rest) => (rest, false),
        None => (definition, true),
    };
    let (rest, default) = match rest.split_once(" DEFAULT ") {
        Some((rest, default)) => (rest, Some(default)),
        None => (rest, None),
    };
    let (rest, identity) = match rest.split_once(" GENERATED ") {
        Some((rest, _)) => (rest, true),
        None => (rest, false),
    };
    let base = rest.split(" COLLATE ").next().unwrap_or(rest);
    let mut r#type = type_text(base, enums, domains, 0)
        .ok_or_else(|| format!("has the type `{base}`, which no type of an entity represents"))?;
    let values = (r#type.text == "string" && r#type.tags.iter().all(|tag| tag.starts_with("@maxLength")))
        .then(|| checks.into_iter().find_map(|check| listed(check, &object.name)))
        .flatten();
    if let Some(values) = values {
        r#type = union(&values);
    }
    let counts = identity || default.is_some_and(|default| default.starts_with("nextval("));
    let is_whole = matches!(base, "integer" | "bigint" | "smallint");
    let default = if counts && is_whole && !nullable {
        Some("@generated".to_owned())
    } else {
        default.and_then(|default| default_tag(default, &r#type))
    };
    let property = property_name(&object.name);
    Ok(PulledColumn {
        name: &object.name,
        property,
        base: base.to_owned(),
        r#type,
        default,
        nullable,
        comment: None,
    })
}
