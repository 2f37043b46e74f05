//! Names of types in PostgreSQL.

use crate::definitions::type_is_known;

/// Returns true for the names of PostgreSQL's own types, by which no enum type can be found.
pub(crate) fn is_own_type(name: &str) -> bool {
    type_is_known(name)
        || matches!(
            name,
            "text"
                | "name"
                | "char"
                | "bpchar"
                | "varchar"
                | "numeric"
                | "date"
                | "time"
                | "timetz"
                | "int"
                | "int2"
                | "int4"
                | "int8"
                | "float4"
                | "float8"
                | "bool"
                | "bit"
                | "varbit"
                | "money"
                | "xml"
                | "inet"
                | "cidr"
                | "macaddr"
                | "macaddr8"
                | "oid"
                | "line"
                | "lseg"
                | "box"
                | "path"
                | "polygon"
                | "circle"
                | "record"
                | "void"
                | "tsvector"
                | "tsquery"
                | "citext"
                | "decimal"
                | "character"
                | "array"
                | "any"
                | "unknown"
        )
}
