//! Reads which tables SQL creates, drops and renames. Needs no database.

use kit_database::{local_name, qualified, schema_of};

use crate::destructive::{Kind, Word, words_in};

/// A statement that gives a name to a table, or takes it away. Names are those of kit: `billing.invoices`. Tables of the schema
/// `public` have no schema in their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableName {
    /// The name belongs to a new table, or to a table that had another name.
    Given(String),
    /// No table has the name any more.
    Gone(String),
}

/// Returns the names of tables that SQL gives and takes away, in the order of the statements. Reads `CREATE TABLE`, `DROP TABLE`,
/// `ALTER TABLE … RENAME TO` and `ALTER TABLE … SET SCHEMA`, also in `DO` blocks, but not in functions and not in texts for `EXECUTE`.
/// Temporary tables do not count.
///
/// ```
/// use kit_migrate::{TableName, table_names};
///
/// let names = table_names("CREATE TABLE public.notes (id uuid); DROP TABLE billing.invoices");
/// let expected = [TableName::Given("notes".to_owned()), TableName::Gone("billing.invoices".to_owned())];
/// assert_eq!(names, expected);
/// ```
pub fn table_names(sql: &str) -> Vec<TableName> {
    let mut names = Vec::new();
    add(&words_in(sql), &mut names);
    names
}

fn add(words: &[Word], names: &mut Vec<TableName>) {
    for statement in words.split(|word| word.is_sign(";")) {
        let is_block = statement.first().is_some_and(|word| word.is("do"));
        for (at, word) in statement.iter().enumerate() {
            match &word.kind {
                Kind::Dollar(body) if is_block => add(&words_in(body), names),
                Kind::Plain(first) => add_at(first, &statement[at + 1..], names),
                _ => {}
            }
        }
    }
}

/// Adds the names of the command that begins with the word `first`. `rest` are the words after it, up to the end of the statement.
fn add_at(first: &str, rest: &[Word], names: &mut Vec<TableName>) {
    match first {
        "create" => {
            let rest = after(rest, &["unlogged"]).unwrap_or(rest);
            let Some(rest) = after(rest, &["table"]) else {
                return;
            };
            let rest = after(rest, &["if", "not", "exists"]).unwrap_or(rest);
            names.extend(name(rest).map(|(name, _)| TableName::Given(name)));
        }
        "drop" => {
            let Some(rest) = after(rest, &["table"]) else {
                return;
            };
            let mut rest = after(rest, &["if", "exists"]).unwrap_or(rest);
            while let Some((found, next)) = name(rest) {
                names.push(TableName::Gone(found));
                let Some((comma, next)) = next.split_first() else {
                    return;
                };
                if !comma.is_sign(",") {
                    return;
                }
                rest = next;
            }
        }
        "alter" => {
            let Some(rest) = after(rest, &["table"]) else {
                return;
            };
            let rest = after(rest, &["if", "exists"]).unwrap_or(rest);
            let rest = after(rest, &["only"]).unwrap_or(rest);
            let Some((old, rest)) = name(rest) else { return };
            let new = if let Some(rest) = after(rest, &["rename", "to"]) {
                // The table stays in its schema.
                let schema = schema_of(&old);
                first_name(rest).map(|local| qualified(schema.as_deref(), local))
            } else {
                let schema = after(rest, &["set", "schema"]).and_then(first_name);
                schema.map(|schema| in_schema(schema, &local_name(&old)))
            };
            let Some(new) = new else { return };
            names.extend([TableName::Gone(old), TableName::Given(new)]);
        }
        _ => {}
    }
}

/// Returns the words after `expected`; `None` if the words begin in another way.
fn after<'w>(words: &'w [Word], expected: &[&str]) -> Option<&'w [Word]> {
    let is_same = words.len() >= expected.len() && words.iter().zip(expected).all(|(word, one)| word.is(one));
    is_same.then(|| &words[expected.len()..])
}

/// Reads the name of a table. Returns the words after it.
fn name(words: &[Word]) -> Option<(String, &[Word])> {
    let (first, rest) = words.split_first()?;
    let first = first.name()?;
    let Some((name, rest)) = rest
        .split_first()
        .filter(|(dot, _)| dot.is_sign("."))
        .and_then(|(_, rest)| rest.split_first())
    else {
        return Some((qualified(None, first), rest));
    };
    Some((in_schema(first, name.name()?), rest))
}

/// Returns the name of kit for a table of a schema.
fn in_schema(schema: &str, table: &str) -> String {
    qualified(Some(schema).filter(|schema| *schema != "public"), table)
}

fn first_name(words: &[Word]) -> Option<&str> {
    words.first()?.name()
}

#[cfg(test)]
mod tests {
    use super::{TableName, table_names};

    /// Returns names with `+` for a given name, and `-` for one that is gone.
    fn read(sql: &str) -> String {
        let names = table_names(sql);
        let names = names.iter().map(|name| match name {
            TableName::Given(name) => format!("+{name}"),
            TableName::Gone(name) => format!("-{name}"),
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn reads_the_names_of_tables_in_each_form() {
        for (sql, expected) in [
            ("CREATE TABLE a (id int);", "+a"),
            ("create unlogged table if not exists A(id int)", "+a"),
            ("CREATE TABLE public.a (id int)", "+a"),
            ("CREATE TABLE \"public\" . \"A\" (id int)", "+A"),
            ("CREATE TABLE billing.\"a.b\" (id int)", "+billing.\"a.b\""),
            ("CREATE TABLE a AS SELECT 1", "+a"),
            ("DROP TABLE a;", "-a"),
            ("DROP TABLE IF EXISTS public.a, \"b\", c.d CASCADE;", "-a -b -c.d"),
            ("ALTER TABLE IF EXISTS ONLY a RENAME TO b;", "-a +b"),
            ("ALTER TABLE public.a RENAME TO b;", "-a +b"),
            ("ALTER TABLE c.a RENAME TO \"b.d\";", "-c.a +c.\"b.d\""),
            ("ALTER TABLE a SET SCHEMA billing;", "-a +billing.a"),
            (
                "ALTER TABLE billing.\"a.b\" SET SCHEMA public;",
                "-billing.\"a.b\" +\"a.b\"",
            ),
            ("DO $$ BEGIN DROP TABLE a; CREATE TABLE b (); END $$;", "-a +b"),
            ("DROP TABLE a; /* of all */ CREATE /* new */ TABLE a ();", "-a +a"),
        ] {
            assert_eq!(read(sql), expected, "{sql}");
        }
    }

    #[test]
    fn ignores_texts_that_change_no_table() {
        for sql in [
            "-- CREATE TABLE a ();",
            "COMMENT ON TABLE a IS 'DROP TABLE a';",
            "CREATE TEMPORARY TABLE a ();",
            "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE a $$;",
            "ALTER TABLE a RENAME COLUMN b TO c;",
            "DROP VIEW a;",
            "/* kit: abort\nDROP TABLE a;\n*/",
            "DROP TABLE",
            "",
        ] {
            assert_eq!(read(sql), "", "{sql}");
        }
    }
}
