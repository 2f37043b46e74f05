//! Prints a column as a chain of drizzle's builder calls.

use std::fmt::Write as _;

use kit_ir::LiteralValue;

use super::Body;
use super::own_types::OwnType;
use crate::rows;
use crate::typescript as name;
use crate::{Column, ColumnDefault, ColumnType, ValueType};

impl Body<'_> {
    /// Returns the builder chain, such as `varchar("title", { length: 200 }).notNull()`. The calls have the order of
    /// drizzle's documentation: type, keys, defaults, `notNull`.
    pub(super) fn column(&mut self, column: &Column) -> String {
        let mut chain = self.builder(column, column.r#type);
        if column.source.value == ValueType::Declared {
            let _ = write!(chain, ".$type<{}>()", rows::declared(self.table, column));
        }
        let is_key = self.table.primary_key == [column.name.as_str()];
        if is_key {
            chain.push_str(".primaryKey()");
        }
        if let Some(unique) = self
            .table
            .uniques
            .iter()
            .find(|unique| unique.columns == [column.name.as_str()])
        {
            if unique.name == format!("{}_{}_unique", self.table.name, column.name) {
                chain.push_str(".unique()");
            } else {
                let _ = write!(chain, ".unique({})", name::string_literal(&unique.name));
            }
        }
        if let Some(default) = &column.default {
            chain.push_str(&self.default(column, default));
        }
        if column.is_written_now() {
            self.sql = true;
            let _ = write!(
                chain,
                ".$defaultFn(() => sql`{}`)",
                crate::sql::now(column.r#type)
            );
        }
        // drizzle already treats a primary key as not null.
        if !column.nullable && !is_key {
            chain.push_str(".notNull()");
        }
        if column.source.on_update_now {
            chain.push_str(".$onUpdate(() => new Date())");
        }
        self.references(column, &mut chain);
        chain
    }

    fn builder(&mut self, column: &Column, r#type: ColumnType) -> String {
        let (function, mut options) = match r#type {
            ColumnType::Array { element } => {
                return format!("{}.array()", self.builder(column, element.column()));
            }
            ColumnType::Uuid => ("uuid", String::new()),
            ColumnType::Varchar { length } => ("varchar", format!("length: {length}")),
            ColumnType::Text => ("text", String::new()),
            ColumnType::Boolean => ("boolean", String::new()),
            ColumnType::Integer => ("integer", String::new()),
            ColumnType::BigInt => ("bigint", "mode: \"number\"".to_owned()),
            // drizzle has identity columns of its own types only.
            ColumnType::BigIntExact if column.default == Some(ColumnDefault::Identity) => {
                ("bigint", "mode: \"bigint\"".to_owned())
            }
            ColumnType::BigIntExact => {
                self.own_types.insert(OwnType::ExactBigint);
                return format!("exactBigint({})", name::string_literal(&column.name));
            }
            ColumnType::DoublePrecision => ("doublePrecision", String::new()),
            ColumnType::SmallInt => ("smallint", String::new()),
            ColumnType::Numeric { precision, scale } => {
                self.own_types.insert(OwnType::Decimal);
                let column = name::string_literal(&column.name);
                return format!("decimal({column}, {precision}, {scale})");
            }
            ColumnType::Date => ("date", "mode: \"string\"".to_owned()),
            ColumnType::Timestamp => ("timestamp", String::new()),
            ColumnType::Timestamptz => ("timestamp", "withTimezone: true, precision: 3".to_owned()),
            ColumnType::Jsonb => ("jsonb", String::new()),
            ColumnType::Bytes => {
                self.own_types.insert(OwnType::Bytes);
                return format!("bytea({})", name::string_literal(&column.name));
            }
            ColumnType::Enum { name } => {
                let labels: Vec<String> = column
                    .labels
                    .iter()
                    .map(|label| name::string_literal(label))
                    .collect();
                self.drizzle.insert("pgEnum");
                return format!(
                    "pgEnum({}, [{}])({})",
                    name::string_literal(name.as_str()),
                    labels.join(", "),
                    name::string_literal(&column.name)
                );
            }
            ColumnType::Citext => {
                self.own_types.insert(OwnType::Citext);
                return format!("citext({})", name::string_literal(&column.name));
            }
        };
        if let ValueType::OneOf(values) = &column.source.value {
            let values: Vec<String> = values.iter().map(|value| name::string_literal(value)).collect();
            options = format!("enum: [{}]", values.join(", "));
        }
        self.drizzle.insert(function);
        let column = name::string_literal(&column.name);
        if options.is_empty() {
            format!("{function}({column})")
        } else {
            format!("{function}({column}, {{ {options} }})")
        }
    }

    fn default(&mut self, column: &Column, default: &ColumnDefault) -> String {
        match default {
            ColumnDefault::RandomUuid => ".defaultRandom()".to_owned(),
            // TypeScript would refuse a string for the type `Decimal` that the entity declares.
            ColumnDefault::Literal(_) if matches!(column.r#type, ColumnType::Numeric { .. }) => {
                self.sql_default(default)
            }
            ColumnDefault::Now => ".defaultNow()".to_owned(),
            ColumnDefault::Identity => ".generatedByDefaultAsIdentity()".to_owned(),
            ColumnDefault::Literal(LiteralValue::String(value)) => {
                format!(".default({})", name::string_literal(value))
            }
            ColumnDefault::Literal(LiteralValue::Number(value)) => format!(".default({value})"),
            ColumnDefault::Literal(LiteralValue::Boolean(value)) => format!(".default({value})"),
            ColumnDefault::Literal(LiteralValue::BigInt(digits)) => format!(".default({digits}n)"),
            // The default is written as SQL, because a TypeScript literal would need the type that the entity declares.
            ColumnDefault::UuidV7 | ColumnDefault::Json(_) | ColumnDefault::Array(_) => {
                self.sql_default(default)
            }
        }
    }

    fn sql_default(&mut self, default: &ColumnDefault) -> String {
        self.sql = true;
        format!(".default(sql`{}`)", name::template(&crate::sql::default(default)))
    }

    fn references(&mut self, column: &Column, chain: &mut String) {
        let table = self.table;
        // drizzle has another call for a foreign key with several columns.
        let mut keys = table.foreign_keys.iter().filter(|key| key.columns.len() == 1);
        let Some(key) = keys.find(|key| key.columns[0] == column.name) else {
            return;
        };
        // The return type annotation prevents a circular type inference if tables refer to each other or to themselves.
        self.types.insert("AnyPgColumn");
        if key.table != table.name {
            self.tables.insert(&key.table);
        }
        let property = self.names.property_of(&key.table, &key.targets[0]);
        let target = name::member(self.names.variable_of(&key.table), property);
        let _ = write!(chain, ".references((): AnyPgColumn => {target}");
        let actions: Vec<String> = [
            ("onDelete", key.actions.on_delete),
            ("onUpdate", key.actions.on_update),
        ]
        .into_iter()
        .filter(|(_, action)| !action.is_default())
        .map(|(event, action)| format!("{event}: \"{}\"", action.name()))
        .collect();
        if !actions.is_empty() {
            let _ = write!(chain, ", {{ {} }}", actions.join(", "));
        }
        chain.push(')');
    }
}
