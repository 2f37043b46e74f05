//! Tests that a session gives the same result as a new compilation, after many random edits of random programs. `KIT_RUNS`
//! sets the number of programs.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use crate::session::{assert_same, input};
use kit_typescript::{Session, compile};

/// Number of programs. `KIT_RUNS` replaces it.
const PROGRAMS: u64 = 8;
/// Number of edits of each program.
const EDITS: usize = 25;
/// Number of type files.
const FILES: usize = 4;
/// Number of types in all files.
const TYPES: usize = 26;

/// A generator of pseudorandom numbers. It gives the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // Constants of Knuth's MMIX generator. The high bits of its numbers are the most random.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).map_or(0, |number| number % sides)
    }
}

/// Form of a type. All but [`Form::Scalar`] are objects with the properties `id` and `value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Interface,
    Table,
    Derived,
    Scalar,
}

/// A type of a program. An edit changes one of its numbers.
#[derive(Debug, Clone)]
struct Declared {
    file: usize,
    form: Form,
    is_exported: bool,
    /// Number of empty lines and comments before the type.
    space: usize,
    /// Argument of a tag.
    limit: usize,
    /// Choices of the types in the declaration.
    picks: [usize; 6],
}

/// Numbers that determine the sources of a program.
#[derive(Debug, Clone)]
struct Sources {
    types: Vec<Declared>,
    /// Types of the slots of the routes.
    slots: [usize; 12],
    has_app: bool,
    has_middleware: bool,
    renames: bool,
}

impl Sources {
    fn new(dice: &mut Dice) -> Self {
        let types = (0..TYPES).map(|index| Self::declared(dice, index)).collect();
        Self {
            types,
            slots: std::array::from_fn(|_| dice.roll(1000)),
            has_app: dice.roll(3) > 0,
            has_middleware: dice.roll(2) == 0,
            renames: dice.roll(4) == 0,
        }
    }

    fn declared(dice: &mut Dice, index: usize) -> Declared {
        let form = match dice.roll(8) {
            _ if index < 2 => Form::Interface,
            0..=2 => Form::Interface,
            3 => Form::Table,
            4 | 5 => Form::Scalar,
            _ => Form::Derived,
        };
        Declared {
            file: index * FILES / TYPES,
            form,
            is_exported: form == Form::Table || dice.roll(10) > 0,
            space: 0,
            limit: 1,
            picks: std::array::from_fn(|_| dice.roll(1000)),
        }
    }

    fn edit(&mut self, dice: &mut Dice) {
        let chosen = dice.roll(TYPES);
        let chosen = &mut self.types[chosen];
        match dice.roll(24) {
            0..=6 => chosen.limit = 1 + dice.roll(9),
            7..=9 => chosen.space = dice.roll(4),
            10 => self.slots[dice.roll(12)] = dice.roll(1000),
            11 if chosen.form != Form::Table => chosen.is_exported = !chosen.is_exported,
            12 => self.has_middleware = !self.has_middleware,
            _ => chosen.picks[dice.roll(6)] = dice.roll(1000),
        }
    }

    fn name(&self, index: usize) -> String {
        let kind = match self.types[index].form {
            Form::Interface => "Plain",
            Form::Table => "Row",
            Form::Derived => "Derived",
            Form::Scalar => "Scalar",
        };
        format!("{kind}{index}")
    }

    /// Returns the names of the types before `limit` that the file can use and that fulfil the condition.
    fn names(&self, file: usize, limit: usize, wanted: impl Fn(Form) -> bool) -> Vec<String> {
        let visible = |index: &usize| self.types[*index].file == file || self.types[*index].is_exported;
        let indexes = (0..limit).filter(visible);
        indexes
            .filter(|index| wanted(self.types[*index].form))
            .map(|index| self.name(index))
            .collect()
    }

    /// Returns the type of a property of the type `index`.
    fn property(&self, index: usize, pick: usize) -> String {
        let file = self.types[index].file;
        // Only references may be to later types, because other uses would be cycles.
        let any = self.names(file, TYPES, |form| form != Form::Scalar);
        let earlier = self.names(file, index, |form| form != Form::Scalar);
        let scalars = self.names(file, index, |form| form == Form::Scalar);
        let of = |names: &[String]| names.get(pick / 16 % names.len().max(1)).cloned();
        let (Some(any), Some(earlier)) = (of(&any), of(&earlier)) else {
            return "string".to_owned();
        };
        let scalar = of(&scalars).unwrap_or_else(|| "Date".to_owned());
        match pick % 18 {
            0 => "string".to_owned(),
            1 => "number | null".to_owned(),
            2 => any,
            3 => format!("{any}[]"),
            4 => format!("Pick<{earlier}, \"id\">"),
            5 => format!("Partial<{earlier}>"),
            6 => format!("Page<{earlier}>"),
            7 => format!("{earlier}[\"value\"]"),
            8 => scalar,
            9 => format!("keyof {earlier}"),
            10 => format!("{any} | null"),
            11 => format!("Record<string, {any}>"),
            12 => format!("{earlier} extends {{ value: string }} ? \"text\" : {earlier}"),
            13 => format!("{{ [K in keyof {earlier}]: K }}"),
            14 => format!("[{any}, {scalar}?]"),
            15 => format!("`a-${{keyof {earlier}}}`"),
            16 => "Node".to_owned(),
            _ => format!("{{ inner: {earlier}; at: Date }}"),
        }
    }

