//! Plans a change of tables in two halves, between which the old and the new build of an application run side by side.
//!
//! The first half, expand, adds new columns beside the old ones, and a trigger that keeps them equal in meaning:
//! if the old build writes, the trigger fills the new columns, and if the new build writes, it fills the old columns. The second half,
//! contract, removes the trigger and the old columns. A third part, abort, undoes the first half.
//!
//! Both halves are ordinary plans: from the last snapshot to tables with the columns of both builds, and from these tables
//! to the types.

mod abort;
mod kept;
mod links;
mod pair;
mod refuse;
mod script;
mod shape;
mod sync;
mod values;

use std::collections::BTreeSet;

use crate::diff::enums;
use crate::sql::{
    ABORT, CONTRACT, IN_BATCHES_WITHOUT_TRIGGERS, Statement, TableAction, alter, identifier, relation,
    string_literal,
};
use crate::{
    Change, ChangeClass, Check, ColumnType, Expansion, ForeignObject, ObjectKind, Plan, PlanError,
    PlannedChange, Problem, Schema, Snapshot, Table, local_name, plan,
};

use crate::online::unknown_objects;
use abort::abort;
use links::Links;
use pair::{Pair, names_of};
use script::Script;
use shape::Shape;

/// SQL expression for a column of one build, computed from the columns of the other build: `people.first_name=split_part(name, ' ', 1)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Using {
    /// Name of the table.
    pub table: String,
    /// Name of the column.
    pub column: String,
    /// The expression. Names of columns refer to the same row.
    pub sql: String,
}

impl Using {
    /// Reads the form `TABLE.COLUMN=SQL`.
    ///
    /// ```
    /// use kit_database::Using;
    ///
    /// let using = Using::parse("people.first_name=split_part(name, ' ', 1)").unwrap();
    /// assert_eq!((using.table.as_str(), using.column.as_str()), ("people", "first_name"));
    /// assert!(Using::parse("people.first_name=lower(name").unwrap_err().contains("has a `(`"));
    /// ```
    ///
    /// # Errors
    /// Returns a description of the mistake.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` does not have the form TABLE.COLUMN=SQL");
        let (place, sql) = text.split_once('=').ok_or_else(form)?;
        let (table, column) = place.trim().rsplit_once('.').ok_or_else(form)?;
        if table.is_empty() || column.is_empty() {
            return Err(form());
        }
        if let Some(problem) = crate::sql::fragment_problem(sql) {
            return Err(format!("the SQL of {place} {problem}"));
        }
        Ok(Self {
            table: table.to_owned(),
            column: column.to_owned(),
            sql: sql.trim().to_owned(),
        })
    }
}

