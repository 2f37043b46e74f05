//! Generates the project around the modules: manifest, entry points, shared state, and the sources of the runtime.

use std::fmt::Write as _;

use kit_ir::Program;

use crate::database::Database;
use crate::manifest::Manifest;
use crate::router::Routes;
use crate::{File, HEADER, Options, Owner};

/// Sources of `kit-runtime`, which are copied into every project.
const RUNTIME: &[(&str, &str)] = &include!("runtime_files.rs");

/// Manifest of the runtime in a generated project.
const RUNTIME_MANIFEST: &str = include_str!("runtime.toml");

/// Sources of `kit-guard`, which are in a directory of the runtime.
const GUARD: [(&str, &str); 10] = [
    ("Cargo.toml", include_str!("guard.toml")),
    (
        "src/authority.rs",
        include_str!("../../kit-guard/src/authority.rs"),
    ),
    ("src/chunked.rs", include_str!("../../kit-guard/src/chunked.rs")),
    ("src/coding.rs", include_str!("../../kit-guard/src/coding.rs")),
    (
        "src/extension.rs",
        include_str!("../../kit-guard/src/extension.rs"),
    ),
    ("src/guard.rs", include_str!("../../kit-guard/src/guard.rs")),
    ("src/head.rs", include_str!("../../kit-guard/src/head.rs")),
    ("src/lib.rs", include_str!("../../kit-guard/src/lib.rs")),
    ("src/path.rs", include_str!("../../kit-guard/src/path.rs")),
    (
        "src/rejection.rs",
        include_str!("../../kit-guard/src/rejection.rs"),
    ),
];

const RUSTFMT: &str = "edition = \"2024\"\nmax_width = 110\n";

pub(crate) fn files(
    options: &Options,
    program: &Program,
    routes: &Routes<'_>,
    database: &Database<'_>,
    manifest: &Manifest,
) -> Vec<File> {
    let mut files = vec![
        File::output("app.rs", &app(database)),
        File::project("Cargo.toml", manifest.text.clone()),
        File::project(
            "src/main.rs",
            format!("{HEADER}{}", main(&manifest.library, database)),
        ),
        File::project(
            "src/lib.rs",
            format!("{HEADER}{}", lib(&options.output_dir, program, routes, database)),
        ),
        File::user(
            "src/services/mod.rs",
            "//! What handlers share: rules of the application that know no HTTP.\n".to_owned(),
        ),
        // Files of kit that are not Rust code, and therefore get no header.
        File {
            path: "runtime/Cargo.toml".to_owned(),
            text: RUNTIME_MANIFEST.to_owned(),
            owner: Owner::Output,
        },
        File {
            path: "runtime/rustfmt.toml".to_owned(),
            text: RUSTFMT.to_owned(),
            owner: Owner::Output,
        },
    ];
    let carried = |path: String, text: &str| File {
        path,
        text: text.to_owned(),
        owner: Owner::Output,
    };
    files.extend(
        RUNTIME
            .iter()
            .map(|(path, text)| carried(format!("runtime/src/{path}"), text)),
    );
    files.extend(
        GUARD
            .iter()
            .map(|(path, text)| carried(format!("runtime/guard/{path}"), text)),
    );
    files
}

fn main(library: &str, database: &Database<'_>) -> String {
    let app = if database.is_empty() {
        "App::new()"
    } else {
        "App::connect().await?"
    };
    format!(
        "//! The server's program. `PORT`, `HOST` and `DATABASE_URL` say where it listens and what it stores in.\n\nuse std::process::ExitCode;\n\nuse {library}::app::App;\nuse {library}::router::router;\n\nfn main() -> ExitCode {{\n    kit_runtime::run(async {{\n        let app = {app};\n        kit_runtime::serve(router(app)).await\n    }})\n}}\n"
    )
}

fn lib(output: &str, program: &Program, routes: &Routes<'_>, database: &Database<'_>) -> String {
    let mut text = String::from(
        "//! The server: what kit makes of the types, and the handlers, middleware and services beside it.\n\n",
    );
    let mut module = |name: &str, path: &str| {
        let _ = write!(text, "#[path = \"../{output}/{path}\"]\npub mod {name};\n");
    };
    module("app", "app.rs");
    if !database.is_empty() {
        module("db", "db/mod.rs");
    }
    module("error", "error.rs");
    if !program.declarations.is_empty() {
        module("models", "models/mod.rs");
    }
    module("router", "router.rs");
    text.push_str("pub mod services;\n");
    let mut inline = |name: &str, comment: &str, mut modules: Vec<&str>| {
        modules.sort_unstable();
        modules.dedup();
        if !modules.is_empty() {
            let _ = write!(text, "\n/// {comment}\npub mod {name} {{\n");
            for module in modules {
                let _ = writeln!(text, "    pub mod {module};");
            }
            text.push_str("}\n");
        }
    };
    let handlers = routes.groups.iter().map(|group| group.module.as_str()).collect();
    inline(
        "handlers",
        "Handlers of the routes, a module for each contract group.",
        handlers,
    );
    let middleware = routes
        .middleware
        .iter()
        .map(|middleware| middleware.module.as_str())
        .collect();
    inline("middleware", "Middleware that runs before handlers.", middleware);
    text
}

fn app(database: &Database<'_>) -> String {
    if database.is_empty() {
        return "//! What handlers share.\n\nuse kit_runtime::{Application, Error};\n\n/// The application's state. A clone is the same state.\n#[derive(Debug, Clone, Default)]\npub struct App;\n\nimpl App {\n    /// The state.\n    pub fn new() -> Self {\n        Self\n    }\n}\n\nimpl Application for App {\n    async fn ready(&self) -> Result<(), Error> {\n        Ok(())\n    }\n}\n".to_owned();
    }
    "//! What handlers share.\n\nuse kit_runtime::{Application, Error};\nuse sqlx::PgPool;\n\nuse crate::db;\n\n/// The application's state. A clone is the same state.\n#[derive(Debug, Clone)]\npub struct App {\n    /// Connections to the database.\n    pub pool: PgPool,\n}\n\nimpl App {\n    /// Connects to the database that `DATABASE_URL` names.\n    pub async fn connect() -> Result<Self, Error> {\n        Ok(Self {\n            pool: db::connect().await?,\n        })\n    }\n}\n\nimpl Application for App {\n    async fn ready(&self) -> Result<(), Error> {\n        sqlx::query(\"SELECT 1\").execute(&self.pool).await?;\n        Ok(())\n    }\n}\n".to_owned()
}