    fn declaration(&self, index: usize) -> String {
        let declared = &self.types[index];
        let Declared { limit, picks, .. } = declared;
        let (name, file) = (self.name(index), declared.file);
        let value = self.property(index, picks[0]);
        let more = self.property(index, picks[1]);
        let space = ["", "\n", "// A comment.\n\n", "\n\n/* Names Plain0. */\n"][declared.space];
        let export = if declared.is_exported { "export " } else { "" };
        let earlier = self.names(file, index, |form| form != Form::Scalar);
        let base = earlier.get(picks[2] % earlier.len().max(1));
        let rules = format!("/** @minLength {limit} */ text: string;");
        let doc = ["", "/** About it. */\n"][picks[3] % 2];
        let text = match (declared.form, base) {
            (Form::Scalar, _) => format!(
                "type {name} = {};",
                ["\"a\" | \"b\"", "\"a\" | \"c\"", "number", "`x${number}`"][picks[0] % 4]
            ),
            (Form::Derived, Some(base)) => format!(
                "type {name} = {};",
                match picks[4] % 6 {
                    0 => format!("Omit<{base}, \"id\"> & {{ id: number; extra: {more} }}"),
                    1 => format!("{base} & {{ mark: {limit} }}"),
                    2 => format!("Pick<{base}, \"id\" | \"value\">"),
                    3 => format!("{{ [K in keyof {base}]: {base}[K] }}"),
                    4 => base.clone(),
                    _ => format!(
                        "{base} extends {{ text: string }} ? {base} : Omit<{base}, \"id\"> & {{ id: string }}"
                    ),
                }
            ),
            (Form::Table, _) => format!(
                "interface {name} {{ /** @id */ id: string; value: {}; {rules} /** @references {} */ other: string }}",
                ["string", "number", "Date | null"][picks[0] % 3],
                self.reference(index, picks[5]),
            ),
            (_, Some(base)) if picks[4] % 4 == 0 => {
                format!(
                    "interface {name} extends {base} {{ own{}: {more} }}",
                    picks[5] % 3
                )
            }
            _ => {
                let mut properties = [format!("value: {value};"), format!("more?: {more};")];
                properties.rotate_left(picks[5] % 2);
                let [first, second] = properties;
                format!("interface {name} {{ id: string; {first} {rules} {second} }}")
            }
        };
        let tag = match declared.form {
            Form::Table => "/** @table */\n",
            _ => doc,
        };
        format!("{space}{tag}{export}{text}\n")
    }

    /// Returns the target of a `@references` tag.
    fn reference(&self, index: usize, pick: usize) -> String {
        let tables: Vec<usize> = (0..TYPES)
            .filter(|index| self.types[*index].form == Form::Table && self.types[*index].is_exported)
            .collect();
        let target = tables.get(pick % tables.len().max(1)).copied().unwrap_or(index);
        format!("{}.{}", self.name(target), ["id", "text"][pick / 7 % 2])
    }

    fn imports(&self, file: usize, local: Option<usize>) -> String {
        let mut text = String::new();
        for other in 0..FILES {
            let exported = (0..TYPES).filter(|index| {
                self.types[*index].file == other && self.types[*index].is_exported && local != Some(other)
            });
            let names: Vec<String> = exported.map(|index| self.name(index)).collect();
            writeln!(
                text,
                "import type {{ {} }} from \"./f{other}.types.ts\";",
                names.join(", ")
            )
            .unwrap();
        }
        if file != 0 {
            text += "import type { Node, Page } from \"./f0.types.ts\";\n";
        }
        text
    }

    fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for file in 0..FILES {
            let mut text = self.imports(file, Some(file));
            if file == 0 {
                text += "export interface Page<T> { data: T[]; total: number }\n\
                         export type Node = { below: Node[]; name: string };\n";
            }
            for index in 0..TYPES {
                if self.types[index].file == file {
                    text += &self.declaration(index);
                }
            }
            files.push((format!("f{file}.types.ts"), text));
        }
        let slot = |number: usize| {
            let names = self.names(FILES, TYPES, |form| form != Form::Scalar);
            let name = &names[self.slots[number] / 8 % names.len()];
            match self.slots[number] % 8 {
                0..=2 => name.clone(),
                3 => format!("{name}[]"),
                4 => format!("Page<{name}>"),
                5 => format!("Pick<{name}, \"id\">"),
                6 => format!("{{ found: {name}; names: string[] }}"),
                _ => format!("Renamed<{name}>"),
            }
        };
        let query = [
            "{ page?: number }",
            "Pick<Plain0, \"id\">",
            "{ at: Date; order: \"up\" | \"down\" }",
        ][self.slots[10] % 3];
        let mut routes = format!(
            "import type {{ RouteContract, Route, Reply }} from \"@kit/types\";\n{}\
             {}\n\
             type Renamed<T> = {{ of: T }};\n\
             export interface FirstRoutes {{\n\
             /** @summary Lists */ \"GET /first\": RouteContract<void, {query}, void, {}>;\n\
             \"POST /first\": RouteContract<void, void, {}, {}>;\n}}\n\
             export interface SecondRoutes {{\n\
             \"GET /second/:id\": RouteContract<{{ id: string }}, void, void, {}>;\n\
             \"PUT /second/:id\": Route<{{ params: {{ id: string }}; body: {}; response: Reply<200, {}> | Reply<202, {}> }}>;\n}}\n",
            self.imports(FILES, None),
            if self.renames {
                "import type { Plain1 as Second } from \"./f0.types.ts\";\nexport type Again = Second;"
            } else {
                ""
            },
            slot(0),
            slot(1),
            slot(2),
            slot(3),
            slot(4),
            slot(5),
            slot(6),
        );
        writeln!(
            routes,
            "export interface ThirdRoutes {{ \"GET /third\": RouteContract<void, void, void, {}> }}",
            slot(7)
        )
        .unwrap();
        files.push(("all.routes.ts".to_owned(), routes));
        if self.has_app {
            let (middleware, used) = if self.has_middleware {
                (
                    "const limit = defineWrapper<{ replies: Reply<203, Plain1>; errors: Failure<429, \"SLOW\", Plain0> }>(async (_, next) => next());\n",
                    "limit",
                )
            } else {
                ("", "")
            };
            files.push((
                "app.ts".to_owned(),
                format!(
                    "import {{ createApp, defineHandlers, defineWrapper }} from \"@kit/core\";\n\
                     import type {{ Failure, Reply }} from \"@kit/types\";\n\
                     import type {{ Plain0, Plain1 }} from \"./f0.types.ts\";\n\
                     import type {{ FirstRoutes, SecondRoutes, ThirdRoutes }} from \"./all.routes.ts\";\n\
                     {middleware}\
                     const make = (value: Plain0): Plain0 => value;\n\
                     const first = defineHandlers<FirstRoutes>({{ \"GET /first\": () => make(null!), \"POST /first\": () => null! }});\n\
                     const second = defineHandlers<SecondRoutes>({{ \"GET /second/:id\": () => null!, \"PUT /second/:id\": () => null! }});\n\
                     const third = defineHandlers<ThirdRoutes>({{ \"GET /third\": () => null! }});\n\
                     export const app = createApp({{ middleware: [{used}], routes: [{{ handlers: first }}, {{ prefix: \"/v2\", handlers: second }}, {{ handlers: third }}] }});\n"
                ),
            ));
        }
        files
    }
}

#[test]
fn session_gives_the_same_program_as_a_new_compilation_after_random_edits() {
    let programs = std::env::var("KIT_RUNS").map_or(PROGRAMS, |runs| runs.parse().unwrap());
    let (mut clean, mut partial, mut fewer) = (0, 0, 0);
    for seed in 0..programs {
        let mut dice = Dice(seed);
        let mut sources = Sources::new(&mut dice);
        let mut session = Session::default();
        for edit in 0..EDITS {
            let files = sources.files();
            let found = session.compile(&input(&files));
            let expected = compile(&input(&files));
            let about = format!(
                "program {seed}, edit {edit}: {:?}",
                session.compiled_declarations()
            );
            if edit > 0 && expected.diagnostics.is_empty() {
                clean += 1;
                if let Some(compiled) = session.compiled_declarations() {
                    partial += 1;
                    fewer += usize::from(compiled * 2 < expected.program.declarations.len());
                }
            }
            assert_same(&found, &expected, &about);
            let before = sources.clone();
            sources.edit(&mut dice);
            // An error in one program would hide the results of all later edits.
            if !compile(&input(&sources.files())).diagnostics.is_empty() && dice.roll(4) > 0 {
                sources = before;
            }
        }
    }
    println!("{clean} edits without mistakes, {partial} compiled partly, {fewer} less than half");
    assert!(
        partial * 3 > clean,
        "only {partial} of {clean} edits were compiled partly"
    );
    assert!(
        fewer * 2 > partial,
        "only {fewer} of {partial} edits compiled less than half of the program"
    );
}
