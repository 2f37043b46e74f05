//! Creates random tables with keys of every kind, references to other tables, columns of every type, and owners.

use std::fmt::Write as _;

use super::Random;
use super::names::{self, Names};

/// Type of a decimal number.
const DECIMAL: &str = "import(\"@kit/types\").Decimal<8, 2>";
const DECIMALS: &str = "import(\"@kit/types\").Decimal<8, 2>[]";

/// A random table.
pub struct Entity {
    pub name: String,
    pub source: String,
    /// Properties of the primary key, with their types.
    pub key: Vec<(String, &'static str)>,
    /// Tag `@storedAs` of each property of a key with several properties, or an empty text.
    stored_as: Vec<String>,
    /// Names of the properties that the database generates.
    pub made: Vec<String>,
    /// Properties by which a list may filter rows, with their types in the query.
    pub filters: Vec<(String, &'static str)>,
    /// True if the entity has an `@owner`, so that each row belongs to a user.
    pub is_owned: bool,
    /// Doc tags and type for a property of another table that refers to a row of this one. `None` if the key has
    /// several properties, because a reference has only one.
    reference: Option<(String, &'static str)>,
}

impl Entity {
    /// Returns the name of the table, without its schema.
    pub fn table(&self) -> &str {
        let (_, rest) = self.source.split_once("@table ").unwrap_or_default();
        let table = rest.split([' ', '\n']).next().unwrap_or_default();
        table.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the property that refers to another table. Returns `None` if no property or several properties refer to it.
    pub fn reference_to(&self, other: &Self) -> Option<&str> {
        let tag = format!("@references {}.", other.name);
        let lines: Vec<&str> = self.source.lines().collect();
        let pairs = lines.windows(2).filter(|pair| pair[0].contains(&tag));
        let names: Vec<&str> = pairs
            .filter_map(|pair| pair[1].trim().split([':', '?']).next())
            .collect();
        let is_composite =
            self.source.contains("@references (") && self.source.contains(&format!(") {} (", other.name));
        match names.as_slice() {
            [only] if !is_composite => Some(only),
            _ => None,
        }
    }
}

/// Creates random tables. Each may refer to itself and to the tables before it.
pub fn make(random: &mut Random, names: &mut Names) -> Vec<Entity> {
    let mut found: Vec<Entity> = Vec::new();
    for number in 0..=random.below(4) {
        let name = names.entity();
        let entity = Maker {
            random,
            before: &found,
            name: &name,
            lines: String::new(),
            key: Vec::new(),
            stored_as: Vec::new(),
            made: Vec::new(),
            filters: Vec::new(),
            reference: None,
        }
        .entity(number);
        found.push(entity);
    }
    found
}

struct Maker<'a> {
    random: &'a mut Random,
    before: &'a [Entity],
    name: &'a str,
    lines: String,
    key: Vec<(String, &'static str)>,
    stored_as: Vec<String>,
    made: Vec<String>,
    filters: Vec<(String, &'static str)>,
    reference: Option<(String, &'static str)>,
}

impl Maker<'_> {
    fn entity(mut self, number: usize) -> Entity {
        let count = self.random.below(7);
        let mut columns = names::columns(self.random, count + 9);
        self.key(&mut columns);
        let is_owned = self.random.chance(25);
        let owner = if is_owned { columns.pop() } else { None };
        if let Some(owner) = owner {
            self.line(owner, "", "string", false);
        }
        for _ in 0..self.random.below(3) {
            if let Some(name) = columns.pop() {
                self.refer(name);
            }
        }
        for _ in 0..count {
            if let Some(name) = columns.pop() {
                self.column(name);
            }
        }
        let pair = self.refer_to_composite(&mut columns);
        self.times();
        let tag = match owner {
            Some(owner) => format!(" @owner {owner} = ctx.user.id"),
            None if self.random.chance(60) => " @owner none".to_owned(),
            None => String::new(),
        };
        let table = self.table(number);
        let Self { name, lines, .. } = self;
        Entity {
            source: format!(
                "/** Row of a table. @table {table}{tag}{pair} */\nexport interface {name} {{\n{lines}}}\n"
            ),
            name: name.to_owned(),
            key: self.key,
            stored_as: self.stored_as,
            made: self.made,
            filters: self.filters,
            is_owned,
            reference: self.reference,
        }
    }

    /// Returns the table name for an entity.
    fn table(&mut self, number: usize) -> String {
        let tables = ["users", "type", "order", "mod", "self", "select", "t_t", "core"];
        let schema = self.random.pick(&["", "", "", "billing.", "Sales."]);
        if self.random.chance(20) {
            return format!(
                "{schema}{}{}",
                self.random.pick(&tables),
                ["", "_b", "_c", "_d"][number]
            );
        }
        format!("{schema}things_{number}")
    }

    fn line(&mut self, name: &str, tags: &str, r#type: &str, optional: bool) {
        let mark = if optional { "?" } else { "" };
        let comment = if tags.is_empty() {
            String::new()
        } else {
            format!("  /** {tags} */\n")
        };
        let _ = writeln!(self.lines, "{comment}  {name}{mark}: {type};");
    }

    fn key(&mut self, columns: &mut Vec<&'static str>) {
        let single = |maker: &mut Self, name: &str, tags: &str, r#type: &'static str, other: &str| {
            maker.line(name, &format!("@id {tags}"), r#type, false);
            maker.key.push((name.to_owned(), r#type));
            if tags.contains("@generated") {
                maker.made.push(name.to_owned());
            }
            maker.reference = Some((format!("{other} @references {}.{name}", maker.name), r#type));
        };
        let own = columns.pop().unwrap_or("code");
        match self.random.below(14) {
            0 | 1 => single(self, "id", "@generated uuid", "string", "@format uuid"),
            2 | 3 => single(self, "id", "@generated", "bigint", ""),
            4 => single(self, "id", "@generated @integer", "number", "@integer"),
            5 => single(self, own, "@maxLength 20", "string", "@maxLength 20"),
            6 => single(self, own, "@integer", "number", "@integer"),
            7 => single(self, own, "", "bigint", ""),
            8 => single(self, own, "@format uuid", "string", "@format uuid"),
            9 => single(self, own, "@generated uuid", "string", "@format uuid"),
            10 => single(self, "id", "@generated uuidv7", "string", "@format uuid"),
            11 => single(self, own, "@storedAs date", "string", "@storedAs date"),
            _ => self.composite(own, columns),
        }
    }

    /// Adds a primary key of two or three properties. Some of them refer to other tables.
    fn composite(&mut self, own: &'static str, columns: &mut Vec<&'static str>) {
        let parts: [(&str, &'static str); 9] = [
            ("", DECIMAL),
            ("@storedAs smallint", "number"),
            ("@storedAs date", "string"),
            ("@maxLength 10", "string"),
            ("@integer", "number"),
            ("", "bigint"),
            ("@format uuid", "string"),
            ("", "(\"de\" | \"en\")"),
            ("", "Date"),
        ];
        let mut name = own;
        for _ in 0..2 + self.random.below(2) {
            let before = self.before;
            let refers = before.last().filter(|_| self.random.chance(40));
            let reference = refers.and_then(|entity| entity.reference.clone());
            let (tags, r#type) = if let Some((tags, r#type)) = reference {
                (format!("{tags} cascade"), r#type)
            } else {
                let (tags, r#type) = parts[self.random.below(parts.len())];
                (tags.to_owned(), r#type)
            };
            self.line(name, &format!("@id {tags}"), r#type, false);
            self.key.push((name.to_owned(), r#type));
            self.stored_as.push(stored_as(&tags));
            name = columns.pop().unwrap_or("code2");
        }
        columns.push(name);
    }

    /// Adds a reference to a row of another table or of this one.
    fn refer(&mut self, name: &'static str) {
        let mut targets: Vec<(String, &'static str)> = self
            .before
            .iter()
            .filter_map(|entity| entity.reference.clone())
            .collect();
        targets.extend(self.reference.clone());
        if targets.is_empty() {
            return;
        }
        let (tags, r#type) = targets[self.random.below(targets.len())].clone();
        let own = self.reference.as_ref().is_some_and(|(own, _)| *own == tags);
        let optional = own || self.random.chance(40);
        let actions = if optional {
            vec!["set null", "cascade", "restrict", ""]
        } else {
            vec!["cascade", "restrict", ""]
        };
        let action = self.random.pick(&actions);
        let update = if self.random.chance(30) {
            " on update cascade"
        } else {
            ""
        };
        let more = if self.random.chance(20) { " @unique" } else { "" };
        let null = if optional && self.random.chance(40) {
            " | null"
        } else {
            ""
        };
        self.line(
            name,
            &format!("{tags} {action}{update}{more}"),
            &format!("{type}{null}"),
            optional,
        );
        self.filters.push((name.to_owned(), r#type));
    }

    /// Adds properties that together refer to a row with a key of several properties. Returns the tag of the interface.
    fn refer_to_composite(&mut self, columns: &mut Vec<&'static str>) -> String {
        let before = self.before;
        let Some(target) = before.iter().rfind(|entity| entity.key.len() > 1) else {
            return String::new();
        };
        if columns.len() < target.key.len() || self.random.chance(50) {
            return String::new();
        }
        let optional = self.random.chance(50);
        let (mut own, mut keys) = (Vec::new(), Vec::new());
        for ((key, _), tag) in target.key.iter().zip(&target.stored_as) {
            let Some(name) = columns.pop() else { continue };
            let r#type = format!("{}[\"{key}\"]", target.name);
            self.line(name, tag, &r#type, optional);
            own.push(name);
            keys.push(key.as_str());
        }
        let actions = if optional {
            ["set null", "cascade on update cascade"]
        } else {
            ["restrict", "on update cascade"]
        };
        let action = self.random.pick(&actions);
        format!(
            " @references ({}) {} ({}) {action}",
            own.join(", "),
            target.name,
            keys.join(", ")
        )
    }

    fn column(&mut self, name: &'static str) {
        let (tags, r#type, filter): (&str, &str, Option<&'static str>) = match self.random.below(48) {
            0..=2 => ("", "string", Some("string")),
            3 => ("@minLength 1 @maxLength 80 @unique", "string", Some("string")),
            4 => ("@format email @maxLength 200 @sensitive", "string", None),
            5 => ("@integer", "number", None),
            6 => ("@integer @minimum 0 @default 3", "number", None),
            7 => ("", "number", Some("number")),
            8 => ("", "boolean", Some("boolean")),
            9 => ("@default true", "boolean", Some("boolean")),
            10 => ("", "bigint", Some("bigint")),
            11 => ("@default 12", "bigint", None),
            12 => ("", "Date", Some("Date")),
            13 => ("@default now", "Date", None),
            14 => ("", "Uint8Array", None),
            15 => ("", "(\"red\" | \"Self\" | \"type\")", None),
            16 => ("@default red", "(\"red\" | \"\" | \"a b\")", None),
            17 => ("", "(1 | 2 | 3)", None),
            18 => ("", "string[]", None),
            19 => ("", "{ width: number; self?: string }", None),
            20 => ("", "Record<string, string>", None),
            21 => ("", "unknown", None),
            22 => ("", "`c-${number}`", None),
            23 => ("", DECIMAL, Some(DECIMAL)),
            24 => ("@default 0.5 @unique", DECIMAL, Some("string")),
            25 => ("@storedAs date", "string", Some("string")),
            26 => ("@storedAs date @default 2026-01-31", "string", None),
            27 => ("@storedAs smallint", "number", Some("number")),
            28 => ("@storedAs smallint @minimum 1 @default 7", "number", None),
            29 => ("@storedAs array", "Date[]", None),
            30 => ("@storedAs array @default []", "(\"red\" | \"Self\")[]", None),
            31 => ("@storedAs array", "bigint[]", Some("bigint[]")),
            32 => ("@storedAs array @maxItems 3", "string[]", Some("string[]")),
            33 => ("@storedAs citext", "string", Some("string")),
            34 => ("@storedAs citext @unique @maxLength 9", "string", None),
            35 => (
                "@storedAs enum color @default red",
                "(\"red\" | \"\" | \"a b\")",
                None,
            ),
            36 => ("@storedAs enum color", "(\"red\" | \"\" | \"a b\")", None),
            37 => ("@storedAs array", "number[]", Some("number[]")),
            38 => ("@storedAs array", "boolean[]", Some("boolean[]")),
            39 => ("@storedAs array @default []", DECIMALS, Some(DECIMALS)),
            40 => ("@storedAs integer @minimum -5", "number", Some("number")),
            41 => ("@storedAs integer @default 7 @unique", "number", None),
            42 => ("@minimum 0.50 @exclusiveMaximum 1000", DECIMAL, Some(DECIMAL)),
            43 => ("@exclusiveMinimum -1 @maximum 99.99 @default 0.75", DECIMAL, None),
            44 => ("@index desc nulls last", "Date", None),
            45 => ("@unique @index using hash", "string", Some("string")),
            46 => ("@storedAs array @index using gin", "string[]", Some("string[]")),
            _ => ("@unique", "bigint", Some("bigint")),
        };
        let optional = !tags.contains("@default") && self.random.chance(30);
        let null = if !tags.contains("@default") && r#type != "unknown" && self.random.chance(20) {
            " | null"
        } else {
            ""
        };
        self.line(name, tags, &format!("{type}{null}"), optional);
        if let Some(filter) = filter {
            self.filters.push((name.to_owned(), filter));
        }
    }

    /// Adds a creation time and an update time.
    fn times(&mut self) {
        if self.random.chance(50) {
            self.line("createdAt", "@generated now", "Date", false);
            self.made.push("createdAt".to_owned());
        }
        if self.random.chance(40) {
            self.line("updatedAt", "@generated now @onUpdate now", "Date", false);
            self.made.push("updatedAt".to_owned());
        }
    }
}

/// Returns the tag `@storedAs` with its argument, or an empty text.
fn stored_as(tags: &str) -> String {
    let words = tags.split_whitespace().skip_while(|word| *word != "@storedAs");
    let words: Vec<&str> = words.take(2).collect();
    words.join(" ")
}
