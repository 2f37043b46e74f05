use super::Manifest;
use crate::Options;

fn options(manifest: Option<&str>) -> Options {
    Options {
        name: "notes".to_owned(),
        output_dir: ".kit".to_owned(),
        api_docs: false,
        sidecar: false,
        client: false,
        contract_tests: false,
        tests: crate::TestValues::default(),
        otlp: false,
        migrations: Vec::new(),
        manifest: manifest.map(str::to_owned),
    }
}

fn fresh() -> String {
    Manifest::new(&options(None), true, &[]).text
}

/// Returns the manifest after a build. Asserts that the build reports no problems.
fn completed(manifest: &str) -> String {
    let made = Manifest::new(&options(Some(manifest)), true, &[]);
    assert_eq!(made.problems, []);
    made.text
}

#[test]
fn does_not_change_a_manifest_that_is_complete() {
    assert_eq!(completed(&fresh()), fresh());
    let spaced = fresh().replace("serde_json = \"1\"", "serde_json   =  '1'  # as we like it");
    assert_eq!(completed(&spaced), spaced);
}

#[test]
fn keeps_all_lines_that_the_user_has_added_or_changed() {
    let own = fresh()
        .replace(
            "tokio =",
            "uuid = { version = \"1\", features = [\"v7\"] } # for jobs\ntokio =",
        )
        .replace("version = \"0.1.0\"", "version = \"3.2.1\"\nauthors = [\"ada\"]")
        .replace("lto = \"thin\"", "lto = \"fat\"")
        + "\n[dev-dependencies]\ninsta = \"1\"\n\n[[bin]]\nname = \"import\"\npath = \"src/import.rs\"\n";
    assert_eq!(completed(&own), own);
}

#[test]
fn does_not_change_a_manifest_that_belongs_to_a_workspace() {
    let own = fresh().replace("[workspace]\nexclude = [\".kit\"]\n", "");
    assert_eq!(completed(&own), own);
    let inherits = own
        .replace("serde_json = \"1\"", "serde_json.workspace = true")
        .replace("edition = \"2024\"", "edition.workspace = true");
    assert_eq!(completed(&inherits), inherits);
}

#[test]
fn adds_missing_dependencies_with_their_comments() {
    let without: String = fresh()
        .lines()
        .filter(|line| !line.contains("sqlx =") && !line.starts_with("# 0.9") && !line.starts_with("tracing"))
        .map(|line| format!("{line}\n"))
        .collect();
    let without = without.replace(", features = [\"sqlx\"]", "");
    let made = completed(&without);
    assert!(
        made.contains(
            "# 0.9 needs a newer Rust than 1.85.\nsqlx = { version = \"=0.8.6\", default-features = false"
        ),
        "{made}"
    );
    assert!(made.contains("\ntracing = { version = \"0.1\""), "{made}");
    assert!(
        made.contains("kit-runtime = { path = \".kit/runtime\", features = [\"sqlx\"] }"),
        "{made}"
    );
    assert_eq!(completed(&made), made);
}

#[test]
fn adds_missing_features_after_the_features_of_the_user() {
    let own = fresh()
        .replace(
            "serde = { version = \"1\", features = [\"derive\"] }",
            "serde = \"1.0.200\"",
        )
        .replace("features = [\"macros\", \"rt\"]", "features = [\"fs\"]")
        .replace(
            "\"json\", \"postgres\", \"runtime-tokio\"",
            "\"uuid\", \"postgres\"",
        );
    let made = completed(&own);
    assert!(
        made.contains("serde = { version = \"1.0.200\", features = [\"derive\"] }"),
        "{made}"
    );
    assert!(made.contains("features = [\"fs\", \"macros\", \"rt\"]"), "{made}");
    assert!(
        made.contains("features = [\"uuid\", \"postgres\", \"json\", \"runtime-tokio\"]"),
        "{made}"
    );
    let full = fresh().replace("features = [\"macros\", \"rt\"]", "features = [\"full\"]");
    assert_eq!(completed(&full), full);
    let table = fresh().replace("serde_json = \"1\"\n", "").replace(
        "\n[profile.dev]",
        "\n[dependencies.serde_json]\nversion = \"1\"\nfeatures = [\"raw_value\"]\n\n[profile.dev]",
    );
    assert_eq!(completed(&table), table);
}

#[test]
fn adds_the_features_that_options_of_the_application_need() {
    let made = Manifest::new(&options(None), true, &["compression"]).text;
    assert!(
        made.contains("features = [\"compression\", \"sqlx\"] }"),
        "{made}"
    );
    let later = Manifest::new(&options(Some(&fresh())), true, &["compression"]).text;
    assert_eq!(later, made);
    // A program of the project may use the feature, so later builds do not remove it.
    let without = Manifest::new(&options(Some(&made)), true, &[]).text;
    assert_eq!(without, made);
}

