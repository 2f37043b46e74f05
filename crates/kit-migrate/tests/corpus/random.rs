//! Tests with random pairs of data models, which a seed determines. Every plan of kit must run, must end in the
//! expected tables, and must keep all values that it does not report as lost. `KIT_SEED` sets the first seed and
//! `KIT_RUNS` the number of pairs; `KIT_SECONDS` sets the duration in seconds.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use kit_database::{ChangeClass, Column, ColumnType, Rule, Schema, Table};
use kit_ir::LiteralValue;
use kit_migrate::MigrateError;

use crate::models::{between, differences, migrate, migration, schema};
use crate::support::{Release, database_on, execute, query, runs_only_if_long};

/// Pseudorandom numbers that are the same on every machine (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).expect("fewer than sides")
    }
}

/// Possible declarations of a property; `NAME` stands for the name.
const PROPERTIES: &[&str] = &[
    "NAME: string;",
    "NAME?: string;",
    "/** @maxLength 20 */ NAME: string;",
    "/** @maxLength 5 @default abc */ NAME: string;",
    "/** Said of it. @maxLength 200 @unique */ NAME?: string;",
    "/** @minLength 1 @index */ NAME: string;",
    "/** @pattern ^[a-z0-9]+$ */ NAME: string | null;",
    "/** @integer */ NAME: number;",
    "/** @integer @minimum 0 @maximum 5000000000 @default 1 */ NAME: number;",
    "/** @unique */ NAME: number | null;",
    "/** @minimum -1.5 @exclusiveMaximum 1000 */ NAME?: number;",
    "NAME: bigint;",
    "/** @index desc nulls last where id > 3 */ NAME?: bigint;",
    "/** @unique where id > 3 @index using brin */ NAME: bigint;",
    "/** @index using gin */ NAME: string[];",
    "/** @check id > 0 @index using hash */ NAME: string;",
    "/** @default true */ NAME: boolean;",
    "NAME?: boolean;",
    "/** @generated now */ NAME: Date;",
    "/** @default x */ NAME: \"x\" | \"y\";",
    "/** @default y */ NAME: \"x\" | \"y\" | \"z\";",
    "/** @default [] @maxItems 3 */ NAME: string[];",
    "NAME?: Uint8Array;",
    "/** @generated uuid */ NAME: string;",
    "/** @generated uuidv7 */ NAME: string;",
    "NAME: Decimal<6, 2>;",
    "/** @default 0.5 */ NAME: Decimal<8, 3>;",
    "/** @unique */ NAME: Decimal<5> | null;",
    "/** @storedAs smallint @default 3 */ NAME: number;",
    "/** @storedAs smallint @minimum 0 */ NAME?: number;",
    "/** @storedAs date */ NAME: string;",
    "/** @storedAs date @default 2026-01-31 */ NAME: string | null;",
    "/** @storedAs array */ NAME: string[];",
    "/** @storedAs array @default [\"x\", \"y z\"] @maxItems 3 @index using gin */ NAME: string[];",
    "/** @storedAs array */ NAME?: bigint[];",
    "/** @storedAs array @default [] */ NAME: (\"x\" | \"y\")[];",
    "/** @storedAs array */ NAME: Decimal<6, 2>[];",
    "/** @storedAs array */ NAME: number[] | null;",
    "/** @storedAs citext */ NAME: string;",
    "/** @storedAs citext @unique @maxLength 50 */ NAME: string | null;",
    "/** @storedAs citext @default none @index */ NAME: string;",
    "/** @storedAs enum x_y */ NAME: \"x\" | \"y\";",
    "/** @storedAs enum x_y @default y @index */ NAME: \"x\" | \"y\" | null;",
    "/** @storedAs enum x_y_z */ NAME: \"x\" | \"y\" | \"z\";",
    "/** @references One.id set null @index */ NAME?: number;",
    "/** @references Two.id cascade */ NAME: number | null;",
    "/** @references One.id restrict on update cascade */ NAME?: number;",
    PAIR,
];

