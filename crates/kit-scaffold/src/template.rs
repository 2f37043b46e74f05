//! Templates of new projects: their files, packages and scripts.

use crate::{Adapter, Server};

/// Kind of a new project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// API with authentication, PostgreSQL, migrations, containers and CI.
    Api,
    /// API without authentication that keeps its data in memory.
    Minimal,
    /// API and a page for browsers, which Vite builds.
    Browser,
    /// Server in Rust, generated from types and contracts.
    Rust,
    /// Routes in packages of a workspace, and an application that serves them.
    Library,
}

/// Path of a file in projects, and the text of its template.
pub(crate) type Source = (&'static str, &'static str);

/// Returns the path of a file in projects, and the text of its template. The second argument is the path of the
/// template below `templates/`.
macro_rules! template {
    ($path:literal, $template:literal) => {
        ($path, include_str!(concat!("../templates/", $template)))
    };
}

/// Files of the template `api`, except for those that depend on the database library. The templates have no leading dot
/// in their names, so that tools do not apply them to this repository.
const API: &[Source] = &[
    template!(".dockerignore", "project/dockerignore"),
    template!(".github/workflows/ci.yml", "project/github/ci.yml"),
    template!(".gitignore", "project/gitignore"),
    template!("AGENTS.md", "project/AGENTS.md"),
    template!("Dockerfile", "project/Dockerfile"),
    template!("README.md", "project/README.md"),
    template!("compose.yaml", "project/compose.yaml"),
    template!("kit.config.ts", "project/kit.config.ts"),
    // Output of `kit migrate:generate --name create_todos` for the types. `tests/scaffold` checks that a build finds no
    // pending changes.
    template!(
        "migrations/{{timestamp}}_create_todos/changes.json",
        "project/migrations/changes.json"
    ),
    template!(
        "migrations/{{timestamp}}_create_todos/migration.sql",
        "project/migrations/migration.sql"
    ),
    template!(
        "migrations/{{timestamp}}_create_todos/snapshot.json",
        "project/migrations/snapshot.json"
    ),
    template!("otel-collector.yaml", "project/otel-collector.yaml"),
    template!("src/app.ts", "project/src/app.ts"),
    template!("src/auth-key.ts", "project/src/auth-key.ts"),
    template!("src/auth.ts", "project/src/auth.ts"),
    template!("src/main.ts", "project/src/main.ts"),
    template!("src/todos.routes.ts", "project/src/todos.routes.ts"),
    template!("src/todos.types.ts", "project/src/todos.types.ts"),
    template!("tests/auth.test.ts", "project/tests/auth.test.ts"),
    template!("tests/fixtures.ts", "project/tests/fixtures.ts"),
    template!("tests/support.ts", "project/tests/support.ts"),
    template!("tests/todos.test.ts", "project/tests/todos.test.ts"),
    template!("tests/token.ts", "project/tests/token.ts"),
    template!("tsconfig.json", "project/tsconfig.json"),
];

/// Files that `minimal` and `browser` have in common.
const MEMORY: &[Source] = &[
    template!(".dockerignore", "project/dockerignore"),
    template!(".github/workflows/ci.yml", "project/github/ci.yml"),
    template!(".gitignore", "project/gitignore"),
    template!("AGENTS.md", "memory/AGENTS.md"),
    template!("kit.config.ts", "project/kit.config.ts"),
    template!("src/main.ts", "project/src/main.ts"),
    template!("src/todos.handlers.ts", "memory/src/todos.handlers.ts"),
    template!("src/todos.routes.ts", "memory/src/todos.routes.ts"),
    template!("src/todos.types.ts", "memory/src/todos.types.ts"),
    template!("tests/fixtures.ts", "memory/tests/fixtures.ts"),
    template!("tests/todos.test.ts", "memory/tests/todos.test.ts"),
    template!("tsconfig.json", "project/tsconfig.json"),
];

/// Files of the template `minimal` besides [`MEMORY`].
const MINIMAL: &[Source] = &[
    template!("Dockerfile", "memory/Dockerfile"),
    template!("README.md", "minimal/README.md"),
    template!("src/app.ts", "memory/src/app.ts"),
];

