//! Programs of a project with their options, from its files, for `kit generate deploy`.

use kit_build::{Analysis, read_text};
use kit_deploy::{NodeProgram, Runtime, ScriptVariable};
use toml_edit::DocumentMut;

use crate::entry;
use crate::failure::{CommandError, Problem};
use crate::project::{Project, has_rust_server};

/// Finds the program that serves: the one in the script `start` of package.json, or one of the usual programs. Adds notes about
/// parts of the script that the files do not have.
pub(super) fn runtime(project: &Project, notes: &mut Vec<String>) -> Result<Runtime, CommandError> {
    if has_rust_server(&project.config) {
        let manifest = read_text(&project.root.join("Cargo.toml"))?;
        let name = manifest.as_deref().and_then(crate_name);
        let program = name.unwrap_or_else(|| project.config.project.name.clone());
        return Ok(Runtime::Rust { program });
    }
    let scripts = scripts(project)?;
    if let Some(command) = scripts["start"].as_str().and_then(node_command) {
        notes.extend(command.note("start"));
        return Ok(Runtime::Node(command.program));
    }
    if entry::exists(&project.root) {
        return Ok(Runtime::Node(NodeProgram {
            program: entry::find(&project.root, None)?,
            ..NodeProgram::default()
        }));
    }
    Err(Problem::build(
        "configuration",
        "kit found no program that serves: the script `start` of package.json runs none with `node`, and there is no src/main.ts",
    )
    .at("package.json")
    .help("add a script `start` such as `node src/server.ts` to package.json")
    .into())
}

/// Returns the scripts of package.json; null if there are none.
fn scripts(project: &Project) -> Result<serde_json::Value, CommandError> {
    let text = read_text(&project.root.join("package.json"))?.unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(manifest["scripts"].clone())
}

/// Returns the program that does jobs: the one of `--worker`, or the file `worker` beside the program that serves, if the
/// application declares jobs. A script of package.json that starts this program has its options, arguments and variables. If there is
/// none, the program gets the options and variables of the program that serves. Adds notes about parts of the script that the files
/// do not have.
pub(super) fn worker(
    given: Option<&str>,
    project: &Project,
    analysis: &Analysis,
    runtime: &Runtime,
    notes: &mut Vec<String>,
) -> Result<Option<NodeProgram>, CommandError> {
    let Some(program) = worker_program(given, project, analysis, runtime)? else {
        return Ok(None);
    };
    let scripts = scripts(project)?;
    if let Some((name, command)) = script_of(&scripts, &program) {
        notes.extend(command.note(name));
        return Ok(Some(command.program));
    }
    let server = runtime.node().cloned().unwrap_or_default();
    Ok(Some(NodeProgram {
        program,
        arguments: Vec::new(),
        has_script_of_server: true,
        ..server
    }))
}

/// Returns the first script of package.json that starts a program, with the name of the script. Scripts for development have options
/// that a deployment must not have.
fn script_of<'a>(scripts: &'a serde_json::Value, program: &str) -> Option<(&'a str, NodeCommand)> {
    let commands = scripts.as_object().into_iter().flatten();
    commands
        .filter_map(|(name, script)| Some((name.as_str(), node_command(script.as_str()?)?)))
        .filter(|(_, command)| !command.is_for_development())
        .find(|(_, command)| command.program.program == program)
}

fn worker_program(
    given: Option<&str>,
    project: &Project,
    analysis: &Analysis,
    runtime: &Runtime,
) -> Result<Option<String>, CommandError> {
    let program = match (given, runtime) {
        (Some(_), Runtime::Rust { .. }) => {
            return Err(Problem::build(
                "configuration",
                "`--worker` is for applications on Node: a Rust server has no jobs",
            )
            .help("run the command in the project whose worker does the jobs")
            .into());
        }
        (None, Runtime::Rust { .. }) => return Ok(None),
        (Some(worker), Runtime::Node(_)) => {
            if !program_exists(project, worker) {
                return Err(
                    Problem::build("configuration", format!("there is no file {worker}"))
                        .help("name the program with its path in the project: `--worker src/worker.ts`")
                        .into(),
                );
            }
            return Ok(Some(worker.to_owned()));
        }
        (None, Runtime::Node(server)) => &server.program,
    };
    if analysis.program.application.jobs.is_none() {
        return Ok(None);
    }
    let candidate = entry::worker_beside(program);
    Ok(program_exists(project, &candidate).then_some(candidate))
}

/// Returns true if a program exists, or its source: `src/worker.ts` of `dist/src/worker.js`, which a build creates.
fn program_exists(project: &Project, program: &str) -> bool {
    let is_file = |path: &str| project.root.join(path).is_file();
    let dist = format!("{}/", project.config.dist_dir);
    let built = program
        .strip_prefix(&dist)
        .and_then(|inner| inner.strip_suffix("js"));
    is_file(program)
        || built.is_some_and(|stem| is_file(&format!("{stem}ts")) || is_file(&format!("src/{stem}ts")))
}