/// Two properties that refer to a row together. The tag of the reference belongs to the interface.
const PAIR: &str = "/** @integer */ NAME?: number; /** @integer */ NAMETwin?: number;";

/// Query for the tables of the model.
const TABLES: &str =
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kit\\_%'";

/// A property: its name, its declaration and its former name.
type Property = (String, &'static str, Option<String>);

/// Properties of the entities `One`, `Two` and `Three`. An entity that is `None` does not exist in the model.
type Model = Vec<Option<Vec<Property>>>;

fn any(dice: &mut Dice) -> &'static str {
    PROPERTIES[dice.roll(PROPERTIES.len())]
}

/// Creates a random model, or a changed version of `before`, in which most properties stay and some are changed,
/// renamed, dropped or added.
fn model(dice: &mut Dice, before: Option<&Model>) -> Model {
    let mut model = Model::new();
    for number in 0..3 {
        if number == 2 && dice.roll(4) == 0 {
            model.push(None);
            continue;
        }
        let mut properties = Vec::new();
        let earlier = before.and_then(|model| model[number].as_ref());
        for (name, what, _) in earlier.into_iter().flatten() {
            match dice.roll(12) {
                0 => {}
                1 | 2 => properties.push((name.clone(), any(dice), None)),
                3 => properties.push((format!("{name}New"), *what, Some(name.clone()))),
                _ => properties.push((name.clone(), *what, None)),
            }
        }
        for name in ["a", "b", "c", "d"] {
            let known = earlier.into_iter().flatten().any(|property| property.0 == name);
            if !known && dice.roll(if before.is_some() { 4 } else { 2 }) == 0 {
                properties.push((name.to_owned(), any(dice), None));
            }
        }
        model.push(Some(properties));
    }
    model
}

fn types(model: &Model) -> String {
    let mut text = "import type { Decimal } from \"@kit/types\";\n".to_owned();
    for (number, entity) in ["One", "Two", "Three"].into_iter().enumerate() {
        let Some(properties) = &model[number] else {
            continue;
        };
        let mut tags = format!("@table {}", entity.to_lowercase());
        for (name, what, _) in properties {
            if *what == PAIR {
                let _ = write!(
                    tags,
                    " @references ({name}, {name}Twin) One (id, twin) set null on update cascade"
                );
            }
        }
        let mut twin = "";
        if number == 0 {
            tags.push_str(" @unique one_twins (id, twin)");
            twin = " /** @integer @default 0 */ twin: number;";
        }
        let _ = writeln!(
            text,
            "/** {tags} */\nexport interface {entity} {{\n  /** @id @integer */ id: number;{twin}",
        );
        for (name, what, former) in properties {
            let property = what.replace("NAME", name);
            let property = match (former, property.split_once(" */")) {
                (None, _) => property,
                (Some(former), Some((tags, rest))) => format!("{tags} @renamedFrom {former} */{rest}"),
                (Some(former), None) => format!("/** @renamedFrom {former} */ {property}"),
            };
            let _ = writeln!(text, "  {property}");
        }
        text.push_str("}\n");
    }
    text
}

