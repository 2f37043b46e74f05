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

/// Returns the path of a file in projects, and the text of its template. The first argument is this path. The
/// template has the same path, unless the second argument names another path.
macro_rules! template {
    ($path:literal) => {
        template!($path, $path)
    };
    ($path:literal, $template:literal) => {
        ($path, include_str!(concat!("../templates/project/", $template)))
    };
}

/// Files that are equal in all projects, except for the name of the project. The templates have no leading dot in their
/// names, so that tools do not apply them to this repository.
const COMMON: [(&str, &str); 23] = [
    template!(".dockerignore", "dockerignore"),
    template!(".github/workflows/ci.yml", "github/ci.yml"),
    template!(".gitignore", "gitignore"),
    template!("AGENTS.md"),
    template!("Dockerfile"),
    template!("README.md"),
    template!("compose.yaml"),
    template!("kit.config.ts"),
    // Output of `kit migrate:generate --name create_todos` for the types. `tests/scaffold` checks that a build finds no
    // pending changes.
    template!(
        "migrations/{{timestamp}}_create_todos/changes.json",
        "migrations/changes.json"
    ),
    template!(
        "migrations/{{timestamp}}_create_todos/migration.sql",
        "migrations/migration.sql"
    ),
    template!(
        "migrations/{{timestamp}}_create_todos/snapshot.json",
        "migrations/snapshot.json"
    ),
    template!("otel-collector.yaml"),
    template!("src/auth-key.ts"),
    template!("src/auth.ts"),
    template!("src/main.ts"),
    template!("src/todos.routes.ts"),
    template!("src/todos.types.ts"),
    template!("tests/auth.test.ts"),
    template!("tests/fixtures.ts"),
    template!("tests/support.ts"),
    template!("tests/todos.test.ts"),
    template!("tests/token.ts"),
    template!("tsconfig.json"),
];

/// Template of `src/app.ts`.
const APP: &str = include_str!("../templates/project/src/app.ts");

/// Returns the files of a project, `package.json` first.
pub fn project(options: &Options) -> Vec<File> {
    let [database, handlers] = of_database(options.database);
    let application = app(options.server);
    let texts = COMMON.into_iter().chain([
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
    APP.replace("nativeServer", &format!("{name}Server"))
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{APP, COMMON};

    #[test]
    #[allow(clippy::disallowed_methods)] // Reason: the templates are files.
    fn every_template_is_a_file_of_projects() {
        let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/project")];
        let mut count = 0;
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                let is_listed = text == APP || COMMON.iter().any(|(_, template)| *template == text);
                assert!(
                    is_listed,
                    "no file of a project has the text of {}",
                    path.display()
                );
                count += 1;
            }
        }
        assert_eq!(count, COMMON.len() + 1);
    }
}
