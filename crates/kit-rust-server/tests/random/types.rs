//! Creates random types that are not tables: objects, unions with and without a discriminant, tuples, maps, strings
//! with rules, and recursive types.

use super::Random;
use super::entities::Entity;
use super::names::{self, Names, WORDS};

/// A declared type.
pub struct Declared {
    pub name: String,
    pub source: String,
}

/// Maximum depth of nested types.
const DEEPEST: usize = 3;

/// Creates random types. Each may contain the types before it.
pub fn declarations(random: &mut Random, names: &mut Names, entities: &[Entity]) -> Vec<Declared> {
    let mut known: Vec<String> = entities.iter().map(|entity| entity.name.clone()).collect();
    let mut found = Vec::new();
    for _ in 0..4 + random.below(8) {
        let name = names.r#type();
        let writer = &mut Writer {
            random,
            known: &known,
        };
        let source = writer.declaration(&name);
        known.push(name.clone());
        found.push(Declared { name, source });
    }
    found
}

/// Returns a random type for the body of a request or response. It may be a type without a name.
pub fn anonymous(random: &mut Random, known: &[String]) -> String {
    let mut writer = Writer { random, known };
    if writer.random.chance(60) && !known.is_empty() {
        return writer.name();
    }
    writer.any(1)
}

struct Writer<'a> {
    random: &'a mut Random,
    known: &'a [String],
}

