//! Creates the files of a project.

use crate::file::File;
use crate::manifest::manifest;
use crate::{Adapter, Options, PackageManager, Server};

/// Returns the files of a project, `package.json` first.
pub fn project(options: &Options) -> Vec<File> {
    let mut texts = options.template.sources();
    if options.template.has_adapter() {
        let [database, handlers] = of_database(options.database);
        texts.push(("src/database.ts", database));
        texts.push(("src/todos.handlers.ts", handlers));
    }
    let fill = |text: &str| {
        // This value contains `{{name}}`, so it comes first.
        text.replace("{{todos}}", options.template.todos_module())
            .replace("{{timestamp}}", &options.timestamp)
            .replace("{{compose}}", &options.name.without_dots())
            .replace("{{crate}}", &options.name.as_identifier())
            .replace("{{name}}", options.name.as_str())
    };
    let mut files: Vec<File> = texts
        .into_iter()
        .map(|(path, text)| File {
            path: fill(path),
            text: of_manager(
                path,
                &on_server(path, &fill(text), options.server),
                options.manager,
            ),
        })
        .collect();
    files.extend(options.manager.files(options.template));
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

/// Returns a text with the selected server. All server adapters are used in the same way.
fn on_server(path: &str, text: &str, server: Server) -> String {
    if path != "src/app.ts" {
        return text.to_owned();
    }
    let name = server.name();
    text.replace("nativeServer", &format!("{name}Server"))
        .replace("@kit/server-native", &format!("@kit/server-{name}"))
}

/// Returns a text with the selected package manager. Images and workflows have Node with npm only, so they install other
/// package managers.
fn of_manager(path: &str, text: &str, manager: PackageManager) -> String {
    let text = manager.commands(text);
    let Some(package) = manager.global_package() else {
        return text;
    };
    let install = format!("npm install --global {package}");
    match path {
        "Dockerfile" => {
            let copied = manager.commands("COPY package.json package-lock.json ./");
            // Yarn and pnpm read their settings when they install packages.
            let all = match manager {
                PackageManager::Yarn => "COPY package.json yarn.lock .yarnrc.yml ./",
                PackageManager::Pnpm => "COPY package.json pnpm-lock.yaml pnpm-workspace.yaml* ./",
                PackageManager::Npm | PackageManager::Bun => &copied,
            };
            text.replace(&copied, &format!("RUN {install}\n{all}"))
        }
        ".gitignore" | ".dockerignore" if manager == PackageManager::Yarn => format!("{text}.yarn/\n"),
        ".github/workflows/ci.yml" => {
            text.replace("          cache: npm\n", &format!("      - run: {install}\n"))
        }
        _ => text,
    }
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

    use super::project;
    use crate::{Adapter, Options, PackageManager, ProjectName, Server, Template};

    fn options(template: Template, manager: PackageManager) -> Options {
        Options {
            name: ProjectName::parse("shelf").unwrap(),
            template,
            server: Server::Native,
            database: Adapter::Raw,
            manager,
            timestamp: "20261121090000".to_owned(),
            archives: None,
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // Reason: the templates are files.
    fn every_template_is_a_file_of_projects() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        let mut pending: Vec<_> = ["project", "memory", "minimal", "browser", "rust", "library"]
            .map(|name| root.join(name))
            .to_vec();
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                let is_listed = Template::ALL
                    .iter()
                    .flat_map(|template| template.sources())
                    .any(|(_, template)| template == text);
                assert!(
                    is_listed,
                    "no file of a project has the text of {}",
                    path.display()
                );
            }
        }
    }

    #[test]
    fn every_project_has_a_readme_and_no_path_twice() {
        for template in Template::ALL {
            for manager in PackageManager::ALL {
                let files = project(&options(template, manager));
                let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
                assert_eq!(paths[0], "package.json");
                assert!(paths.contains(&"README.md"), "{template:?}");
                let count = paths.len();
                paths.sort_unstable();
                paths.dedup();
                assert_eq!(paths.len(), count, "{template:?} {manager:?}");
            }
        }
    }

    #[test]
    fn projects_of_other_package_managers_name_no_command_of_npm() {
        for template in Template::ALL {
            for manager in [PackageManager::Pnpm, PackageManager::Yarn, PackageManager::Bun] {
                for file in project(&options(template, manager)) {
                    // Images and workflows install the package manager with npm. `compose.yaml` runs a program of the image.
                    if ["Dockerfile", ".github/workflows/ci.yml", "compose.yaml"]
                        .contains(&file.path.as_str())
                    {
                        continue;
                    }
                    let words = file.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                    let left: Vec<&str> = words
                        .filter(|word| ["npm", "npx", "package-lock"].contains(word))
                        .collect();
                    assert!(left.is_empty(), "{} with {manager:?}: {left:?}", file.path);
                }
            }
        }
    }
}
