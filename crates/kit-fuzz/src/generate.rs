//! Generator of random TypeScript without syntax errors: declarations that refer to each other, with doc tags and every
//! construct of types. Random bytes almost never pass the parser, but these programs are evaluated.

use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};

/// Maximum depth of nested types. Another test covers deeper types.
const DEEPEST: u32 = 5;

/// Names of the declarations. The first two are generic.
const NAMES: [&str; 8] = ["G0", "G1", "A", "B", "C", "D", "E", "F"];
const GENERIC: usize = 2;

/// Generates a source file with declarations. After all random bytes are used, the declarations are simple, but have no
/// syntax errors.
pub fn source(bytes: &mut Unstructured<'_>) -> String {
    let mut text = String::new();
    text.push_str("import type { Decimal } from \"@kit/types\";\n");
    let values = ["const", "\"a\"", "1"];
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "export const value = {{ a: \"x\", b: [1, {{ c: true }}], n: null }} as {};",
        values[0]
    );
    text.push_str(
        "export enum Color { Red = \"red\", Blue = \"blue\" }\nexport enum Count { Zero, One, Many = 10 }\n",
    );
    for (index, name) in NAMES.iter().enumerate() {
        declaration(bytes, &mut text, name, index < GENERIC).unwrap_or_else(|_| {
            let parameters = if index < GENERIC { "<T>" } else { "" };
            let _ = writeln!(text, "export type {name}{parameters} = {{ end: true }};");
        });
    }
    text
}

fn declaration(bytes: &mut Unstructured<'_>, text: &mut String, name: &str, generic: bool) -> Result<()> {
    let mut own = String::new();
    let parameters = match (generic, bytes.int_in_range(0..=2)?) {
        (false, _) => "",
        (true, 0) => "<T>",
        (true, 1) => "<T extends unknown = string>",
        (true, _) => "<T, U = T>",
    };
    if bytes.ratio(1, 3)? {
        let _ = writeln!(own, "/** {}*/", tags(bytes)?);
    }
    if bytes.ratio(1, 3)? {
        let heritage = match bytes.int_in_range(0..=4)? {
            0 => format!(
                " extends {}",
                NAMES[GENERIC + usize::from(bytes.int_in_range(0..=5_u8)?)]
            ),
            1 => " extends Pick<A, \"a\">".to_owned(),
            _ => String::new(),
        };
        let _ = writeln!(own, "export interface {name}{parameters}{heritage} {{");
        members(bytes, &mut own, generic, 0)?;
        own.push_str("}\n");
    } else {
        let _ = write!(own, "export type {name}{parameters} = ");
        expression(bytes, &mut own, generic, 0)?;
        own.push_str(";\n");
    }
    text.push_str(&own);
    Ok(())
}

fn members(bytes: &mut Unstructured<'_>, text: &mut String, generic: bool, depth: u32) -> Result<()> {
    for index in 0..bytes.int_in_range(0..=4_u8)? {
        if bytes.ratio(1, 4)? {
            let _ = write!(text, "/** {}*/ ", tags(bytes)?);
        }
        if bytes.ratio(1, 12)? {
            let keys = ["string", "number", "`x-${string}`", "symbol"];
            let _ = write!(text, "[key: {}]: ", bytes.choose(&keys)?);
        } else {
            let keys = ["a", "b", "c", "\"d-e\"", "7"];
            let optional = if bytes.ratio(1, 4)? { "?" } else { "" };
            let key = if bytes.ratio(3, 4)? {
                keys[usize::from(index)]
            } else {
                bytes.choose(&keys)?
            };
            let _ = write!(
                text,
                "{}{key}{optional}: ",
                if bytes.ratio(1, 8)? { "readonly " } else { "" }
            );
        }
        expression(bytes, text, generic, depth + 1)?;
        text.push_str(";\n");
    }
    Ok(())
}