/// Plans a migration in two halves. `using` has the expressions for columns that are not renamed.
///
/// # Errors
/// Returns a [`PlanError`] if a change cannot be made in two halves, or if an expression is missing.
pub fn expand(
    previous: Option<&Snapshot>,
    next: &Schema,
    using: &[Using],
) -> Result<(Plan, Expansion), PlanError> {
    let whole = plan(previous, next)?;
    let empty = Snapshot::default();
    let previous = previous.unwrap_or(&empty);
    let mut problems = Vec::new();
    if !whole.changes.iter().any(PlannedChange::breaks_running_app) {
        problems.push(Problem {
            place: "migrations".to_owned(),
            message: "no change breaks the running application, so the migration needs no second half"
                .to_owned(),
            help: "leave out `--expand`".to_owned(),
        });
        return Err(PlanError { problems });
    }
    let shape = Shape::new(previous, &whole, &mut problems);
    let links = Links::new(&shape, using, &mut problems);
    if !problems.is_empty() {
        return Err(PlanError { problems });
    }
    let halves = Halves::new(previous, &whole, &shape, &links)?;
    let mut foreign = previous.foreign().to_vec();
    let extension = ForeignObject::citext();
    let mut columns = halves.between.iter().flat_map(|table| &table.columns);
    // The first half creates the extension.
    if columns.any(|column| column.r#type == ColumnType::Citext)
        && !foreign.iter().any(|object| object.is_same_object(&extension))
    {
        foreign.push(extension);
    }
    let expansion = Expansion {
        sql: String::new(),
        tables: halves.between.iter().map(Snapshot::without_entity).collect(),
        foreign,
        objects: halves.objects,
        only_new: only_new(&shape, &links),
        undo_checks: links.undo_checks(),
    };
    let plan = Plan {
        changes: changes(whole.changes.clone(), &links),
        statements: halves.statements,
        ..whole
    };
    Ok((plan, expansion))
}

/// Returns the changes as the migration makes them: columns that replace each other are one change, which loses nothing.
fn changes(planned: Vec<PlannedChange>, links: &Links<'_>) -> Vec<PlannedChange> {
    let mut replaced = BTreeSet::new();
    let mut changes = Vec::new();
    for mut step in planned {
        // The old and the new build have columns of different types.
        if let Change::RenameEnum { .. } = step.change {
            continue;
        }
        let place = match &step.change {
            Change::DropColumn { table, column } => Some((table.clone(), column.clone())),
            Change::AddColumn { table, column } => Some((table.clone(), column.name.clone())),
            _ => None,
        };
        if let Some((table, column)) = place {
            if let Some(group) = links.group_of(&table, &column) {
                if replaced.insert(group.title()) {
                    changes.push(PlannedChange {
                        change: Change::ReplaceColumns {
                            table,
                            from: group.old.iter().map(|column| column.name.clone()).collect(),
                            to: group.new.iter().map(|column| column.name.clone()).collect(),
                        },
                        class: ChangeClass::NeedsData,
                        reason: "the migration stops and changes nothing if the new columns cannot give back a value of the old ones"
                            .to_owned(),
                        alternative: None,
                    });
                }
                continue;
            }
            if let (Change::AddColumn { .. }, Some(sql)) = (&step.change, links.fill(&table, &column)) {
                step.class = ChangeClass::Safe;
                step.reason =
                    format!("rows without a value get {sql}, in batches while the application runs");
            }
        }
        if step.change.breaks_running_app() {
            "both builds run between `kit migrate:expand` and `kit migrate:contract`"
                .clone_into(&mut step.reason);
        }
        step.alternative = None;
        changes.push(step);
    }
    changes
}

/// Returns the tables that need a trigger, with their old names.
fn synchronized<'a>(shape: &Shape<'a>, links: &Links<'_>) -> Vec<&'a Table> {
    let tables = shape.pairs.iter().map(|pair| pair.before);
    tables
        .filter(|table| links.is_synchronized(&table.name))
        .collect()
}

/// Returns the tables and columns whose values only the new build knows.
fn only_new(shape: &Shape<'_>, links: &Links<'_>) -> Vec<String> {
    let columns = shape.pairs.iter().flat_map(|pair| {
        pair.added()
            .filter(|column| links.group_of(&pair.after.name, &column.name).is_none())
            .map(|column| format!("{}.{}", pair.before.name, column.name))
    });
    shape
        .created()
        .map(|table| table.name.clone())
        .chain(columns)
        .collect()
}

/// Statements of both halves.
struct Halves {
    statements: Vec<Statement>,
    /// Tables between the halves.
    between: Vec<Table>,
    /// Titles of the triggers, functions and views.
    objects: Vec<String>,
}

impl Halves {
    fn new(
        previous: &Snapshot,
        whole: &Plan,
        shape: &Shape<'_>,
        links: &Links<'_>,
    ) -> Result<Self, PlanError> {
        let columns = shape.with_columns();
        let between = shape.between();
        let foreign = || previous.foreign().to_vec();
        let schema = |tables: &[Table]| Schema {
            tables: tables.to_vec(),
        };
        let snapshot = |tables: &[Table]| Snapshot::recorded(None, tables.to_vec(), foreign(), None);
        let add = plan(Some(&snapshot(previous.tables())), &schema(&columns))?;
        let constrain = plan(Some(&snapshot(&columns)), &schema(&between))?;
        let (completed, without_old) = shape.contracted(&between);
        let complete = plan(Some(&snapshot(&between)), &schema(&completed))?;
        let rest = plan(
            Some(&snapshot(&shape.renamed(&without_old))),
            &schema(&whole.tables),
        )?;
        let mut script = Script::default();
        let mut objects = Vec::new();
        let known = |tables: &[Table]| -> Vec<Statement> {
            let pairs = shape.pairs.iter();
            pairs
                .flat_map(|pair| removed_are_known(pair, tables, &[]))
                .collect()
        };
        let mut checks = known(previous.tables());
        checks.extend(links.default_checks());
        checks.extend(links.checks());
        script.transaction(checks);
        script.plan(add.statements);
        for table in synchronized(shape, links) {
            let name = sync::name(&table.name);
            script.transaction(sync::create(table, links));
            objects.push(format!("trigger {name} of {}", table.name));
            objects.push(format!("function {name}()"));
        }
        for update in links.updates() {
            script.one(IN_BATCHES_WITHOUT_TRIGGERS, Statement::Text(update));
        }
        script.plan(constrain.statements);
        for (from, to) in shape.renamed_tables() {
            script.transaction(view(from, to));
            objects.push(format!("view {}", to.name));
        }
        if script.0.is_empty() {
            script.transaction(vec![
                Statement::Remark(vec!["The new build can use the tables as they are.".to_owned()]),
                Statement::Text("SELECT 'nothing to add'".to_owned()),
            ]);
        }
        script.half(CONTRACT);
        // All checks come before the first change.
        let mut complete = complete.statements;
        let is_check = |statement: &Statement| matches!(statement, Statement::Guard { .. });
        let checked = complete.iter().position(|one| !is_check(one));
        let changes = complete.split_off(checked.unwrap_or(complete.len()));
        let mut checks = known(&between);
        checks.extend(shape.pairs.iter().flat_map(|pair| links.losses(pair.before)));
        checks.extend(complete);
        script.transaction(checks);
        script.plan(changes);
        for pair in &shape.pairs {
            script.keep_values(pair.before, links);
        }
        for (pair, table) in shape.pairs.iter().zip(&between) {
            script.transaction(remove_old(pair, table, &between, links));
        }
        let drops =
            |change: &Change, name: &str| matches!(change, Change::DropEnum { name: own } if own == name);
        let dropped = unused_types(previous, &whole.tables)
            .filter(|name| !rest.changes.iter().any(|step| drops(&step.change, name)))
            .flat_map(|name| Change::DropEnum { name }.statements());
        let dropped: Vec<Statement> = dropped.collect();
        script.plan(rest.statements);
        script.transaction(dropped);
        // A comment, so that other programs can run the file too.
        let new_types: Vec<String> = enums(&whole.tables)
            .into_keys()
            .filter(|name| !enums(previous.tables()).contains_key(name) && !is_foreign_type(previous, name))
            .collect();
        let abort = crate::sql::print(&abort(shape, links, &new_types));
        if abort.contains("*/") || abort.contains("/*") {
            let problem = Problem {
                place: "migrations".to_owned(),
                message: "a name contains the beginning or the end of a comment in SQL".to_owned(),
                help: "make this change without `--expand`".to_owned(),
            };
            return Err(PlanError {
                problems: vec![problem],
            });
        }
        script.0.push(Statement::Note(format!("{ABORT}\n\n{abort}*/")));
        Ok(Self {
            statements: script.0,
            between,
            objects,
        })
    }
}

/// Returns the enum types that no column has after the migration and that no hand-written SQL uses.
fn unused_types(previous: &Snapshot, tables: &[Table]) -> impl Iterator<Item = String> {
    let used = enums(tables);
    let mut former = enums(previous.tables());
    former.retain(|name, _| {
        let title = format!("type {name}");
        let is_used = previous
            .foreign()
            .iter()
            .any(|object| object.uses.contains(&title));
        !used.contains_key(name) && !is_used
    });
    former.into_keys()
}

/// Returns true if hand-written SQL created the type.
fn is_foreign_type(previous: &Snapshot, name: &str) -> bool {
    let mut objects = previous.foreign().iter();
    objects.any(|object| object.kind == ObjectKind::Type && object.name == name)
}

/// Returns the statements that stop the migration if something that kit does not know uses a column that only the old build
/// uses, because PostgreSQL would remove it with the column. `tables` are the present tables, and `kept` are further constraints
/// of kit.
fn removed_are_known(pair: &Pair<'_>, tables: &[Table], kept: &[Check]) -> Vec<Statement> {
    let mut known = known_objects(pair.before, tables);
    known.extend(kept.iter().map(|check| check.name.clone()));
    let columns = pair.removed();
    columns
        .map(|column| {
            let (table, column) = (pair.before.name.as_str(), column.name.as_str());
            let message = format!(
                "{table}.{column} cannot be removed, because these use the column, and kit did not create them: "
            );
            unknown_objects((table, column), &known, &message)
        })
        .collect()
}

/// Returns the names of the constraints and indexes that kit knows and that may use a column of a table.
fn known_objects(table: &Table, tables: &[Table]) -> Vec<String> {
    let own = tables.iter().filter(|other| other.name == table.name);
    let own = own.flat_map(|table| names_of(table).map(str::to_owned));
    let keys = tables.iter().flat_map(|other| &other.foreign_keys);
    let keys = keys.filter(|key| key.table == table.name);
    std::iter::once(table.primary_key_name())
        .chain(own)
        .chain(keys.map(|key| key.name.clone()))
        .collect()
}

/// Returns the statements that remove the trigger and the old columns of a table in one transaction, so that no row
/// can lose a value.
fn remove_old(pair: &Pair<'_>, between: &Table, tables: &[Table], links: &Links<'_>) -> Vec<Statement> {
    let table = pair.before;
    let mut statements = links.losses_in_lock(table);
    statements.extend(removed_are_known(pair, tables, &links.kept_constraints(table)));
    if links.is_synchronized(&table.name) {
        statements.extend(sync::remove(table));
    }
    let drops = pair.removed();
    statements.extend(drops.map(|column| alter(&table.name, TableAction::DropColumn(column.name.clone()))));
    statements.extend(pair.rename_constraints(between));
    if table.name != pair.after.name {
        statements.extend(rename(table, pair.after));
    }
    statements
}

/// Returns the statements that let the new build use a table by its new name. Rights on the table hold for the view too.
fn view(from: &Table, to: &Table) -> Vec<Statement> {
    let columns: Vec<String> = to.columns.iter().map(|column| identifier(&column.name)).collect();
    let (old, new) = (relation(&from.name), relation(&to.name));
    vec![
        Statement::Remark(vec![format!(
            "The new build uses {} by its new name, {}.",
            from.name, to.name
        )]),
        Statement::Text(format!(
            "CREATE VIEW {new} WITH (security_invoker = true) AS SELECT {} FROM {old}",
            columns.join(", ")
        )),
        Statement::Text(format!(
            "DO $kit$\nDECLARE\n  granted record;\nBEGIN\n  \
             FOR granted IN SELECT privilege_type, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role\n    \
             FROM pg_class, aclexplode(relacl) WHERE oid = {}::regclass AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')\n  \
             LOOP\n    EXECUTE format('GRANT %s ON {} TO %s', granted.privilege_type, granted.role);\n  END LOOP;\nEND\n$kit$",
            string_literal(&old),
            new.replace('%', "%%").replace('\'', "''")
        )),
    ]
}

/// Returns the statements that put the table in the place of its view.
fn rename(from: &Table, to: &Table) -> Vec<Statement> {
    let mut statements = vec![
        Statement::Text(format!("DROP VIEW {}", relation(&to.name))),
        alter(&from.name, TableAction::Rename(local_name(&to.name).into_owned())),
    ];
    let (old, new) = (from.primary_key_name(), to.primary_key_name());
    if old != new {
        statements.push(alter(
            &to.name,
            TableAction::RenameConstraint { from: old, to: new },
        ));
    }
    statements
}