impl Writer<'_> {
    fn name(&mut self) -> String {
        self.known[self.random.below(self.known.len())].clone()
    }

    fn declaration(&mut self, name: &str) -> String {
        let comment = match self.random.below(6) {
            0 => "/** One line. */\n",
            1 => {
                "/**\n * Two lines,\n *\n *     indented as code is\n *\n * ```ts\n * const x: number = 1;\n * ```\n */\n"
            }
            2 => "/** Text with `code`, [a link], \\ and \u{202e}. */\n",
            _ => "",
        };
        match self.random.below(8) {
            0 => format!("{comment}export type {name} = {};\n", self.any(0)),
            1 => format!("{comment}export type {name} = {};\n", self.union(0)),
            2 => {
                let (rules, r#type) = self.ruled();
                format!("/** {rules} */\nexport type {name} = {type};\n")
            }
            // A recursive type.
            3 => {
                let own = [
                    format!("next?: {name}"),
                    format!("children: {name}[]"),
                    format!("left: {name} | null"),
                    format!("byKey: Record<string, {name}>"),
                    format!("both: [{name}?, ...{name}[]]"),
                ];
                let own = &own[self.random.below(own.len())];
                format!(
                    "{comment}export interface {name} {{\n  {own};\n{}}}\n",
                    self.members(0, &["next", "children", "left", "byKey", "both"])
                )
            }
            4 if !self.known.is_empty() => {
                // Utility types such as `Partial`. An interface that only extends a type would be another name for
                // the same type.
                let of = self.name();
                let made = ["Partial", "Required", "Readonly"];
                let utility = self.random.pick(&made);
                format!(
                    "export type {name} = {{ of: {utility}<{{ a?: {of}; b: string }}>; list: Pick<{{ a: {of}; b: 1 }}, \"a\">[] }};\n"
                )
            }
            _ => format!(
                "{comment}export interface {name} {{\n{}}}\n",
                self.members(0, &[])
            ),
        }
    }

    /// Returns random properties of an object. None has a name in `taken`.
    fn members(&mut self, depth: usize, taken: &[&str]) -> String {
        let mut text = String::new();
        let count = 1 + self.random.below(6);
        for name in names::properties(self.random, count) {
            if taken.contains(&name) {
                continue;
            }
            text.push_str(&self.property(name, depth));
        }
        if depth == 0 && self.random.chance(8) {
            text.push_str("  [key: `x-${string}`]: string;\n");
        }
        text
    }

    fn property(&mut self, name: &str, depth: usize) -> String {
        let mut tags: Vec<String> = Vec::new();
        let mut optional = self.random.chance(25);
        let mut r#type = if self.random.chance(30) {
            let (rules, ruled) = self.ruled();
            tags.push(rules);
            ruled
        } else {
            self.any(depth + 1)
        };
        if self.random.chance(8) {
            let (fallback, of) = self.fallback();
            tags = vec![format!("@default {fallback}")];
            r#type = of;
            optional = false;
        } else if self.random.chance(12) && !r#type.contains("unknown") && !r#type.contains("null") {
            r#type = format!("{type} | null");
        }
        if self.random.chance(5) {
            tags.push("@sensitive".to_owned());
        }
        if self.random.chance(10) {
            tags.insert(0, "What it holds.".to_owned());
        }
        let comment = if tags.is_empty() {
            String::new()
        } else {
            format!("  /** {} */\n", tags.join(" "))
        };
        let mark = if optional { "?" } else { "" };
        format!("{comment}  {name}{mark}: {type};\n")
    }

    /// Returns a random default, and a type that it fits.
    fn fallback(&mut self) -> (&'static str, String) {
        let (value, r#type) = match self.random.below(12) {
            0 => ("\"text\"", "string"),
            1 => ("3.5", "number"),
            2 => ("true", "boolean"),
            3 => ("false", "boolean"),
            4 => ("now", "Date"),
            5 => ("null", "string | null"),
            6 => ("[]", "string[]"),
            7 => ("[\"b\", \"a\"]", "(\"a\" | \"b\")[]"),
            8 => (
                "{\"type\": \"a\", \"self\": [1]}",
                "{ type: string; self: number[] }",
            ),
            9 => ("5", "bigint"),
            10 => ("[1, \"x\"]", "[number, string]"),
            _ => ("Self", "\"Self\" | \"self\""),
        };
        (value, r#type.to_owned())
    }

    /// Returns random rules, and a type that can have them.
    fn ruled(&mut self) -> (String, String) {
        let (rules, r#type) = match self.random.below(12) {
            0 => ("@minLength 1 @maxLength 40", "string"),
            1 => ("@pattern ^[a-z]+$", "string"),
            2 => ("@format email", "string"),
            3 => ("@format uuid", "string"),
            4 => ("@format uri", "string"),
            5 => ("@integer", "number"),
            6 => ("@integer @minimum 0 @maximum 2147483647", "number"),
            7 => ("@exclusiveMinimum 0 @multipleOf 0.5", "number"),
            8 => ("@minItems 1 @maxItems 5", "string[]"),
            9 => ("@uniqueItems", "number[]"),
            10 => ("@maxLength 30", "`t-${string}`"),
            _ => ("@format date-time", "string"),
        };
        (rules.to_owned(), r#type.to_owned())
    }

    fn any(&mut self, depth: usize) -> String {
        if depth >= DEEPEST || self.random.chance(45) {
            return self.scalar();
        }
        match self.random.below(9) {
            0 => format!("({})[]", self.any(depth + 1)),
            1 => self.tuple(depth),
            2 => format!("Record<string, {}>", self.any(depth + 1)),
            3 => format!("{{ [key: number]: {} }}", self.any(depth + 1)),
            4 => self.union(depth),
            5 | 6 if !self.known.is_empty() => self.name(),
            _ => format!("{{\n{}}}", self.members(depth + 1, &[])),
        }
    }

    fn scalar(&mut self) -> String {
        match self.random.below(14) {
            0..=2 => "string".to_owned(),
            3 => "number".to_owned(),
            4 => "boolean".to_owned(),
            5 => "Date".to_owned(),
            6 => "Uint8Array".to_owned(),
            7 => "bigint".to_owned(),
            8 => "unknown".to_owned(),
            9 => "`v${number}-${string}`".to_owned(),
            10 => "(1 | 2 | 3)".to_owned(),
            11 => "(2n | 4n)".to_owned(),
            12 => "true".to_owned(),
            _ => self.texts(),
        }
    }

    /// Returns a random union of string literals.
    fn texts(&mut self) -> String {
        let count = 1 + self.random.below(5);
        let texts: Vec<_> = self
            .random
            .several(WORDS, count)
            .into_iter()
            .map(|text| format!("\"{text}\""))
            .collect();
        format!("({})", texts.join(" | "))
    }

    fn tuple(&mut self, depth: usize) -> String {
        let mut elements: Vec<String> = (0..self.random.below(3)).map(|_| self.any(depth + 1)).collect();
        match self.random.below(5) {
            0 => elements.push(format!("({})?", self.any(depth + 1))),
            1 => elements.push(format!("...({})[]", self.any(depth + 1))),
            2 => {
                let labels = names::WORDS_OF_LABELS;
                elements = elements
                    .iter()
                    .zip(labels)
                    .map(|(element, label)| format!("{label}: {element}"))
                    .collect();
            }
            _ => {}
        }
        format!("[{}]", elements.join(", "))
    }

    fn union(&mut self, depth: usize) -> String {
        match self.random.below(3) {
            // A union of objects with a discriminant.
            0 => {
                let tag = self.random.pick(&["kind", "type", "self", "\"is it\""]);
                let count = 2 + self.random.below(3);
                let members: Vec<_> = self
                    .random
                    .several(&WORDS[..12], count)
                    .into_iter()
                    .map(|text| format!("{{ {tag}: \"{text}\";\n{}}}", self.members(depth + 2, &[tag])))
                    .collect();
                format!("({})", members.join(" | "))
            }
            // A union of objects, each with a property that the others lack.
            1 => {
                let own = ["alpha", "Self", "type", "gamma"];
                let members: Vec<_> = self
                    .random
                    .several(&own, 2)
                    .into_iter()
                    .map(|name| {
                        format!(
                            "{{ {name}: {};\n{}}}",
                            self.any(depth + 2),
                            self.members(depth + 2, &own)
                        )
                    })
                    .collect();
                format!("({})", members.join(" | "))
            }
            _ => {
                let scalars = [
                    "string",
                    "number",
                    "boolean",
                    "null",
                    "{ a: string }",
                    "5n",
                    "string[]",
                ];
                let count = 2 + self.random.below(3);
                let mut members: Vec<_> = self.random.several(&scalars, count);
                // A bigint is a string in JSON, so a union with a string would be ambiguous.
                if members.contains(&"string") {
                    members.retain(|member| *member != "5n");
                }
                format!("({})", members.join(" | "))
            }
        }
    }
}
