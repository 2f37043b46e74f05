//! Creates indexes with options, and checks that users wrote in SQL.

use kit_diagnostics::codes;
use kit_ir::{Entity, EntityIndex, IndexColumnOptions, IndexMethod, Span};

use super::Builder;
use crate::{Check, ColumnType, Index, Rule, Table, local_name, names, schema_of, sql};

impl Builder<'_> {
    /// Returns an index on columns of the given properties. Returns `None` if an error was reported.
    pub(super) fn index(
        &mut self,
        entity: &Entity,
        table: &Table,
        index: &EntityIndex,
        properties: &[String],
        span: Span,
    ) -> Option<Index> {
        let column = |property: &String| table.column_of(property).map(|column| column.name.clone());
        let columns = if index.name.is_empty() {
            // Errors of the columns themselves were reported.
            properties.iter().map(column).collect::<Option<Vec<_>>>()?
        } else {
            self.composite(entity, table, "index", &index.name, properties)?
        };
        let written = index.to_string();
        let unknown = index.include.iter().find(|property| column(property).is_none());
        if let Some(property) = unknown {
            self.error(
                codes::UNKNOWN_REFERENCE,
                span,
                format!(
                    "`{written}` includes `{property}`, but `{}` has no property with this name",
                    table.entity
                ),
                "write the names of properties of the interface, not of columns",
            );
            return None;
        }
        if let Some(reason) = unfit(table, index, &columns) {
            self.error(
                codes::UNSUPPORTED_COLUMN,
                span,
                format!("PostgreSQL cannot create the index `{written}` of `{}`: {reason}", table.entity),
                "change the index, or write it in SQL in a migration: `kit migrate:generate --empty --name my_index`",
            );
            return None;
        }
        if let Some(condition) = &index.condition
            && let Some(problem) = condition_problem(condition, &table.name)
        {
            self.fragment_error(&format!("`{}`", table.entity), span, condition, problem);
            return None;
        }
        let options: Vec<IndexColumnOptions> = index
            .columns
            .iter()
            .map(|column| column.options.clone())
            .collect();
        let has_options = options
            .iter()
            .any(|options| *options != IndexColumnOptions::default());
        let mut found = Index {
            name: index.name.clone(),
            columns,
            options: if has_options { options } else { Vec::new() },
            unique: index.unique,
            method: index.method,
            include: index.include.iter().filter_map(column).collect(),
            condition: index.condition.clone(),
        };
        if found.name.is_empty() {
            let own = local_name(&table.name);
            let parts: Vec<&str> = [own.as_ref()]
                .into_iter()
                .chain(found.columns.iter().map(String::as_str))
                .collect();
            found.name = names::constraint(&parts, found.suffix());
        }
        Some(found)
    }

    /// Returns a check of a table with a condition in SQL. `place` names the property or the entity, and `column` is empty
    /// for a check of the whole row. Returns `None` if an error was reported.
    pub(super) fn check(
        &mut self,
        (place, table): (&str, &str),
        span: Span,
        name: String,
        column: &str,
        condition: &str,
    ) -> Option<Check> {
        if let Some(problem) = condition_problem(condition, table) {
            self.fragment_error(place, span, condition, problem);
            return None;
        }
        Some(Check {
            name,
            column: column.to_owned(),
            rule: Rule::Sql(condition.to_owned()),
        })
    }

    fn fragment_error(&mut self, place: &str, span: Span, condition: &str, problem: &str) {
        self.error(
            codes::UNSUPPORTED_COLUMN,
            span,
            format!("the SQL condition `{condition}` of {place} {problem}"),
            "write one condition with the names of columns, such as `deleted_at IS NULL`",
        );
    }
}

/// Returns the reason why a condition cannot be a part of a statement.
fn condition_problem(condition: &str, table: &str) -> Option<&'static str> {
    // Comparisons with a database create the tables of all schemas as temporary tables, with other names.
    let local = local_name(table);
    let names_table = || {
        condition.match_indices(local.as_ref()).any(|(at, name)| {
            let before = condition[..at].trim_end_matches('"').chars().next_back();
            let is_word = before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            let after = condition[at + name.len()..].trim_start_matches('"');
            !is_word && after.trim_start().starts_with('.')
        })
    };
    sql::fragment_problem(condition).or_else(|| {
        (schema_of(table).is_some() && names_table())
            .then_some("names its table, which is in another schema: write the columns without it")
    })
}

/// Returns the reason why PostgreSQL has no such index; `None` if it has.
fn unfit(table: &Table, index: &EntityIndex, columns: &[String]) -> Option<String> {
    let is_ordered = index
        .columns
        .iter()
        .any(|column| column.options.descending || column.options.nulls.is_some());
    if let Some(method) = index.method {
        let name = method.name();
        if index.unique {
            return Some(format!("an index `using {name}` cannot be unique"));
        }
        if is_ordered {
            return Some(format!(
                "an index `using {name}` has no order, so `desc` and `nulls` have no meaning"
            ));
        }
        if !index.include.is_empty() && method != IndexMethod::Gist {
            return Some(format!("an index `using {name}` cannot include other columns"));
        }
        if method == IndexMethod::Hash && columns.len() > 1 {
            return Some("an index `using hash` has one column".to_owned());
        }
    }
    for (column, options) in columns.iter().zip(&index.columns) {
        let r#type = table.column(column)?.r#type;
        // The types for which PostgreSQL has no default operator class. A class from an extension may fit.
        let has_class = match index.method {
            Some(IndexMethod::Gin) => matches!(r#type, ColumnType::Jsonb | ColumnType::Array { .. }),
            Some(IndexMethod::Gist) => false,
            Some(IndexMethod::Brin) => !matches!(
                r#type,
                ColumnType::Jsonb
                    | ColumnType::Boolean
                    | ColumnType::Citext
                    | ColumnType::Enum { .. }
                    | ColumnType::Array { .. }
            ),
            None | Some(IndexMethod::Hash) => true,
        };
        if !has_class && options.options.operator_class.is_none() {
            let method = index.method.map_or("btree", IndexMethod::name);
            return Some(format!(
                "the type `{type}` of `{column}` has no default operator class for `using {method}`; write one behind the column, such as `gin_trgm_ops` of the extension pg_trgm"
            ));
        }
    }
    None
}
