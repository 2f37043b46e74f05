//! Tests that the TypeScript types of the program document (`packages/cli/src/plugins/program.ts`) match the JSON that the
//! Rust code prints.
#![allow(clippy::disallowed_methods)] // Reason: the test reads the TypeScript file.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Project, bless};
use kit_analysis::{Fit, fit};
use kit_ir::{Program, TypeId};
use kit_typescript::{AnyMeaning, Input, MemoryFiles, compile};
use serde_json::{Map, Value, json};

fn program_of(text: &str, file: &str) -> Program {
    let path = format!("/app/src/{file}");
    let output = compile(&Input {
        root: Path::new("/app"),
        type_files: vec![PathBuf::from(&path)],
        route_files: vec![PathBuf::from(&path)],
        any: AnyMeaning::Error,
        entry_files: vec![PathBuf::from(&path)],
        files: Arc::new(MemoryFiles::new([(path.as_str(), text)])),
    });
    assert!(!output.diagnostics.has_errors(), "{:#?}", output.diagnostics);
    output.program
}

/// Returns the TypeScript type of the program document, compiled by kit.
fn described() -> (Program, TypeId) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/cli/src/plugins/program.ts");
    let types = program_of(&std::fs::read_to_string(path).unwrap(), "program.types.ts");
    let (_, declaration) = types.declaration("Program").unwrap();
    let id = declaration.r#type;
    (types, id)
}

/// Source file with at least one example of every kind of type, and with as many doc tags as possible.
const SOURCE: &str = r#"
import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import type { Auth, Decimal, Failure, Reply, Route, RouteContract, Scopes } from "@kit/types";
/**
 * A row. @table things @renamedFrom old_things @index by_name (name, count) @tenant name @check sizes (count > 0)
 * @index few (name text_pattern_ops, count desc nulls last) include (rate) where count > 1
 * @unique one (name) where count > 2 @unique pair (id, small)
 * @references (next, small) Thing (id, small) on update cascade
 * @deprecated soon
 */
export interface Thing {
  /** @id @generated uuid */ id: string;
  /** @minLength 1 @maxLength 9 @pattern ^a @unique @example "a" */ name: string;
  /** @minimum 1 @maximum 9 @multipleOf 2 @integer @default 2 @index */ count: number;
  /** @exclusiveMinimum 1 @exclusiveMaximum 9 @sensitive @column rate_of */ rate: number;
  /** @generated now @onUpdate now */ changedAt: Date;
  /** @references Thing.id cascade on update restrict @index none */ parent: string | null;
  next?: Thing["id"];
  /** @storedAs smallint @check small > 0 @index using hash */ small: number;
  /** @storedAs date */ day: string;
  /** @storedAs array */ days: Date[];
  /** @storedAs citext */ nick: string;
  /** @generated uuidv7 */ event: string;
  price: Decimal<4, 2>;
  /** @format email @renamedFrom address */ mail?: string;
}
export interface Other {
  /** @minItems 1 @maxItems 2 @uniqueItems */ list: string[];
  pair: [first: string, second?: number, ...rest: boolean[]];
  /** @default [] */ tags: string[];
  /** @default null */ none: string | null;
  /** @default now */ at: Date;
  literal: "a" | 1 | true | 2n; big: bigint; bytes: Uint8Array; any: unknown;
  template: `x-${string}`; record: Record<string, number>; keyed: { [key: `a-${number}`]: string }; numbered: { [key: number]: string };
  self?: Other;
}
export interface Page<T> { data: T[] }
export interface Routes {
  /** List. @summary All @tag things @throws GONE 410 @status 200 */
  "GET /things": RouteContract<void, { page?: number }, void, Page<Other>>;
  "PUT /things/:id": RouteContract<{ id: string }, void, { name: string }, void>;
  /** @operation addThing */
  "POST /things": Route<{
    headers: { "x-tenant": string };
    cookies: { sid: string };
    response: Reply<201, Thing, { location: string }> | Reply<202>;
    errors: Failure<409, "SOLD_OUT", { left: number }>;
  }>;
  "DELETE /things/:id": Route<{ params: { id: string }; auth: Scopes<"things:write"> }>;
}
const handlers = defineHandlers<Routes>({
  "GET /things": () => [],
  "PUT /things/:id": () => {},
  "POST /things": () => {},
  "DELETE /things/:id": () => {},
});
const queue = defineWrapper<{ adds: { n: number }; replies: Reply<203, void, { "x-a": string }> }>((_input, next) => next({ n: 1 }));
const auth = defineMiddleware<{ auth: Auth<"things:write"> }>(() => ({ auth: { has: () => true } }));
createApp({
  middleware: [queue],
  routes: [{
    handlers,
    on: {
      "POST /things": { limits: { bodyBytes: 9 }, requestTimeoutMs: 1 },
      "DELETE /things/:id": { middleware: [{ name: "auth", middleware: auth, priority: -1 }] },
    },
  }],
});
"#;

