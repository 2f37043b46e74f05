//! Indexes of entities, from `@index` and `@unique`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An index of an entity that one property with `@index` or `@unique` alone cannot express.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityIndex {
    /// Name of the index; empty for an index of one property, whose name kit derives.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// True if no two rows that the index contains have the same values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// Columns of the index, in order.
    pub columns: Vec<IndexColumn>,
    /// Access method of PostgreSQL, from `using gin`; `None` for the default, `btree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<IndexMethod>,
    /// Properties that the index also stores, from `include (a, b)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// SQL condition of the rows that the index contains, from `where …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

impl fmt::Display for EntityIndex {
    /// Writes the index as in its tag, without the name and the columns of an interface: `@index desc using brin`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.unique { "@unique" } else { "@index" })?;
        if self.name.is_empty() {
            for column in &self.columns {
                write!(f, "{}", column.options)?;
            }
        } else {
            let columns = self
                .columns
                .iter()
                .map(|column| format!("{}{}", column.property, column.options));
            let columns: Vec<String> = columns.collect();
            write!(f, " {} ({})", self.name, columns.join(", "))?;
        }
        if let Some(method) = self.method {
            write!(f, " using {}", method.name())?;
        }
        if !self.include.is_empty() {
            write!(f, " include ({})", self.include.join(", "))?;
        }
        if let Some(condition) = &self.condition {
            write!(f, " where {condition}")?;
        }
        Ok(())
    }
}

impl fmt::Display for IndexColumnOptions {
    /// Writes the options with a space before each: ` text_pattern_ops desc nulls last`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(class) = &self.operator_class {
            write!(f, " {class}")?;
        }
        if self.descending {
            f.write_str(" desc")?;
        }
        match self.nulls {
            Some(Nulls::First) => f.write_str(" nulls first"),
            Some(Nulls::Last) => f.write_str(" nulls last"),
            None => Ok(()),
        }
    }
}

/// A column of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexColumn {
    /// Name of the property; empty in a tag of the property itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub property: String,
    /// Operator class and order of the column.
    #[serde(flatten)]
    pub options: IndexColumnOptions,
}

/// Operator class and order of a column in an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexColumnOptions {
    /// Operator class, such as `gin_trgm_ops`; `None` for the default of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_class: Option<String>,
    /// True with `desc`: the greatest value is first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub descending: bool,
    /// Place of nulls, if it is not the default: last in ascending order, first in descending order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nulls: Option<Nulls>,
}

/// Place of nulls in the order of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Nulls {
    /// `nulls first`.
    First,
    /// `nulls last`.
    Last,
}

/// Access method of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IndexMethod {
    /// `gin`: parts of values, such as the keys of JSON.
    Gin,
    /// `gist`: a tree for types whose values overlap or have distances.
    Gist,
    /// `brin`: ranges of values of large tables whose rows are stored in the order of the column.
    Brin,
    /// `hash`: equality only.
    Hash,
}

impl IndexMethod {
    /// All methods, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Gin, Self::Gist, Self::Brin, Self::Hash];

    /// Returns the name of the method in SQL.
    ///
    /// ```
    /// use kit_ir::IndexMethod;
    ///
    /// assert_eq!(IndexMethod::Gin.name(), "gin");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Gin => "gin",
            Self::Gist => "gist",
            Self::Brin => "brin",
            Self::Hash => "hash",
        }
    }

    /// Returns the method with the given name; `None` if there is no such method.
    ///
    /// ```
    /// use kit_ir::IndexMethod;
    ///
    /// assert_eq!(IndexMethod::from_name("brin"), Some(IndexMethod::Brin));
    /// assert_eq!(IndexMethod::from_name("rtree"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}
