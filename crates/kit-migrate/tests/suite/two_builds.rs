//! Tables and migrations for tests of migrations in two halves.
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_database::{
    Check, Column, ColumnDefault, ColumnSource, ColumnType, Index, Migration, Rule, Schema, Table, Using,
    expand, plan,
};
use kit_migrate::{Half, MigrateError, Options, Report, State, apply, status};

/// Returns a required column without a default.
pub(crate) fn column(name: &str, r#type: ColumnType) -> Column {
    Column {
        name: name.to_owned(),
        r#type,
        nullable: false,
        default: None,
        comment: None,
        labels: Vec::new(),
        source: ColumnSource::default(),
    }
}

pub(crate) fn nullable(column: Column) -> Column {
    Column {
        nullable: true,
        ..column
    }
}

pub(crate) fn with_default(column: Column, default: &str) -> Column {
    let text = kit_ir::LiteralValue::String(default.into());
    Column {
        default: Some(ColumnDefault::Literal(text)),
        ..column
    }
}

pub(crate) fn renamed(from: &str, column: Column) -> Column {
    Column {
        source: ColumnSource {
            renamed_from: Some(from.to_owned()),
            ..ColumnSource::default()
        },
        ..column
    }
}

pub(crate) fn table(name: &str, columns: Vec<Column>) -> Table {
    let id = Column {
        default: Some(ColumnDefault::RandomUuid),
        ..column("id", ColumnType::Uuid)
    };
    Table {
        name: name.to_owned(),
        entity: String::new(),
        renamed_from: None,
        comment: None,
        columns: std::iter::once(id).chain(columns).collect(),
        primary_key: vec!["id".to_owned()],
        key_name: None,
        kept_names: std::collections::BTreeSet::default(),
        uniques: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        tenant: None,
        indexes: Vec::new(),
    }
}

pub(crate) fn indexed(table: Table, column: &str) -> Table {
    let index = Index {
        name: format!("{}_{column}_idx", table.name),
        columns: vec![column.to_owned()],
        ..Index::default()
    };
    Table {
        indexes: vec![index],
        ..table
    }
}

pub(crate) fn schema(tables: &[Table]) -> Schema {
    Schema {
        tables: tables.to_vec(),
    }
}

pub(crate) fn first(tables: &[Table]) -> Migration {
    let plan = plan(None, &schema(tables)).unwrap();
    Migration::create("20260101000001", "first", &plan, None).unwrap()
}

pub(crate) fn in_two_halves(number: u32, before: &Migration, tables: &[Table], using: &[&str]) -> Migration {
    let using: Vec<Using> = using.iter().map(|text| Using::parse(text).unwrap()).collect();
    let previous = before.snapshot.as_ref();
    let (plan, expansion) =
        expand(previous, &schema(tables), &using).unwrap_or_else(|error| panic!("{error}"));
    let timestamp = format!("2026010100000{number}");
    Migration::in_two_halves(&timestamp, "next", &plan, expansion, previous).unwrap()
}

#[allow(clippy::result_large_err)] // a test looks at one at a time
pub(crate) fn run(url: &str, migrations: &[Migration], half: Half) -> Result<Report, MigrateError> {
    run_with(url, migrations, half, false)
}

#[allow(clippy::result_large_err)] // a test looks at one at a time
pub(crate) fn run_with(
    url: &str,
    migrations: &[Migration],
    half: Half,
    allow_destructive: bool,
) -> Result<Report, MigrateError> {
    let options = Options {
        half,
        allow_destructive,
        ..Options::default()
    };
    apply(url, migrations, &options)
}

pub(crate) fn last_state(url: &str, migrations: &[Migration]) -> State {
    let status = status(url, migrations).unwrap();
    status.migrations.last().unwrap().state.clone()
}

/// Checks that the live tables are as the migrations describe them, and returns the state of the last migration.
pub(crate) fn clean(url: &str, migrations: &[Migration]) -> State {
    let status = status(url, migrations).unwrap();
    let drift = status.drift.unwrap_or_else(|reason| panic!("{reason}"));
    assert_eq!(drift.differences, []);
    assert_eq!(drift.unknown, Vec::<String>::new());
    status.migrations.last().unwrap().state.clone()
}

pub(crate) fn people() -> Table {
    let name = column("name", ColumnType::Varchar { length: 100 });
    indexed(
        table(
            "people",
            vec![
                name,
                column("cents", ColumnType::Integer),
                Column {
                    default: Some(ColumnDefault::Literal(kit_ir::LiteralValue::String(
                        "open".into(),
                    ))),
                    ..column("state", ColumnType::Text)
                },
            ],
        ),
        "state",
    )
}

/// Returns the table with a list of the values of the state.
pub(crate) fn with_states(table: Table, states: &[&str]) -> Table {
    let literal = |state: &&str| kit_ir::LiteralValue::String((*state).into());
    Table {
        checks: vec![Check {
            name: "people_state_check".to_owned(),
            column: "state".to_owned(),
            rule: Rule::Values(states.iter().map(literal).collect()),
        }],
        ..table
    }
}

/// The same table with a split name, an amount of another type and a renamed state.
pub(crate) fn next_people() -> Table {
    let part = |name| column(name, ColumnType::Varchar { length: 100 });
    indexed(
        table(
            "people",
            vec![
                part("first_name"),
                part("last_name"),
                renamed("cents", column("amount", ColumnType::Text)),
                renamed(
                    "state",
                    Column {
                        default: Some(ColumnDefault::Literal(kit_ir::LiteralValue::String(
                            "open".into(),
                        ))),
                        ..column("status", ColumnType::Text)
                    },
                ),
            ],
        ),
        "status",
    )
}

pub(crate) const SPLIT: [&str; 3] = [
    "people.first_name=split_part(name, ' ', 1)",
    "people.last_name=substr(name, strpos(name || ' ', ' ') + 1)",
    "people.name=trim(first_name || ' ' || last_name)",
];

pub(crate) const ROWS: &str =
    "INSERT INTO people (name, cents) SELECT 'Ada L' || n, n FROM generate_series(1, 500) AS n";