/// Files of the template `browser` besides [`MEMORY`].
const BROWSER: &[Source] = &[
    template!("Dockerfile", "browser/Dockerfile"),
    template!("README.md", "browser/README.md"),
    template!("src/app.ts", "browser/src/app.ts"),
    template!("web/index.html", "browser/web/index.html"),
    template!("web/src/main.ts", "browser/web/src/main.ts"),
    template!("web/src/styles.css", "browser/web/src/styles.css"),
    template!("web/tsconfig.json", "browser/web/tsconfig.json"),
    template!("web/vite.config.ts", "browser/web/vite.config.ts"),
];

/// Files of the template `rust`.
const RUST: &[Source] = &[
    template!(".dockerignore", "rust/dockerignore"),
    template!(".gitignore", "rust/gitignore"),
    template!("AGENTS.md", "rust/AGENTS.md"),
    template!("Dockerfile", "rust/Dockerfile"),
    template!("README.md", "rust/README.md"),
    template!("api/api.ts", "rust/api/api.ts"),
    template!("api/todos.routes.ts", "rust/api/todos.routes.ts"),
    template!("api/todos.types.ts", "rust/api/todos.types.ts"),
    template!("kit.config.ts", "rust/kit.config.ts"),
    template!(
        "migrations/{{timestamp}}_create_todos/changes.json",
        "rust/migrations/changes.json"
    ),
    template!(
        "migrations/{{timestamp}}_create_todos/migration.sql",
        "rust/migrations/migration.sql"
    ),
    template!(
        "migrations/{{timestamp}}_create_todos/snapshot.json",
        "rust/migrations/snapshot.json"
    ),
    template!("tsconfig.json", "rust/tsconfig.json"),
];

/// Files of the template `library`.
const LIBRARY: &[Source] = &[
    template!(".github/workflows/ci.yml", "project/github/ci.yml"),
    template!(".gitignore", "project/gitignore"),
    template!("AGENTS.md", "library/AGENTS.md"),
    template!("README.md", "library/README.md"),
    template!("kit.config.ts", "library/kit.config.ts"),
    template!(
        "packages/todos/package.json",
        "library/packages/todos/package.json"
    ),
    template!(
        "packages/todos/src/index.ts",
        "library/packages/todos/src/index.ts"
    ),
    template!(
        "packages/todos/src/todos.handlers.ts",
        "memory/src/todos.handlers.ts"
    ),
    template!("packages/todos/src/todos.routes.ts", "memory/src/todos.routes.ts"),
    template!("packages/todos/src/todos.types.ts", "memory/src/todos.types.ts"),
    template!("src/app.ts", "library/src/app.ts"),
    template!("src/main.ts", "project/src/main.ts"),
    template!("tests/fixtures.ts", "memory/tests/fixtures.ts"),
    template!("tests/todos.test.ts", "memory/tests/todos.test.ts"),
    template!("tsconfig.json", "library/tsconfig.json"),
];

/// Packages of kit that a project depends on.
pub(crate) struct Own {
    /// Packages of the running application.
    pub(crate) runs: Vec<String>,
    /// Packages for development.
    pub(crate) develops: Vec<String>,
}

impl Template {
    /// All templates, with the recommended one first.
    pub const ALL: [Self; 5] = [Self::Api, Self::Minimal, Self::Browser, Self::Rust, Self::Library];

