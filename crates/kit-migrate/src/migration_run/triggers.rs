//! Statements in batches that run no triggers of their table (`-- kit: in batches, without triggers`).
//!
//! A new form of a column does not change the meaning of a row. Triggers of the team, such as a trigger that sets
//! `updated_at`, must not see the rows of such a step as changed. `DISABLE TRIGGER` would switch the triggers off for the
//! application too, so kit sets `session_replication_role`, which is a setting of one session.

use kit_database::TRIGGER_PREFIX;
use kit_database::sql::{IN_BATCHES, IN_BATCHES_WITHOUT_TRIGGERS, string_literal};
use tokio_postgres::error::SqlState;

use super::MigrationRun;
use crate::MigrateError;
use crate::batches::Batches;
use crate::migration_run::attempts::Failure;
use crate::script::{Mode, Statement, Step};

impl MigrationRun<'_> {
    /// Returns an error if one of the remaining steps needs triggers that are off and cannot have them, so that the migration
    /// stops before it changes anything. `done` is the number of completed steps.
    pub(super) async fn check_triggers(&self, done: usize) -> Result<(), MigrateError> {
        for step in &self.script.steps[done..] {
            self.prepare_triggers(step, done).await?;
        }
        Ok(())
    }

    /// Switches off the triggers of the table of a step without triggers. Does nothing for other steps.
    pub(super) async fn prepare_triggers(&self, step: &Step<'_>, done: usize) -> Result<(), MigrateError> {
        if step.mode != Mode::BatchesWithoutTriggers {
            return Ok(());
        }
        let statement = &step.statements[0];
        // The step itself reports a statement of another form.
        match Batches::of(statement.text) {
            Ok(batches) => self.switch_triggers_off(&batches, statement, done).await,
            Err(_) => Ok(()),
        }
    }

    /// Switches off the triggers of the table for this session until the settings are reset. Does nothing if the table has no
    /// trigger that would run. Returns an error if a trigger would run nevertheless.
    async fn switch_triggers_off(
        &self,
        batches: &Batches<'_>,
        statement: &Statement<'_>,
        done: usize,
    ) -> Result<(), MigrateError> {
        let refuse = |message: String| {
            Err(MigrateError::Script {
                name: self.migration.name.clone(),
                message: format!("line {}: {message}", statement.line),
            })
        };
        let with_triggers = format!("write `{IN_BATCHES}` above the statement, so that triggers run");
        if !batches.is_update() {
            return refuse(format!(
                "`{IN_BATCHES_WITHOUT_TRIGGERS}` needs an UPDATE, because PostgreSQL uses triggers to check foreign keys of deleted rows; {with_triggers}"
            ));
        }
        let keys = self
            .first_values(&foreign_key_columns(batches.table), statement, done)
            .await?;
        let set = batches.set_columns();
        if let Some(column) = keys.iter().find(|column| set.contains(column)) {
            return refuse(format!(
                "the statement sets `{column}`, and PostgreSQL checks the foreign keys of this column with triggers; {with_triggers}"
            ));
        }
        let setting = "SET session_replication_role = replica";
        let is_off = match self.run.connection.batch_execute(setting).await {
            Ok(()) => true,
            Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => false,
            Err(error) => return Err(self.stop(Failure::of(statement, error), done)),
        };
        let triggers = self
            .first_values(&update_triggers(batches.table, is_off), statement, done)
            .await?;
        if triggers.is_empty() {
            return Ok(());
        }
        let list = triggers.join("`, `");
        if is_off {
            return refuse(format!(
                "these triggers of {} run for every session (ENABLE ALWAYS or ENABLE REPLICA): `{list}`; {with_triggers}",
                batches.table
            ));
        }
        let role = self
            .first_values("SELECT pg_catalog.quote_ident(current_user)", statement, done)
            .await?
            .join("");
        refuse(format!(
            "these triggers of {} would run for each row: `{list}`. The role {role} must not switch triggers off for its session. A superuser can run \
             `GRANT SET ON PARAMETER session_replication_role TO {role}` (PostgreSQL 15 and later); or {with_triggers}",
            batches.table
        ))
    }
}

/// Returns the query for the triggers that run for an `UPDATE` of other columns than those that a trigger names. `is_off` is
/// true if the session is a replica. kit's own triggers fill the new column in the same way as the statement.
fn update_triggers(table: &str, is_off: bool) -> String {
    let enabled = if is_off { "'A', 'R'" } else { "'O', 'A'" };
    format!(
        "SELECT tgname FROM pg_catalog.pg_trigger WHERE tgrelid = pg_catalog.to_regclass({}) AND NOT tgisinternal \
         AND tgenabled IN ({enabled}) AND tgtype & 16 <> 0 AND tgattr::text = '' AND NOT starts_with(tgname::text, '{TRIGGER_PREFIX}_') ORDER BY 1",
        string_literal(table)
    )
}

/// Returns the query for the columns of foreign keys of the table, and of foreign keys that refer to the table.
fn foreign_key_columns(table: &str) -> String {
    format!(
        "SELECT DISTINCT attname FROM pg_catalog.pg_constraint, pg_catalog.to_regclass({}) AS kit_table, pg_catalog.pg_attribute \
         WHERE contype = 'f' AND attrelid = kit_table AND (conrelid = kit_table AND attnum = ANY (conkey) \
         OR confrelid = kit_table AND attnum = ANY (confkey))",
        string_literal(table)
    )
}