/// Options of node whose value may be the next word. Without this list, the value of `--import` looks like the program.
const WITH_VALUE: [&str; 12] = [
    "-C",
    "-r",
    "--conditions",
    "--disable-warning",
    "--dns-result-order",
    "--env-file",
    "--env-file-if-exists",
    "--experimental-loader",
    "--import",
    "--loader",
    "--require",
    "--title",
];

/// Command of a script that starts node.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NodeCommand {
    program: NodeProgram,
    /// True if the shell computes a part of the options or arguments. These are left out then.
    is_computed: bool,
}

impl NodeCommand {
    /// Returns true if node restarts the program after changes, or waits for a debugger.
    fn is_for_development(&self) -> bool {
        let is_one = |option: &String| option.starts_with("--watch") || option.starts_with("--inspect");
        self.program.options.iter().any(is_one)
    }

    /// Returns a note if the files do not have the options and arguments of the script with this name.
    fn note(&self, script: &str) -> Option<String> {
        self.is_computed.then(|| format!(
            "the shell computes a part of the script `{script}` in package.json, so the files have no options and arguments of the script: add them to `ExecStart`, and for a worker also to `command` in the files for Kubernetes and compose"
        ))
    }
}

/// Returns the command that a script runs with `node`: the options `--enable-source-maps` and the program `src/main.ts` of
/// `node --enable-source-maps src/main.ts`. Its variables are those before `node`, and those that earlier commands export.
fn node_command(script: &str) -> Option<NodeCommand> {
    let commands = commands(script);
    commands.iter().enumerate().find_map(|(number, words)| {
        let start = words.iter().position(|word| word.text == "node")? + 1;
        let (program, name) = program_of(&words[start..])?;
        let (program_at, rest) = (start + program, start + program + 1);
        let is_computed = words[start..].iter().any(|word| word.is_computed);
        let texts = |words: &[Word]| {
            let texts = words.iter().map(|word| word.text.clone());
            texts.filter(|_| !is_computed).collect()
        };
        let exported = commands[..number]
            .iter()
            .filter(|words| words.first().is_some_and(|word| word.text == "export"))
            .flatten();
        Some(NodeCommand {
            program: NodeProgram {
                program: name.to_owned(),
                options: texts(&words[start..program_at]),
                arguments: texts(&words[rest..]),
                variables: exported
                    .chain(&words[..start - 1])
                    .filter_map(variable_of)
                    .collect(),
                has_script_of_server: false,
            },
            is_computed,
        })
    })
}

/// Returns the variable that a word such as `NAME=value` sets.
fn variable_of(word: &Word) -> Option<ScriptVariable> {
    let (name, value) = word.text.split_once('=')?;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_name = name.chars().all(is_part) && !name.starts_with(|letter: char| letter.is_ascii_digit());
    (is_name && !name.is_empty()).then(|| ScriptVariable {
        name: name.to_owned(),
        value: (!word.is_computed).then(|| value.to_owned()),
    })
}

/// Returns the position and the path of the program in the words after `node`.
fn program_of(words: &[Word]) -> Option<(usize, &str)> {
    let mut position = 0;
    loop {
        let word = words.get(position)?.text.as_str();
        if WITH_VALUE.contains(&word) {
            position += 1;
        } else if !word.starts_with('-') {
            let program = word.strip_prefix("./").unwrap_or(word);
            let ending = program.rsplit_once('.')?.1;
            let is_program = matches!(ending, "ts" | "mts" | "cts" | "js" | "mjs" | "cjs");
            return is_program.then_some((position, program));
        }
        position += 1;
    }
}

/// A word of a command.
#[derive(Debug, Clone, Default)]
struct Word {
    text: String,
    /// True if the shell replaces a part of the word.
    is_computed: bool,
}

/// Splits a script into its commands, and these into words, as a shell does. Quotes are removed. Redirections are computed words.
fn commands(script: &str) -> Vec<Vec<Word>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<Word> = None;
    let mut letters = script.chars();
    let end = |word: &mut Option<Word>, commands: &mut Vec<Vec<Word>>| {
        if let (Some(word), Some(words)) = (word.take(), commands.last_mut()) {
            words.push(word);
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            letter if letter.is_whitespace() => end(&mut word, &mut commands),
            '&' | '|' | ';' => {
                end(&mut word, &mut commands);
                commands.push(Vec::new());
            }
            '\'' => {
                let quoted: String = letters.by_ref().take_while(|letter| *letter != '\'').collect();
                word.get_or_insert_default().text.push_str(&quoted);
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(letter) = letters.next() {
                    match letter {
                        '"' => break,
                        '\\' => match letters.next() {
                            Some('\n') => {}
                            Some(next @ ('"' | '\\' | '$' | '`')) => word.text.push(next),
                            // Before other characters, the shell keeps the backslash.
                            next => {
                                word.text.push('\\');
                                word.text.extend(next);
                            }
                        },
                        letter => {
                            word.is_computed |= matches!(letter, '$' | '`');
                            word.text.push(letter);
                        }
                    }
                }
            }
            '\\' => word.get_or_insert_default().text.extend(letters.next()),
            letter => {
                let word = word.get_or_insert_default();
                word.is_computed |=
                    matches!(letter, '$' | '`' | '*' | '?' | '[' | '<' | '>' | '(' | ')' | '~');
                word.text.push(letter);
            }
        }
    }
    end(&mut word, &mut commands);
    commands
}