    /// Returns the name, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Minimal => "minimal",
            Self::Browser => "browser",
            Self::Rust => "rust",
            Self::Library => "library",
        }
    }

    /// Returns true if the user chooses the database library.
    pub fn has_adapter(self) -> bool {
        self == Self::Api
    }

    /// Returns true if the application runs on a server adapter for Node.
    pub fn has_server(self) -> bool {
        self != Self::Rust
    }

    /// Returns the files that do not depend on the database library.
    pub(crate) fn sources(self) -> Vec<Source> {
        match self {
            Self::Api => API.to_vec(),
            Self::Minimal => [MEMORY, MINIMAL].concat(),
            Self::Browser => [MEMORY, BROWSER].concat(),
            Self::Rust => RUST.to_vec(),
            Self::Library => LIBRARY.to_vec(),
        }
    }

    /// Returns the module from which tests import the types of todos.
    pub(crate) fn todos_module(self) -> &'static str {
        match self {
            Self::Library => "@{{name}}/todos",
            Self::Api | Self::Minimal | Self::Browser | Self::Rust => "../src/todos.types.ts",
        }
    }

    /// Returns the packages of kit that the project depends on.
    pub(crate) fn own(self, server: Server) -> Own {
        let server = format!("@kit/server-{}", server.name());
        let (runs, develops): (&[&str], &[&str]) = match self {
            Self::Api => (
                &["@kit/auth", "@kit/core", "@kit/errors", "@kit/types"],
                &[
                    "@kit/api-docs",
                    "@kit/cli",
                    "@kit/client",
                    "@kit/dev-database",
                    "@kit/testing",
                ],
            ),
            Self::Minimal | Self::Library => (
                &["@kit/core", "@kit/types"],
                &["@kit/api-docs", "@kit/cli", "@kit/testing"],
            ),
            Self::Browser => (
                &["@kit/core", "@kit/types"],
                &["@kit/api-docs", "@kit/cli", "@kit/client", "@kit/testing"],
            ),
            Self::Rust => (
                &[],
                &[
                    "@kit/cli",
                    "@kit/core",
                    "@kit/dev-database",
                    "@kit/plugin-rust-server",
                    "@kit/types",
                ],
            ),
        };
        let mut own = Own {
            runs: runs.iter().map(ToString::to_string).collect(),
            develops: develops.iter().map(ToString::to_string).collect(),
        };
        if self.has_server() {
            own.runs.push(server);
        }
        own
    }

    /// Returns the packages of others that the application needs, with version ranges.
    pub(crate) fn packages(
        self,
        server: Server,
        database: Adapter,
    ) -> impl Iterator<Item = (&'static str, &'static str)> {
        let servers: &[_] = if self.has_server() { server.peers() } else { &[] };
        let databases: &[_] = if self.has_adapter() {
            database.packages()
        } else {
            &[]
        };
        servers.iter().chain(databases).copied()
    }

    /// Returns the development tools, with version ranges.
    pub(crate) fn tools(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // `jose` signs the access tokens of tests and of `npm run token`.
            Self::Api => &[
                ("@types/node", "^24.10.1"),
                ("@types/pg", "^8.23.1"),
                ("jose", "^6.2.17"),
                ("typescript", "^7.0.2"),
            ],
            Self::Minimal | Self::Library => &[("@types/node", "^24.10.1"), ("typescript", "^7.0.2")],
            Self::Browser => &[
                ("@types/node", "^24.10.1"),
                ("typescript", "^7.0.2"),
                ("vite", "^8.3.8"),
            ],
            Self::Rust => &[("typescript", "^7.0.2")],
        }
    }

    /// Returns true if the project uses the embedded PostgreSQL.
    pub(crate) fn has_database(self) -> bool {
        matches!(self, Self::Api | Self::Rust)
    }

    /// Returns the scripts of `package.json`.
    pub(crate) fn scripts(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Api => &[
                // A separate script, so that stopping npm stops kit, and not a shell that waits for kit.
                ("predev", "kit migrate:apply"),
                ("dev", "kit dev"),
                ("build", "kit build"),
                ("start", "node src/main.ts"),
                ("test", "kit test"),
                ("check", "kit generate && tsc -p ."),
                ("migrate", "kit migrate:apply"),
                ("token", "node tests/token.ts"),
            ],
            Self::Minimal | Self::Library => &[
                ("dev", "kit dev"),
                ("build", "kit build"),
                ("start", "node src/main.ts"),
                ("test", "kit test"),
                ("check", "kit generate && tsc -p ."),
            ],
            Self::Browser => &[
                ("dev", "kit dev"),
                ("dev:web", "vite web"),
                ("build", "kit build && vite build web"),
                ("start", "node src/main.ts"),
                ("test", "kit test"),
                ("check", "kit generate && tsc -p . && tsc -p web"),
            ],
            Self::Rust => &[
                ("predev", "kit migrate:apply"),
                ("dev", "kit dev"),
                ("generate", "kit build --no-compile"),
                ("build", "kit build"),
                ("check", "kit build --no-compile && cargo clippy"),
                ("migrate", "kit migrate:apply"),
            ],
        }
    }
}
