//! Statements that undo the first half of a migration.

use crate::sql::{OUTSIDE_TRANSACTION, Statement, beside, identifier, relation};

use super::links::Links;
use super::script::Script;
use super::shape::Shape;
use super::sync;

/// Returns the statements that undo the first half, even if the half is not complete, or if the second half has begun and has
/// removed nothing. `new_types` are the enum types that the first half creates.
pub(super) fn abort(shape: &Shape<'_>, links: &Links<'_>, new_types: &[String]) -> Vec<Statement> {
    let mut script = Script::default();
    let text = |text: String| Statement::Text(text);
    for (_, to) in shape.renamed_tables() {
        script.transaction(vec![text(format!("DROP VIEW IF EXISTS {}", relation(&to.name)))]);
    }
    let new: Vec<String> = shape.created().map(|table| relation(&table.name)).collect();
    if !new.is_empty() {
        script.transaction(vec![text(format!("DROP TABLE IF EXISTS {}", new.join(", ")))]);
    }
    for pair in &shape.pairs {
        let table = relation(&pair.before.name);
        let mut statements = Vec::new();
        if links.is_synchronized(&pair.before.name) {
            let name = identifier(&sync::name(&pair.before.name));
            statements.push(text(format!("DROP TRIGGER IF EXISTS {name} ON {table}")));
            statements.push(text(format!("DROP FUNCTION IF EXISTS {name}()")));
        }
        let constraints = links.kept_constraints(pair.before).into_iter();
        let constraints =
            constraints.map(|check| format!("DROP CONSTRAINT IF EXISTS {}", identifier(&check.name)));
        let columns = pair
            .added()
            .map(|column| format!("DROP COLUMN IF EXISTS {}", identifier(&column.name)));
        let drops: Vec<String> = constraints.chain(columns).collect();
        if !drops.is_empty() {
            statements.push(text(format!("ALTER TABLE {table} {}", drops.join(", "))));
        }
        script.transaction(statements);
        // An index that contains a new column goes with the column.
        for index in pair
            .new_indexes()
            .iter()
            .filter(|index| !pair.contains_added(index))
        {
            script.one(
                OUTSIDE_TRANSACTION,
                text(format!(
                    "DROP INDEX CONCURRENTLY IF EXISTS {}",
                    beside(&pair.before.name, &index.name)
                )),
            );
        }
    }
    let types = new_types.iter();
    let types = types.map(|name| text(format!("DROP TYPE IF EXISTS {}", identifier(name))));
    script.transaction(types.collect());
    if script.0.is_empty() {
        script.transaction(vec![text("SELECT 'nothing to remove'".to_owned())]);
    }
    script.0
}