/// Returns the name of the package in a `Cargo.toml`.
fn crate_name(manifest: &str) -> Option<String> {
    let manifest: DocumentMut = manifest.parse().ok()?;
    let name = manifest.get("package")?.get("name")?.as_str()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use kit_deploy::ScriptVariable;
    use serde_json::json;

    use super::{crate_name, node_command, script_of};

    #[test]
    fn the_program_is_the_first_path_after_node() {
        for (script, options, program, arguments) in [
            ("node src/main.ts", "", "src/main.ts", ""),
            (
                "NODE_ENV=production node --enable-source-maps ./dist/main.js --port 1",
                "--enable-source-maps",
                "dist/main.js",
                "--port 1",
            ),
            (
                "node --import ./otel.mjs -r dotenv src/main.ts",
                "--import ./otel.mjs -r dotenv",
                "src/main.ts",
                "",
            ),
            (
                "kit build && node --max-old-space-size=512 src/main.ts; echo done",
                "--max-old-space-size=512",
                "src/main.ts",
                "",
            ),
            (
                "node --title \"my 'shop'\" 'src/main.ts' a\\ b",
                "--title my 'shop'",
                "src/main.ts",
                "a b",
            ),
        ] {
            let command = node_command(script).unwrap_or_else(|| panic!("{script}"));
            assert_eq!(command.program.options.join(" "), options, "{script}");
            assert_eq!(command.program.program, program, "{script}");
            assert_eq!(command.program.arguments.join(" "), arguments, "{script}");
            assert!(!command.is_computed, "{script}");
        }
        for script in [
            "tsx src/main.ts",
            "node .",
            "node",
            "node --import ./otel.mjs",
            "",
        ] {
            assert_eq!(node_command(script), None, "{script}");
        }
    }

    #[test]
    fn options_that_the_shell_computes_are_left_out() {
        for script in [
            "node --title $NAME src/main.ts",
            "node src/main.ts --port \"${PORT}\"",
            "node src/main.ts > log.txt",
        ] {
            let command = node_command(script).unwrap_or_else(|| panic!("{script}"));
            assert!(command.is_computed, "{script}");
            assert_eq!(command.program.program, "src/main.ts", "{script}");
            assert!(
                command.program.options.is_empty() && command.program.arguments.is_empty(),
                "{script}"
            );
        }
        assert!(!node_command("node src/main.ts '$HOME'").unwrap().is_computed);
    }

    #[test]
    fn variables_of_a_script_are_those_before_node() {
        let command =
            node_command("cross-env NODE_ENV=test A_1=\"b c\" URL=$X 1=2 node src/main.ts --x=1").unwrap();
        let variable = |name: &str, value: Option<&str>| ScriptVariable {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(
            command.program.variables,
            [
                variable("NODE_ENV", Some("test")),
                variable("A_1", Some("b c")),
                variable("URL", None)
            ]
        );
        assert_eq!(command.note("start"), None);
        let command = node_command(
            "A=1 && export TZ=UTC B=\"c:\\data \\$x \\\"\" && C='\\d' node src/main.ts; export D=1",
        )
        .unwrap();
        assert_eq!(
            command.program.variables,
            [
                variable("TZ", Some("UTC")),
                variable("B", Some("c:\\data $x \"")),
                variable("C", Some("\\d")),
            ]
        );
        let computed = node_command("A=1 node src/main.ts $Q").unwrap().note("work");
        assert!(computed.is_some_and(|note| note.contains("script `work`")));
    }

    #[test]
    fn scripts_that_watch_or_inspect_do_not_start_the_worker_of_a_deployment() {
        for option in ["--watch", "--watch-path=src", "--inspect", "--inspect-brk=9230"] {
            let development = format!("node {option} src/worker.ts");
            let scripts = json!({ "dev": development, "work": "node --max-old-space-size=64 src/worker.ts" });
            let (name, command) = script_of(&scripts, "src/worker.ts").unwrap();
            assert_eq!(name, "work", "{option}");
            assert_eq!(command.program.options, ["--max-old-space-size=64"], "{option}");
            let scripts = json!({ "dev": development, "start": "node src/main.ts" });
            assert_eq!(script_of(&scripts, "src/worker.ts"), None, "{option}");
        }
    }

    #[test]
    fn the_name_of_a_crate_is_in_its_package_section() {
        let manifest =
            "[workspace]\nname = \"no\"\n[package]\nversion = \"1\"\nname = \"shop\"\n[lib]\nname = \"x\"\n";
        assert_eq!(crate_name(manifest).as_deref(), Some("shop"));
        let commented = "package = { name = 'shop' } # of the project\n";
        assert_eq!(crate_name(commented).as_deref(), Some("shop"));
        assert_eq!(crate_name("[package\n"), None);
        assert_eq!(crate_name("[package]\n[lib]\nname = \"x\"\n"), None);
    }
}