/// Source file with all options of `createApp` that the program contains.
const APPLICATION: &str = r#"
import { createApp, defineErrorFormat, env } from "@kit/core";
interface Variables { PORT: number }
await env<Variables>();
interface Failed { kind: string; text: string; data?: unknown; id: string }
export const app = createApp({
  routes: [],
  cors: { origins: ["https://a.example"], allowedHeaders: ["x-a"], exposedHeaders: ["etag"], maxAgeSeconds: 1 },
  securityHeaders: { frameOptions: false, referrerPolicy: "origin" },
  errors: {
    format: defineErrorFormat<Failed>({
      contentType: "application/problem+json",
      body: ({ code, message, traceId }) => ({ kind: code, text: message, id: traceId }),
      paths: { code: "kind", message: "text", details: "data", traceId: "id" },
    }),
    validationStatus: 422,
  },
  compression: true,
  etag: true,
  requestLog: true,
  csrf: true,
  limits: { bodyBytes: 2_000_000 },
});
"#;

fn document(program: &Program) -> Value {
    let mut value = serde_json::to_value(program).unwrap();
    value["version"] = json!(Program::VERSION);
    value
}

#[test]
fn program_as_plugins_receive_it_matches_its_typescript_types() {
    let (types, id) = described();
    let value = document(&program_of(SOURCE, "things.types.ts"));
    assert_ne!(fit(&types, id, &value), Fit::No, "{value:#}");
    for (place, wrong) in [
        ("/version", json!(1)),
        ("/routes/0/method", json!("FETCH")),
        ("/routes/2/replies/0/status", json!(404)),
        ("/routes/2/limits/bodyBytes", json!("9")),
        ("/routes/3/authenticator", json!(1)),
        ("/routes/3/scopesBefore", json!(1)),
        ("/routes/2/wrappers/0/replies/0/status", json!(404)),
        ("/application/middleware/1/isWrapper", json!("yes")),
        ("/types/0/kind", json!("text")),
    ] {
        let mut spoiled = value.clone();
        *spoiled.pointer_mut(place).unwrap() = wrong;
        assert_eq!(fit(&types, id, &spoiled), Fit::No, "{place}");
    }
}

#[test]
fn typescript_types_for_plugins_describe_the_options_of_the_application() {
    let (types, id) = described();
    let value = document(&program_of(APPLICATION, "app.ts"));
    assert_ne!(fit(&types, id, &value), Fit::No, "{value:#}");
    for (place, wrong) in [
        ("/application/cors/rules/maxAgeSeconds", json!("1")),
        ("/application/securityHeaders/values/frameOptions", json!(true)),
        ("/application/compression/span/line", json!(0)),
    ] {
        let mut spoiled = value.clone();
        *spoiled.pointer_mut(place).unwrap() = wrong;
        assert_eq!(fit(&types, id, &spoiled), Fit::No, "{place}");
    }
}

/// Every property name in the JSON must occur in the TypeScript file. Plugins could not use a property without a type.
#[test]
fn every_property_of_the_program_document_occurs_in_its_typescript_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/cli/src/plugins/program.ts");
    let text = std::fs::read_to_string(path).unwrap();
    let mut open = vec![document(&program_of(SOURCE, "things.types.ts"))];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let named = [format!("{name}:"), format!("{name}?:"), format!("\"{name}\"")];
                    assert!(named.iter().any(|form| text.contains(form.as_str())), "`{name}`");
                    open.push(value);
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

/// Checks `packages/cli/program.schema.json`, the JSON Schema of the program document for plugins in other languages. kit
/// generates it from the TypeScript types. `KIT_BLESS=1` rewrites it.
#[test]
fn json_schema_of_the_program_document_matches_its_typescript_types() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/cli");
    let types = std::fs::read_to_string(package.join("src/plugins/program.ts")).unwrap();
    let routes = "import type { RouteContract } from \"@kit/types\";
        import type { Program } from \"./program.types.ts\";
        export interface Routes { \"GET /\": RouteContract<void, void, void, Program> }";
    let project = Project::new([
        ("src/program.types.ts", types.as_str()),
        ("src/program.routes.ts", routes),
    ]);
    project.build();
    let document: Value = serde_json::from_str(&project.output()["schemas/openapi.json"]).unwrap();
    let mut definitions: Map<String, Value> = document["components"]["schemas"].as_object().unwrap().clone();
    definitions.shift_remove("Error");
    let mut schema = Map::new();
    let mut head = |name: &str, value: Value| schema.insert(name.to_owned(), value);
    head("$schema", json!("https://json-schema.org/draft/2020-12/schema"));
    head("title", json!("The program that plugins of kit get"));
    head("$ref", json!("#/$defs/Program"));
    head("$defs", Value::Object(definitions));
    let mut schema = Value::Object(schema);
    strict(&mut schema);
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = package.join("program.schema.json");
    if bless() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), text);
}

/// Makes a schema refuse undeclared properties, as kit does, and makes references point into the schema file.
fn strict(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                *reference = reference.replace("#/components/schemas/", "#/$defs/");
            }
            let is_object = members.get("type") == Some(&json!("object"));
            if is_object && members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
            members.values_mut().for_each(strict);
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}
