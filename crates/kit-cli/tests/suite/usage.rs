//! Tests of arguments, help, exit codes and colours.

use crate::support::Project;
use serde_json::json;

#[test]
fn prints_help_and_version_on_standard_output() {
    let project = Project::new(&[]);
    let version = project.kit(&["--version"]);
    assert_eq!(version.parts(), (0, "kit 0.1.0\n", ""));
    for args in [
        &["--help"][..],
        &["build", "--help"],
        &["migrate:generate", "--help"],
        &["migrate:apply", "--help"],
        &["explain", "--help"],
    ] {
        let help = project.kit(args);
        assert_eq!((help.code, help.err.as_str()), (0, ""), "{args:?}");
        assert!(help.out.contains("Examples:"), "{}", help.out);
        assert!(!help.out.contains('\u{1b}'));
    }
}

#[test]
fn help_lists_every_command() {
    let help = Project::new(&[]).kit(&["--help"]).out;
    for name in ["build", "migrate:generate", "migrate:apply", "explain"] {
        assert!(help.contains(&format!("  {name} ")), "{help}");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_suggests_a_correction() {
    let project = Project::new(&[]);
    for (args, expected) in [
        (&["biuld"][..], "a similar subcommand exists: 'build'"),
        (
            &["migrate:aply"],
            "some similar subcommands exist: 'migrate:generate', 'migrate:contract', 'migrate:squash', 'migrate:status', 'migrate:expand', 'migrate:baseline', 'migrate:apply'",
        ),
        (&["build", "--jsn"], "a similar argument exists: '--json'"),
        (&["build", "extra"], "unexpected argument 'extra' found"),
        (&["migrate:generate"], "--name <NAME>"),
        (
            &["migrate:generate", "--name"],
            "a value is required for '--name <NAME>'",
        ),
        (&[], "Usage: kit <COMMAND>"),
    ] {
        let outcome = project.kit(args);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{args:?}");
        assert!(outcome.err.contains(expected), "{}", outcome.err);
    }
}

#[test]
fn reports_wrong_usage_as_json_if_json_is_requested() {
    let outcome = Project::new(&[]).kit(&["build", "--json", "--rot", "x"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (2, ""));
    let json = outcome.json();
    assert_eq!(json["code"], "USAGE_ERROR");
    let message = json["message"].as_str().unwrap();
    assert!(
        message.starts_with("unexpected argument '--rot' found"),
        "{message}"
    );
}

#[test]
fn reports_a_root_that_does_not_exist() {
    let project = Project::new(&[("file", "")]);
    for root in ["missing", "file"] {
        let outcome = project.kit(&["build", "--root", root]);
        let expected = format!(
            "error: there is no directory {}\n",
            project.root.join(root).display()
        );
        assert_eq!(outcome.parts(), (1, "", expected.as_str()));
    }
    let outcome = project.kit(&["build", "--json", "--root", "missing"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (1, ""));
    assert_eq!(outcome.json()["code"], "BUILD_ERROR");
    assert_eq!(outcome.json()["phase"], "configuration");
}

#[test]
fn prints_colours_only_on_terminals_that_support_them() {
    let mut project = Project::new(&[]);
    let colored = |project: &Project| {
        project
            .kit(&["build", "--root", "missing"])
            .err
            .contains('\u{1b}')
    };
    assert!(!colored(&project));
    project.terminal = true;
    assert!(colored(&project));
    assert!(project.kit(&["--help"]).out.contains('\u{1b}'));
    for args in [
        ["build", "--root", "missing", "--no-color"],
        ["--no-color", "build", "--root", "missing"],
        ["build", "--help", "--no-color", "--json"],
        ["build", "--rot", "missing", "--no-color"],
    ] {
        let outcome = project.kit(&args);
        assert!(
            !outcome.err.contains('\u{1b}') && !outcome.out.contains('\u{1b}'),
            "{args:?}"
        );
    }
    project.set("NO_COLOR", "1");
    assert!(!colored(&project));
    assert!(!project.kit(&["--help"]).out.contains('\u{1b}'));
    project.set("NO_COLOR", "");
    assert!(colored(&project));
    project.set("TERM", "dumb");
    assert!(!colored(&project));
}

#[test]
fn reports_an_invalid_source_date_epoch() {
    let mut project = Project::new(&[]);
    project.set("SOURCE_DATE_EPOCH", "soon");
    let outcome = project.kit(&["build"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("SOURCE_DATE_EPOCH must be"),
        "{}",
        outcome.err
    );
}

#[test]
fn asks_the_host_to_load_a_configuration_file() {
    let mut project = Project::new(&[("kit.config.ts", "")]);
    project.host.config = Some(Ok(json!({ "outputDri": "x" })));
    let outcome = project.kit(&["build"]);
    assert_eq!(
        outcome.parts(),
        (
            1,
            "",
            "error[KIT1001]: kit.config.ts: unknown option `outputDri`\n |\n = help: did you mean `outputDir`?\n\n\
             1 error; nothing was written\n`kit explain KIT1001` gives details about the error\n"
        )
    );
    let json = project.kit(&["build", "--json"]).json();
    assert_eq!(
        json,
        json!({
            "code": "BUILD_ERROR",
            "phase": "configuration",
            "failures": [{
                "message": "kit.config.ts: unknown option `outputDri`",
                "suggestion": "did you mean `outputDir`?",
                "code": "KIT1001",
            }],
        })
    );
    assert_eq!(
        *project.host.asked.borrow(),
        ["config kit.config.ts", "config kit.config.ts"]
    );
}

#[test]
fn reports_a_configuration_file_that_cannot_be_loaded() {
    let mut project = Project::new(&[("kit.config.js", "")]);
    project.host.config = Some(Err("kit.config.js cannot be loaded: x is not defined".to_owned()));
    let outcome = project.kit(&["build"]);
    let expected = "error[KIT1004]: kit.config.js cannot be loaded: x is not defined\n--> kit.config.js\n\n\
                    1 error; nothing was written\n`kit explain KIT1004` gives details about the error\n";
    assert_eq!(outcome.parts(), (1, "", expected));
    let json = project.kit(&["build", "--json"]).json();
    assert_eq!(json["failures"][0]["path"], "kit.config.js");
    assert_eq!(json["failures"][0]["code"], "KIT1004");
    // If the host does not know the location, kit finds the location of a syntax error.
    project.write("kit.config.js", "export default {\n  a: = 1,\n};\n");
    let json = project.kit(&["build", "--json"]).json();
    assert_eq!(json["failures"][0]["line"], 2);
}

#[test]
fn completions_contain_every_command() {
    let project = Project::new(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let outcome = project.kit(&["completions", shell]);
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{shell}");
        for word in ["migrate:apply", "inspect", "build-pipeline", "debug-port"] {
            assert!(outcome.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(project.kit(&["completions", "dos"]).code, 2);
}