/// Returns a value of a column in SQL, different for each row.
fn value(table: &Table, column: &Column, row: u32, dice: &mut Dice) -> String {
    let refers = table
        .foreign_keys
        .iter()
        .any(|key| key.columns.contains(&column.name));
    if refers || (column.nullable && dice.roll(3) == 0) {
        return "NULL".to_owned();
    }
    let listed = table.checks.iter().find_map(|check| match &check.rule {
        Rule::Values(values) if check.column == column.name => Some(values),
        _ => None,
    });
    if let Some(values) = listed {
        return match &values[dice.roll(values.len())] {
            LiteralValue::String(text) => format!("'{text}'"),
            other => panic!("no property has such values: {other:?}"),
        };
    }
    let elements = table.checks.iter().find_map(|check| match &check.rule {
        Rule::Elements(elements) if check.column == column.name => Some(elements),
        _ => None,
    });
    if let Some(elements) = elements {
        return match elements.values.as_slice() {
            [LiteralValue::String(text), ..] => format!("'{{{text}}}'"),
            _ if dice.roll(3) == 0 => "'{}'".to_owned(),
            _ => format!("'{{{row},{}}}'", row + 1),
        };
    }
    match column.r#type {
        ColumnType::Array { .. } => panic!("an array has a rule for its elements"),
        ColumnType::Text | ColumnType::Varchar { .. } | ColumnType::Citext if dice.roll(3) == 0 => {
            format!("'{row}'")
        }
        ColumnType::Varchar { length } if length > 10 => format!("'longer{row}'"),
        ColumnType::Text | ColumnType::Varchar { .. } | ColumnType::Citext => format!("'w{row}'"),
        ColumnType::Uuid => format!("'0190163d-8694-739b-aea5-{row:012}'"),
        ColumnType::Boolean => "false".to_owned(),
        ColumnType::Enum { .. } => format!("'{}'", column.labels[row as usize % column.labels.len()]),
        ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt | ColumnType::BigIntExact => {
            row.to_string()
        }
        ColumnType::Numeric { scale: 0, .. } => row.to_string(),
        ColumnType::Date => format!("'2026-01-0{row}'"),
        ColumnType::Numeric { .. } | ColumnType::DoublePrecision => format!("{row}.{}", dice.roll(2) * 5),
        ColumnType::Timestamp | ColumnType::Timestamptz => format!("'2026-01-0{row} 01:02:03.456789'"),
        ColumnType::Jsonb => format!("'[\"{row}\"]'"),
        ColumnType::Bytes => format!("'\\x0{row}'"),
    }
}

fn fill(schema: &Schema, dice: &mut Dice) -> String {
    let mut sql = String::new();
    for table in &schema.tables {
        for row in 1..=3 {
            let values: Vec<String> = table
                .columns
                .iter()
                .map(|column| match column.name.as_str() {
                    "id" => row.to_string(),
                    _ => value(table, column, row, dice),
                })
                .collect();
            let _ = writeln!(sql, "INSERT INTO {} VALUES ({});", table.name, values.join(", "));
        }
    }
    sql
}

/// Returns all values of a column as text, in the order of the ids.
fn values(url: &str, table: &str, column: &str) -> Vec<String> {
    query(
        url,
        &format!("SELECT \"{column}\"::text FROM {table} ORDER BY id"),
    )
}

/// Returns the columns that both schemas have with the same stored type, as (table, former column, column).
fn kept<'a>(before: &'a Schema, after: &'a Schema) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut kept = Vec::new();
    for table in &after.tables {
        let Some(was) = before.table(&table.name) else {
            continue;
        };
        for column in &table.columns {
            let former = column.source.renamed_from.as_deref().unwrap_or(&column.name);
            if let Some(former) = was.column(former)
                && former.r#type.is_stored_as(column.r#type)
            {
                kept.push((table.name.as_str(), former.name.as_str(), column.name.as_str()));
            }
        }
    }
    kept
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn migrates_between_random_models_on_postgresql_16() {
    random_pairs(
        Release::Oldest,
        "migrates_between_random_models_on_postgresql_16",
        1_001,
        24,
    );
}

#[test]
fn migrates_between_random_models_on_postgresql_18() {
    const TEST: &str = "migrates_between_random_models_on_postgresql_18";
    if runs_only_if_long(TEST) {
        random_pairs(Release::Embedded, TEST, 1, 24);
    }
}

/// Number of pairs to test, or the duration of the test if one is set.
struct Extent {
    runs: u64,
    time: Option<Duration>,
    begun: Instant,
}

impl Extent {
    fn of(usual: u64) -> Self {
        Self {
            runs: number("KIT_RUNS").unwrap_or(usual),
            time: number("KIT_SECONDS").map(Duration::from_secs),
            begun: Instant::now(),
        }
    }

