//! Tests that read configurations and compare the diagnostics of invalid configurations.
#![allow(clippy::disallowed_methods)] // Reason: tests create the files that the code reads.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use super::{Adapter, AdapterOrigin, LoadedConfig, ResolvedConfig, find_config_file, resolve};

struct Project(PathBuf);

impl Project {
    fn new(package: Option<&str>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kit-config-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        if let Some(text) = package {
            fs::write(root.join("package.json"), text).unwrap();
        }
        Self(root)
    }

    /// Returns the resolved configuration, and its diagnostics as text: one per line, as `message |
    /// help`.
    fn resolve(&self, config: Option<serde_json::Value>) -> (ResolvedConfig, String) {
        let loaded = config.map(|value| LoadedConfig {
            path: "kit.config.ts".to_owned(),
            value,
        });
        let resolution = resolve(&self.0, loaded.as_ref()).unwrap();
        let lines: Vec<String> = resolution
            .diagnostics
            .iter()
            .map(|item| {
                format!(
                    "{} {} | {}",
                    item.code,
                    item.message,
                    item.help.as_deref().unwrap_or("")
                )
            })
            .collect();
        (resolution.config, lines.join("\n"))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the diagnostics of a configuration file as text: one per line, as `message | help`.
fn said(config: serde_json::Value) -> String {
    Project::new(None).resolve(Some(config)).1
}

#[test]
fn uses_the_documented_defaults_without_a_configuration() {
    let (config, said) = Project::new(None).resolve(None);
    assert_eq!((config.clone(), said.as_str()), (ResolvedConfig::default(), ""));
    assert_eq!(config.output_dir, ".kit");
    assert_eq!(config.project.name, "API");
}

#[test]
fn prefers_the_configuration_file_to_the_kit_field_of_package_json() {
    let project = Project::new(Some(
        r#"{ "name": "notes", "version": "1.2.3", "kit": { "outputDir": "a" } }"#,
    ));
    let (from_package, _) = project.resolve(None);
    assert_eq!(from_package.output_dir, "a");
    assert_eq!(
        (
            from_package.project.name.as_str(),
            from_package.project.version.as_str()
        ),
        ("notes", "1.2.3")
    );
    let (from_file, _) = project.resolve(Some(json!({ "outputDir": "./b/c/" })));
    assert_eq!(from_file.output_dir, "b/c");
}

#[test]
fn reads_every_option_of_a_configuration() {
    let (config, _) = Project::new(None).resolve(Some(json!({
        "typeFiles": ["a/*.ts"], "routeFiles": ["b/*.ts"], "outputDir": "out", "distDir": "build",
        "compiler": "swc", "compilerArgs": ["-q"], "database": { "adapter": "drizzle" },
        "openapi": { "version": "3.0" }, "types": { "any": "unknown" },
    })));
    assert_eq!(config.type_files, ["a/*.ts"]);
    assert_eq!(config.route_files, ["b/*.ts"]);
    assert_eq!(
        (config.output_dir.as_str(), config.dist_dir.as_str()),
        ("out", "build")
    );
    assert_eq!(
        (config.compiler.name(), config.compiler_args),
        ("swc", vec!["-q".to_owned()])
    );
    assert_eq!(config.adapter.origin, AdapterOrigin::Configured);
    assert_eq!(config.openapi.name(), "3.0");
    assert_eq!(config.any.name(), "unknown");
}

#[test]
fn chooses_the_database_adapter_from_the_dependencies_in_package_json() {
    let adapter = |package: &str| Project::new(Some(package)).resolve(None).0.adapter.adapter;
    assert_eq!(
        adapter(r#"{ "dependencies": { "drizzle-orm": "*", "kysely": "*" } }"#),
        Adapter::Drizzle
    );
    assert_eq!(
        adapter(r#"{ "devDependencies": { "kysely": "*" } }"#),
        Adapter::Kysely
    );
    assert_eq!(adapter("{}"), Adapter::Raw);
    assert_eq!(adapter(r#"{ "dependencies": [] }"#), Adapter::Raw);
}

#[test]
fn reports_all_mistakes_of_a_configuration_at_once() {
    assert_eq!(
        said(json!({ "typeFile": [], "outputDir": 1, "databse": {}, "qqq": 1 })),
        "KIT1001 kit.config.ts: unknown option `typeFile` | did you mean `typeFiles`?\n\
         KIT1001 kit.config.ts: unknown option `databse` | did you mean `database`?\n\
         KIT1001 kit.config.ts: unknown option `qqq` | known options: `typeFiles`, `routeFiles`, `outputDir`, \
         `distDir`, `compiler`, `compilerArgs`, `database`, `openapi`, `types`, `tests`, `plugins`\n\
         KIT1001 kit.config.ts: `outputDir` must be a string, but is a number | write `outputDir: \"…\"`, or leave it out"
    );
}

#[test]
fn refuses_options_with_invalid_values() {
    for (config, expected) in [
        (
            json!([]),
            "the configuration must be an object, but is a list of strings",
        ),
        (
            json!({ "typeFiles": "src" }),
            "`typeFiles` must be a list of strings, but is a string",
        ),
        (
            json!({ "typeFiles": [1] }),
            "`typeFiles` must be a list of strings, but is a list with other values in it",
        ),
        (
            json!({ "typeFiles": ["/a"] }),
            "`typeFiles` contains the glob `/a`, which is an absolute path",
        ),
        (
            json!({ "outputDir": "../x" }),
            "`outputDir` must be a directory below the project's root, but is `../x`",
        ),
        (
            json!({ "outputDir": "." }),
            "`outputDir` must be a directory below the project's root, but is `.`",
        ),
        (
            json!({ "distDir": "/tmp" }),
            "`distDir` must be a directory below the project's root, but is `/tmp`",
        ),
        (
            json!({ "compiler": "tcs" }),
            "`compiler` must be one of `tsc`, `tsup`, `swc`, but is `tcs` | did you mean `tsc`?",
        ),
        (
            json!({ "database": "drizzle" }),
            "`database` must be an object, but is a string",
        ),
        (
            json!({ "database": { "adaptor": "raw" } }),
            "unknown option `database.adaptor` | did you mean `adapter`?",
        ),
        (
            json!({ "openapi": "3.0" }),
            "`openapi` must be an object, but is a string | write `openapi: { version: \"3.1\" }`",
        ),
        (
            json!({ "openapi": { "version": "3.3" } }),
            "`openapi.version` must be one of `3.0`, `3.1`, `3.2`, but is `3.3`",
        ),
        (
            json!({ "types": { "any": "ignore" } }),
            "`types.any` must be one of `error`, `unknown`, but is `ignore`",
        ),
        (
            json!({ "types": "any" }),
            "`types` must be an object, but is a string | write `types: { any: \"unknown\" }`",
        ),
        (
            json!({ "outputDir": "dist/kit" }),
            "`outputDir` (`dist/kit`) and `distDir` (`dist`) overlap",
        ),
    ] {
        let said = said(config);
        assert!(said.contains(expected), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn reads_the_option_tests_and_reports_its_mistakes() {
    let (config, text) = Project::new(None).resolve(Some(json!({ "tests": {
        "headers": { "authorization": "Bearer u:admin" },
        "app": "src/server.ts",
        "fixtures": "./tests/fixtures.ts",
        "routes": { "GET /notes/:id": { "params": { "id": "1" }, "headers": {}, "skip": "slow" } },
    } })));
    assert_eq!(text, "");
    assert_eq!(config.tests.headers["authorization"], "Bearer u:admin");
    assert_eq!(config.tests.fixtures.as_deref(), Some("tests/fixtures.ts"));
    assert_eq!(config.tests.app.as_deref(), Some("src/server.ts"));
    let route = &config.tests.routes["GET /notes/:id"];
    assert_eq!(
        (route.params["id"].as_str(), route.skip.as_deref()),
        ("1", Some("slow"))
    );
    for (tests, expected) in [
        (
            json!([]),
            "`tests` must be an object, but is a list of strings | write `tests: { … }`",
        ),
        (
            json!({ "header": {} }),
            "unknown option `tests.header` | did you mean `headers`?",
        ),
        (
            json!({ "headers": { "a b": "" } }),
            "`tests.headers` has the name `a b`, which is not a header name",
        ),
        (
            json!({ "headers": { "a": "x\r\ny: z" } }),
            "`tests.headers.a` contains a control character",
        ),
        (
            json!({ "headers": { "a": 1 } }),
            "`tests.headers.a` must be a string, but is a number",
        ),
        (
            json!({ "fixtures": "../x.ts" }),
            "`tests.fixtures` must be a file below the project's root, but is `../x.ts`",
        ),
        (
            json!({ "app": 1 }),
            "`tests.app` must be a string, but is a number",
        ),
        (
            json!({ "routes": { "/notes": {} } }),
            "has the key `/notes`, which is not `<METHOD> <path>`",
        ),
        (
            json!({ "routes": { "GET /": { "param": {} } } }),
            "unknown option `tests.routes.GET /.param` | did you mean `params`?",
        ),
    ] {
        let said = said(json!({ "tests": tests }));
        assert!(said.contains(expected), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn reports_mistakes_at_the_lines_and_columns_of_the_options() {
    let project = Project::new(None);
    let text = "export default {\n  outputDri: 1,\n  typeFiles: [\"a\", \"/b\"],\n  database: { adapter: \"sqlite\" },\n};\n";
    fs::write(project.0.join("kit.config.ts"), text).unwrap();
    let loaded = LoadedConfig {
        path: "kit.config.ts".to_owned(),
        value: json!({ "outputDri": 1, "typeFiles": ["a", "/b"], "database": { "adapter": "sqlite" } }),
    };
    let resolution = resolve(&project.0, Some(&loaded)).unwrap();
    let places: Vec<(u32, u32, &str)> = resolution
        .diagnostics
        .iter()
        .map(|item| item.primary().unwrap())
        .map(|label| (label.line, label.column, &text[label.range.clone()]))
        .collect();
    assert_eq!(
        places,
        [(2, 3, "outputDri"), (3, 20, "\"/b\""), (4, 24, "\"sqlite\"")]
    );
}

#[test]
fn reports_an_invalid_package_json() {
    for (text, expected) in [
        ("{", "EOF while parsing"),
        ("[]", "it is not an object"),
        ("\u{feff}{}", ""),
    ] {
        let said = Project::new(Some(text)).resolve(None).1;
        assert!(
            said.contains(expected) && said.is_empty() == expected.is_empty(),
            "{said}"
        );
    }
}

#[test]
fn resolved_configuration_names_the_file_that_contains_the_options() {
    let place = |package: Option<&str>, file: Option<&str>| {
        let project = Project::new(package);
        let loaded = file.map(|path| LoadedConfig {
            path: path.to_owned(),
            value: json!({}),
        });
        resolve(&project.0, loaded.as_ref()).unwrap().config.options_file
    };
    assert_eq!(place(None, None), "kit.config.ts");
    assert_eq!(place(None, Some("kit.config.js")), "kit.config.js");
    assert_eq!(
        place(Some(r#"{ "kit": {} }"#), None),
        "the `kit` field of package.json"
    );
}

#[test]
fn prefers_kit_config_ts_to_kit_config_js() {
    let project = Project::new(None);
    assert_eq!(find_config_file(&project.0).unwrap(), None);
    fs::write(project.0.join("kit.config.js"), "").unwrap();
    assert!(
        find_config_file(&project.0)
            .unwrap()
            .unwrap()
            .ends_with("kit.config.js")
    );
    fs::write(project.0.join("kit.config.ts"), "").unwrap();
    assert!(
        find_config_file(&project.0)
            .unwrap()
            .unwrap()
            .ends_with("kit.config.ts")
    );
    assert!(find_config_file(&project.0.join("missing")).is_err());
}

#[test]
fn reads_the_contact_from_package_json() {
    for (package, name, email, url) in [
        (
            r#"{ "author": "Ada Lovelace <ada@example.org> (https://ada.example.org)" }"#,
            "Ada Lovelace",
            "ada@example.org",
            "https://ada.example.org",
        ),
        (
            r#"{ "author": { "name": "Ada", "email": "ada@example.org" } }"#,
            "Ada",
            "ada@example.org",
            "",
        ),
        (r#"{ "author": "Ada <" }"#, "Ada", "", ""),
        (
            r#"{ "bugs": "https://bugs.example.org" }"#,
            "",
            "",
            "https://bugs.example.org",
        ),
        (
            r#"{ "bugs": { "url": "https://bugs.example.org", "email": "bugs@example.org" } }"#,
            "",
            "bugs@example.org",
            "https://bugs.example.org",
        ),
        (r#"{ "author": 1, "bugs": [] }"#, "", "", ""),
        (r"{}", "", "", ""),
    ] {
        let about = Project::new(Some(package)).resolve(None).0.project.api_info;
        let text = |part: fn(&kit_emit::Contact) -> &Option<String>| {
            about
                .contact
                .as_ref()
                .and_then(|contact| part(contact).clone())
                .unwrap_or_default()
        };
        let found = [text(|of| &of.name), text(|of| &of.email), text(|of| &of.url)];
        assert_eq!(found, [name, email, url], "{package}");
        assert!(about.contact != Some(kit_emit::Contact::default()), "{package}");
    }
    let package = r#"{ "description": "An API", "license": "MIT", "version": "" }"#;
    let project = Project::new(Some(package)).resolve(None).0.project;
    assert_eq!(project.api_info.description.as_deref(), Some("An API"));
    assert_eq!(project.api_info.license.as_deref(), Some("MIT"));
}
