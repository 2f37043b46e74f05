//! Writes SQL that creates the objects of a database again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use kit_database::sql::{beside, create_schema, identifier, relation};
use kit_database::{ForeignObject, ObjectKind};

use crate::catalog::{Catalog, CatalogObject};
use crate::drift::statement;

/// Returns SQL that creates the objects in an empty database, in an order in which each object exists before its users.
/// The SQL does not contain some objects of the kind [`ObjectKind::Other`], such as foreign tables.
pub(crate) fn dump(catalog: &Catalog) -> String {
    let mut sql = String::new();
    let schemas: BTreeSet<String> = catalog.described().filter_map(ForeignObject::schema).collect();
    for schema in schemas {
        let _ = write!(sql, "\n{};\n", create_schema(&schema));
    }
    sql + &dump_with_rows(catalog, &BTreeMap::new())
}

/// Returns SQL as [`dump`] does, for schemas that exist, with statements that insert rows, by table. They come directly after the
/// table is created: then it has no constraint, trigger or policy yet.
pub(crate) fn dump_with_rows(catalog: &Catalog, inserts: &BTreeMap<String, Vec<String>>) -> String {
    let mut sql = String::new();
    for object in ordered(catalog) {
        let described = &object.described;
        let own = statements(object, catalog);
        let inserts = match described.kind {
            ObjectKind::Table => inserts.get(&described.name).map_or(&[][..], Vec::as_slice),
            _ => &[],
        };
        let (create, later) = own.split_at(own.len().min(1));
        for statement in create.iter().chain(inserts).chain(later) {
            let _ = write!(sql, "\n{statement};\n");
        }
    }
    // The owner of a sequence is a column, which needs the sequence for its default.
    for object in catalog.described() {
        if object.kind == ObjectKind::Sequence
            && let Some((_, owner)) = definition(object).split_once(" OWNED BY ")
        {
            let _ = write!(
                sql,
                "\nALTER SEQUENCE {} OWNED BY {owner};\n",
                relation(&object.name)
            );
        }
    }
    sql
}

fn definition(object: &ForeignObject) -> &str {
    object.definition.as_deref().unwrap_or_default()
}

/// Orders the objects by their dependencies. Objects that do not depend on each other keep the order of their kinds and
/// names. If objects depend on each other in a circle, the first of them by kind comes first.
fn ordered(catalog: &Catalog) -> Vec<&CatalogObject> {
    let by_title: BTreeMap<String, usize> = catalog
        .described()
        .enumerate()
        .map(|(at, object)| (object.title(), at))
        .collect();
    let table_of = |object: &ForeignObject| {
        let owner = object.table.as_ref()?;
        by_title
            .get(&format!("table {owner}"))
            .or_else(|| by_title.get(&format!("view {owner}")))
            .copied()
    };
    // A column is created with its table, so its dependencies are those of the table.
    let unit = |at: usize| {
        let object = &catalog.objects[at].described;
        if object.kind == ObjectKind::Column {
            table_of(object).unwrap_or(at)
        } else {
            at
        }
    };
    let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); catalog.objects.len()];
    for (at, object) in catalog.described().enumerate() {
        let own = unit(at);
        let is_owned_sequence = object.kind == ObjectKind::Sequence;
        for used in &object.uses {
            let Some(used) = by_title.get(used).map(|used| unit(*used)) else {
                continue;
            };
            let of_table = catalog.objects[used].described.kind == ObjectKind::Table;
            if used != own && !(is_owned_sequence && of_table) {
                needs[own].insert(used);
            }
        }
        if object.kind != ObjectKind::Column
            && let Some(table) = table_of(object)
        {
            needs[at].insert(table);
        }
        // A foreign key needs the key of the other table, which PostgreSQL does not list as a separate dependency of an
        // index.
        if object.kind == ObjectKind::Constraint && definition(object).starts_with("FOREIGN KEY") {
            for (other, candidate) in catalog.described().enumerate() {
                let is_key = matches!(candidate.kind, ObjectKind::Constraint | ObjectKind::Index)
                    && !definition(candidate).starts_with("FOREIGN KEY");
                if is_key {
                    needs[at].insert(other);
                }
            }
        }
    }
    let mut waiting: Vec<usize> = (0..catalog.objects.len()).filter(|at| unit(*at) == *at).collect();
    waiting.sort_by_key(|at| {
        let object = &catalog.objects[*at].described;
        let rank = match object.kind {
            // Comments come after the objects that they describe.
            ObjectKind::Comment => ObjectKind::Waived,
            // Bodies of functions may name these without a recorded dependency.
            ObjectKind::Other => ObjectKind::Type,
            kind => kind,
        };
        (rank, *at)
    });
    let mut done = vec![false; catalog.objects.len()];
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let free = waiting
            .iter()
            .position(|at| needs[*at].iter().all(|used| done[*used]))
            .unwrap_or(0);
        let at = waiting.remove(free);
        done[at] = true;
        order.push(&catalog.objects[at]);
    }
    order
}

