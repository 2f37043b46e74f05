//! Creates the files of a project.

use crate::manifest::manifest;
use crate::{Adapter, Options, Server};

/// A file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path relative to the project's root, with `/` as the separator.
    pub path: String,
    /// Content of the file.
    pub text: String,
}

/// Files that are equal in all projects, except for the name of the project. The templates have no leading dot in their
/// names, so that tools do not apply them to this repository.
const COMMON: [(&str, &str); 22] = [
    (".dockerignore", include_str!("../templates/project/dockerignore")),
    (
        ".github/workflows/ci.yml",
        include_str!("../templates/project/github/ci.yml"),
    ),
    (".gitignore", include_str!("../templates/project/gitignore")),
    ("AGENTS.md", include_str!("../templates/project/AGENTS.md")),
    ("Dockerfile", include_str!("../templates/project/Dockerfile")),
    ("README.md", include_str!("../templates/project/README.md")),
    ("compose.yaml", include_str!("../templates/project/compose.yaml")),
    (
        "kit.config.ts",
        include_str!("../templates/project/kit.config.ts"),
    ),
    (
        "otel-collector.yaml",
        include_str!("../templates/project/otel-collector.yaml"),
    ),
    ("src/auth.ts", include_str!("../templates/project/src/auth.ts")),
    (
        "src/auth-key.ts",
        include_str!("../templates/project/src/auth-key.ts"),
    ),
    ("src/main.ts", include_str!("../templates/project/src/main.ts")),
    (
        "src/todos.routes.ts",
        include_str!("../templates/project/src/todos.routes.ts"),
    ),
    (
        "src/todos.types.ts",
        include_str!("../templates/project/src/todos.types.ts"),
    ),
    (
        "tests/fixtures.ts",
        include_str!("../templates/project/tests/fixtures.ts"),
    ),
    (
        "tests/auth.test.ts",
        include_str!("../templates/project/tests/auth.test.ts"),
    ),
    (
        "tests/token.ts",
        include_str!("../templates/project/tests/token.ts"),
    ),
    (
        "tests/support.ts",
        include_str!("../templates/project/tests/support.ts"),
    ),
    (
        "tests/todos.test.ts",
        include_str!("../templates/project/tests/todos.test.ts"),
    ),
    (
        "tsconfig.json",
        include_str!("../templates/project/tsconfig.json"),
    ),
    // Output of `kit migrate:generate --name create_todos` for the types. `tests/scaffold` checks that a build finds no
    // pending changes.
    (
        "migrations/{{timestamp}}_create_todos/changes.json",
        include_str!("../templates/project/migrations/changes.json"),
    ),
    (
        "migrations/{{timestamp}}_create_todos/migration.sql",
        include_str!("../templates/project/migrations/migration.sql"),
    ),
];

const SNAPSHOT: (&str, &str) = (
    "migrations/{{timestamp}}_create_todos/snapshot.json",
    include_str!("../templates/project/migrations/snapshot.json"),
);

/// Returns the files of a project, `package.json` first.
pub fn project(options: &Options) -> Vec<File> {
    let [database, handlers] = of_database(options.database);
    let application = app(options.server);
    let texts = COMMON.into_iter().chain([
        SNAPSHOT,
        ("src/app.ts", application.as_str()),
        ("src/database.ts", database),
        ("src/todos.handlers.ts", handlers),
    ]);
    let fill = |text: &str| {
        text.replace("{{timestamp}}", &options.timestamp)
            .replace("{{compose}}", &options.name.without_dots())
            .replace("{{name}}", options.name.as_str())
    };
    let mut files: Vec<File> = texts
        .map(|(path, text)| File {
            path: fill(path),
            text: fill(text),
        })
        .collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files.insert(
        0,
        File {
            path: "package.json".to_owned(),
            text: manifest(options),
        },
    );
    files
}

/// Returns `src/app.ts`. All server adapters are used in the same way.
fn app(server: Server) -> String {
    let name = server.name();
    include_str!("../templates/project/src/app.ts")
        .replace("nativeServer", &format!("{name}Server"))
        .replace("@kit/server-native", &format!("@kit/server-{name}"))
}

/// Returns `src/database.ts` and `src/todos.handlers.ts`.
fn of_database(adapter: Adapter) -> [&'static str; 2] {
    match adapter {
        Adapter::Raw => [
            include_str!("../templates/database/raw/database.ts"),
            include_str!("../templates/database/raw/todos.handlers.ts"),
        ],
        Adapter::Drizzle => [
            include_str!("../templates/database/drizzle/database.ts"),
            include_str!("../templates/database/drizzle/todos.handlers.ts"),
        ],
        Adapter::Kysely => [
            include_str!("../templates/database/kysely/database.ts"),
            include_str!("../templates/database/kysely/todos.handlers.ts"),
        ],
    }
}