fn expression(bytes: &mut Unstructured<'_>, text: &mut String, generic: bool, depth: u32) -> Result<()> {
    if depth > DEEPEST || bytes.ratio(1, 3)? {
        return leaf(bytes, text, generic);
    }
    let inner = |bytes: &mut Unstructured<'_>| -> Result<String> {
        let mut own = String::new();
        expression(bytes, &mut own, generic, depth + 1)?;
        Ok(own)
    };
    match bytes.int_in_range(0..=22_u8)? {
        0 => write_to(text, &format!("({})[]", inner(bytes)?)),
        1 => write_to(text, &format!("({} | {})", inner(bytes)?, inner(bytes)?)),
        2 => write_to(text, &format!("({} & {})", inner(bytes)?, inner(bytes)?)),
        3 | 4 => {
            text.push_str("{ ");
            members(bytes, text, generic, depth)?;
            text.push_str(" }");
        }
        5 => {
            let rest = if bytes.ratio(1, 3)? {
                format!(", ...({})[]", inner(bytes)?)
            } else {
                String::new()
            };
            let optional = if rest.is_empty() { "?" } else { "" };
            write_to(
                text,
                &format!("[{}, ({}){optional}{rest}]", inner(bytes)?, inner(bytes)?),
            );
        }
        6 => write_to(text, &format!("keyof ({})", inner(bytes)?)),
        7 => {
            let keys = ["\"a\"", "\"b\"", "number", "keyof A", "0"];
            let key = bytes.choose(&keys)?;
            write_to(text, &format!("({})[{key}]", inner(bytes)?));
        }
        8 | 9 => {
            let (a, b, c, d) = (inner(bytes)?, inner(bytes)?, inner(bytes)?, inner(bytes)?);
            write_to(text, &format!("(({a}) extends ({b}) ? {c} : {d})"));
        }
        10 => {
            let forms = [
                "(infer X)[]",
                "{ a: infer X }",
                "`${infer X}-${string}`",
                "[infer X, ...unknown[]]",
                "infer X extends string",
                "(...args: never) => infer X",
            ];
            let form = bytes.choose(&forms)?;
            let other = inner(bytes)?;
            write_to(
                text,
                &format!("(({}) extends {form} ? X : {other})", inner(bytes)?),
            );
        }
        11 | 12 => {
            let modifiers = ["", "?", "-?", "+?"];
            let names = [
                "",
                " as `get${Capitalize<K & string>}`",
                " as Exclude<K, \"a\">",
                " as K",
            ];
            let (modifier, name) = (bytes.choose(&modifiers)?, bytes.choose(&names)?);
            let (over, value) = (inner(bytes)?, inner(bytes)?);
            let over = if bytes.ratio(1, 2)? {
                format!("keyof ({over})")
            } else {
                over
            };
            let value = if bytes.ratio(1, 3)? { "K".to_owned() } else { value };
            write_to(text, &format!("{{ [K in {over}{name}]{modifier}: {value} }}"));
        }
        13 | 14 => {
            let utilities = [
                "Partial",
                "Required",
                "Readonly",
                "NonNullable",
                "Awaited",
                "Uppercase",
                "Capitalize",
                "ReturnType",
                "Parameters",
            ];
            let utility = bytes.choose(&utilities)?;
            write_to(text, &format!("{utility}<{}>", inner(bytes)?));
        }
        15 | 16 => {
            let utilities = ["Pick", "Omit", "Record", "Exclude", "Extract"];
            let utility = bytes.choose(&utilities)?;
            write_to(text, &format!("{utility}<{}, {}>", inner(bytes)?, inner(bytes)?));
        }
        17 | 18 => {
            let name = NAMES[usize::from(bytes.int_in_range(0..=1_u8)?)];
            write_to(text, &format!("{name}<{}>", inner(bytes)?));
        }
        19 => write_to(text, &format!("`a${{{}}}b${{{}}}`", inner(bytes)?, inner(bytes)?)),
        20 => write_to(
            text,
            &format!("({} & {{ readonly __brand: \"x\" }})", inner(bytes)?),
        ),
        21 => write_to(text, &format!("((a: {}) => {})", inner(bytes)?, inner(bytes)?)),
        _ => write_to(text, &format!("readonly ({})[]", inner(bytes)?)),
    }
    Ok(())
}

fn leaf(bytes: &mut Unstructured<'_>, text: &mut String, generic: bool) -> Result<()> {
    const LEAVES: [&str; 31] = [
        "string",
        "number",
        "boolean",
        "null",
        "undefined",
        "unknown",
        "never",
        "bigint",
        "Date",
        "Uint8Array",
        "any",
        "object",
        "void",
        "symbol",
        "\"a\"",
        "\"b-c\"",
        "1",
        "-0.5",
        "true",
        "7n",
        "`x-${number}`",
        "typeof value",
        "(typeof value)[\"b\"][number]",
        "Color",
        "Color.Red",
        "Count",
        "string[]",
        "Map<string, string>",
        "{}",
        "Decimal<6, 2>",
        "Decimal<5>",
    ];
    if generic && bytes.ratio(1, 2)? {
        text.push('T');
    } else if bytes.ratio(1, 3)? {
        text.push_str(bytes.choose(&NAMES[GENERIC..])?);
    } else {
        text.push_str(bytes.choose(&LEAVES)?);
    }
    Ok(())
}

/// Generates doc tags. Most of them do not fit the type that they are written on.
fn tags(bytes: &mut Unstructured<'_>) -> Result<String> {
    const TAGS: [&str; 49] = [
        "table",
        "table notes",
        "id",
        "generated",
        "generated uuid",
        "generated now",
        "onUpdate now",
        "default 1",
        "default now",
        "default {\"a\": [1]}",
        "unique",
        "index",
        "index by_a (a, b)",
        "references A.a cascade",
        "column x",
        "sensitive",
        "minLength 2",
        "maxLength 1",
        "format email",
        "format uuid",
        "pattern ^a+$",
        "minimum 1.5",
        "maximum -3",
        "exclusiveMinimum 0",
        "exclusiveMaximum 1e3",
        "multipleOf 0.1",
        "integer",
        "minItems 1",
        "uniqueItems",
        "deprecated old",
        "example [1]",
        "storedAs date",
        "storedAs smallint",
        "storedAs integer",
        "storedAs array",
        "storedAs citext",
        "storedAs enum color",
        "table billing.a",
        "generated uuidv7",
        "index using gin",
        "index desc nulls last where a > 1",
        "unique where a > 1",
        "check a > 0",
        "references (a, b) A (a, b) set null",
        "references A.a on update cascade",
        "owner a = ctx.user.id",
        "tenant a",
        "renamedFrom b",
        "default 0.50",
    ];
    let mut text = String::new();
    for _ in 0..bytes.int_in_range(1..=3_u8)? {
        let _ = write!(text, "@{} ", bytes.choose(&TAGS)?);
    }
    Ok(text)
}

fn write_to(text: &mut String, part: &str) {
    text.push_str(part);
}