fn statements(object: &CatalogObject, catalog: &Catalog) -> Vec<String> {
    let described = &object.described;
    let name = identifier(&described.name);
    let owner = described.table.as_deref().unwrap_or_default();
    let table = relation(owner);
    let text = definition(described);
    match described.kind {
        ObjectKind::Table => create_table(described, catalog),
        ObjectKind::Sequence => {
            vec![text.split(" OWNED BY ").next().unwrap_or(text).to_owned()]
        }
        // A partition or a child table gets these with its parent.
        ObjectKind::Constraint | ObjectKind::Trigger if object.inherited => Vec::new(),
        ObjectKind::Trigger => {
            let state = [
                (" (DISABLED)", "DISABLE"),
                (" (ENABLE REPLICA)", "ENABLE REPLICA"),
                (" (ENABLE ALWAYS)", "ENABLE ALWAYS"),
            ];
            for (mark, action) in state {
                if let Some(create) = text.strip_suffix(mark) {
                    return vec![
                        create.to_owned(),
                        format!("ALTER TABLE {table} {action} TRIGGER {name}"),
                    ];
                }
            }
            vec![text.to_owned()]
        }
        ObjectKind::Rule => vec![text.trim_end_matches(';').to_owned()],
        ObjectKind::Index => {
            let valid = text.trim_end_matches(" (invalid: its creation was interrupted)");
            let mut statements = vec![statement(&ForeignObject {
                definition: Some(valid.to_owned()),
                ..described.clone()
            })];
            // The index of a partitioned table is created alone, and becomes valid with those of all partitions.
            let parent = described.uses.iter().find_map(|used| {
                let (parent, of) = used.strip_prefix("index ")?.rsplit_once(" of ")?;
                object.inherited.then(|| beside(of, parent))
            });
            if let Some(parent) = parent {
                statements.push(format!(
                    "ALTER INDEX {parent} ATTACH PARTITION {}",
                    beside(owner, &described.name)
                ));
            }
            statements
        }
        ObjectKind::Other if !text.starts_with("CREATE ") => Vec::new(),
        ObjectKind::Waived | ObjectKind::Column => Vec::new(),
        _ => vec![statement(described)],
    }
}

/// Returns the statements that create a table with its columns and settings.
fn create_table(table: &ForeignObject, catalog: &Catalog) -> Vec<String> {
    const ROW_SECURITY: &str = " ROW LEVEL SECURITY";
    const FORCE: &str = " FORCE ROW LEVEL SECURITY";
    const DISABLED: &str = " FOREIGN KEYS NOT ENFORCED (DISABLE TRIGGER ALL)";
    let name = relation(&table.name);
    let mut settings = definition(table).to_owned();
    let mut later = Vec::new();
    let mut take = |settings: &mut String, part: &str, statement: String| {
        if let Some(rest) = settings.strip_suffix(part) {
            *settings = rest.to_owned();
            later.push(statement);
        }
    };
    take(
        &mut settings,
        DISABLED,
        format!("ALTER TABLE {name} DISABLE TRIGGER ALL"),
    );
    take(
        &mut settings,
        FORCE,
        format!("ALTER TABLE {name} FORCE ROW LEVEL SECURITY"),
    );
    take(
        &mut settings,
        ROW_SECURITY,
        format!("ALTER TABLE {name} ENABLE ROW LEVEL SECURITY"),
    );
    for identity in ["FULL", "NOTHING"] {
        take(
            &mut settings,
            &format!(" REPLICA IDENTITY {identity}"),
            format!("ALTER TABLE {name} REPLICA IDENTITY {identity}"),
        );
    }
    let (kind, rest) = settings
        .split_once("TABLE")
        .map_or(("", ""), |(kind, rest)| (kind, rest));
    let columns: Vec<String> = catalog
        .objects
        .iter()
        .filter(|object| {
            object.described.kind == ObjectKind::Column
                && object.described.table.as_deref() == Some(&table.name)
                && !object.inherited
        })
        .map(|object| {
            format!(
                "{} {}",
                identifier(&object.described.name),
                definition(&object.described).trim_end_matches(" VIRTUAL")
            )
        })
        .collect();
    let create = if rest.starts_with(" PARTITION OF ") || rest.starts_with(" OF ") {
        format!("CREATE {kind}TABLE {name}{rest}")
    } else {
        let list = if columns.is_empty() {
            "()".to_owned()
        } else {
            format!("(\n  {}\n)", columns.join(",\n  "))
        };
        format!("CREATE {kind}TABLE {name} {list}{rest}")
    };
    let mut statements = vec![create];
    statements.extend(later);
    statements
}