#[test]
fn sets_the_features_of_kit_runtime_from_configuration_and_types() {
    let own = fresh().replace("features = [\"sqlx\"]", "features = [\"otlp\", \"sqlx\"]");
    assert_eq!(completed(&own), fresh());
    let with = Options {
        otlp: true,
        ..options(Some(&fresh()))
    };
    assert_eq!(Manifest::new(&with, true, &[]).text, own);
    let without = Manifest::new(&options(Some(&fresh())), false, &[]).text;
    assert!(
        without.contains("kit-runtime = { path = \".kit/runtime\" }"),
        "{without}"
    );
}

#[test]
fn returns_the_library_name_of_the_manifest() {
    let library = |text: &str| Manifest::new(&options(Some(text)), true, &[]).library;
    assert_eq!(Manifest::new(&options(None), true, &[]).library, "notes");
    assert_eq!(
        library(&fresh().replace("name = \"notes\"", "name = \"my-api\"")),
        "my_api"
    );
    assert_eq!(library(&(fresh() + "\n[lib]\nname = \"core_api\"\n")), "core_api");
}

#[test]
fn adds_a_suffix_to_package_names_that_cargo_or_rust_refuses() {
    for (name, package) in [
        ("@shop/Notes", "notes"),
        ("test", "test-server"),
        ("self", "self-server"),
        ("serde_json", "serde-json-server"),
        ("build", "build-server"),
        ("2048", "app-2048"),
        ("über", "ber"),
        ("名前", "app"),
    ] {
        let made = Manifest::new(
            &Options {
                name: name.to_owned(),
                ..options(None)
            },
            false,
            &[],
        );
        assert!(
            made.text.contains(&format!("name = \"{package}\"\n")),
            "{name}: {}",
            made.text
        );
        assert_eq!(made.library, package.replace('-', "_"));
    }
}

#[test]
fn reports_lines_that_make_the_generated_code_fail_to_compile() {
    for (from, to, message, line) in [
        (
            "edition = \"2024\"",
            "edition = \"2021\"",
            "the edition in Cargo.toml is 2021; the generated code is written in 2024",
            6,
        ),
        (
            "version = \"=0.8.6\"",
            "version = \"0.9\"",
            "`sqlx` is `0.9` in Cargo.toml; the generated code is built with 0.8.6",
            15,
        ),
        (
            "name = \"notes\"",
            "nom = \"notes\"",
            "Cargo.toml names no package",
            3,
        ),
        (
            "name = \"notes\"",
            "name = \"tokio\"",
            "`tokio` is a name that the generated code uses, so it cannot be the name of the package in Cargo.toml",
            4,
        ),
    ] {
        let text = fresh().replace(from, to);
        assert_ne!(text, fresh());
        let problems = Manifest::new(&options(Some(&text)), true, &[]).problems;
        let found: Vec<_> = problems
            .iter()
            .map(|problem| (problem.message.as_str(), problem.line))
            .collect();
        assert_eq!(found, [(message, line)]);
    }
    let problems = Manifest::new(
        &options(Some(&fresh().replace("[dependencies]", "[dependencies"))),
        true,
        &[],
    )
    .problems;
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].message.starts_with("Cargo.toml is not valid TOML: "),
        "{problems:?}"
    );
    assert_eq!(problems[0].line, 10);
}

#[test]
fn replaces_an_exact_sqlx_version_of_an_earlier_kit() {
    let text = fresh().replace("=0.8.6", "=0.8.3");
    assert_eq!(completed(&text), fresh());
}

#[test]
fn adds_the_contract_tests_to_a_new_or_existing_manifest() {
    let with_tests = |manifest: Option<&str>| {
        let options = Options {
            contract_tests: true,
            ..options(manifest)
        };
        Manifest::new(&options, true, &[]).text
    };
    let new = with_tests(None);
    assert!(
        new.contains(
            "[dev-dependencies]\nkit-runtime = { path = \".kit/runtime\", features = [\"testing\"] }\n"
        ),
        "{new}"
    );
    assert!(
        new.contains("[[test]]\nname = \"contract\"\nharness = false\n"),
        "{new}"
    );
    assert_eq!(with_tests(Some(&new)), new);
    let added = with_tests(Some(&fresh()));
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&added), sorted(&new));
    assert_eq!(with_tests(Some(&added)), added);
    // A manifest keeps its tests when the option is turned off.
    assert_eq!(completed(&new), new);
}