    fn goes_on(&self, done: u64) -> bool {
        self.time
            .map_or(done < self.runs, |time| self.begun.elapsed() < time)
    }
}

#[allow(clippy::print_stdout)] // prints the number of tests of a soak
fn random_pairs(release: Release, test: &str, first: u64, runs: u64) {
    let first = number("KIT_SEED").unwrap_or(first);
    let extent = Extent::of(runs);
    let Some(server) = database_on(release, test) else {
        return;
    };
    let (mut applied, mut stopped, mut half_way, mut refused) = (0, 0, 0, 0);
    for seed in (first..).take_while(|seed| extent.goes_on(seed - first)) {
        let mut dice = Dice(seed);
        let was = model(&mut dice, None);
        let earlier = types(&was);
        let before = schema(&earlier);
        let later = types(&model(&mut dice, Some(&was)));
        let after = schema(&later);
        let plan = match between(Some(&before), &after) {
            Ok(plan) => plan,
            Err(error) => {
                for problem in &error.problems {
                    assert!(
                        problem.message.starts_with("its type changes"),
                        "seed {seed}: {error}"
                    );
                }
                refused += 1;
                continue;
            }
        };
        let story = || {
            format!(
                "seed {seed} (KIT_SEED={seed} KIT_RUNS=1)\n{earlier}\nto\n{later}\n{}",
                plan.sql()
            )
        };
        let database = database_on(release, test).expect("the server runs");
        let url = &database.url;
        let beginning = migration(1, &between(None, &before).expect("a plan"));
        migrate(url, std::slice::from_ref(&beginning)).unwrap_or_else(|error| panic!("{error}\n{earlier}"));
        execute(url, &fill(&before, &mut dice));
        let kept = kept(&before, &after);
        let stored: Vec<Vec<String>> = kept
            .iter()
            .map(|(table, former, _)| values(url, table, former))
            .collect();
        let migrations = [beginning, migration(2, &plan)];
        let outcome = migrate(url, &migrations);
        let needs_data = plan
            .changes
            .iter()
            .any(|step| step.class == ChangeClass::NeedsData);
        match outcome {
            Ok(()) => {
                applied += 1;
                assert_eq!(differences(url, &after), [""; 0], "{}", story());
                assert!(between(Some(&after), &after).expect("a plan").is_empty());
                for ((table, _, column), stored) in kept.iter().zip(&stored) {
                    assert_eq!(
                        values(url, table, column),
                        *stored,
                        "{table}.{column} of {}",
                        story()
                    );
                }
            }
            // Some rows can only be checked when steps are complete. The next run continues after the rows are corrected.
            Err(MigrateError::Statement {
                before: 1.., source, ..
            }) => {
                half_way += 1;
                assert!(needs_data, "{source}\n{}", story());
                execute(
                    url,
                    &format!("TRUNCATE {} CASCADE", query(url, TABLES).join(", ")),
                );
                migrate(url, &migrations).unwrap_or_else(|error| panic!("{error}\n{}", story()));
                assert_eq!(differences(url, &after), [""; 0], "{}", story());
            }
            Err(error) => {
                stopped += 1;
                assert!(needs_data, "{error}\n{}", story());
                assert_eq!(differences(url, &before), [""; 0], "{}", story());
                for ((table, former, _), stored) in kept.iter().zip(&stored) {
                    assert_eq!(
                        values(url, table, former),
                        *stored,
                        "{table}.{former} of {}",
                        story()
                    );
                }
            }
        }
    }
    let all = applied + stopped + half_way + refused;
    println!(
        "{all} pairs from seed {first}: {applied} applied, {stopped} stopped by their rows, {half_way} continued after their rows \
         were deleted, {refused} refused"
    );
    assert!(all < 24 || (applied > 2 && stopped > 2 && refused > 2));
    drop(server);
}
