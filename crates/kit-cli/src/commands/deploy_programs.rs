//! Names of programs in the files of a project, for `kit generate deploy`.

use toml_edit::DocumentMut;

/// Returns the program that a script runs with `node`: `src/main.ts` of `node --enable-source-maps src/main.ts`.
pub(super) fn program_of(script: &str) -> Option<&str> {
    let mut words = script
        .split_whitespace()
        .skip_while(|word| *word != "node")
        .skip(1);
    // The next word belongs to the option.
    let with_value = [
        "-r",
        "--require",
        "--import",
        "--loader",
        "--env-file",
        "-C",
        "--conditions",
    ];
    let program = loop {
        let word = words.next()?;
        if with_value.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            break word;
        }
    };
    let program = program.strip_prefix("./").unwrap_or(program);
    let ending = program.rsplit_once('.')?.1;
    matches!(ending, "ts" | "mts" | "cts" | "js" | "mjs" | "cjs").then_some(program)
}

/// Returns the name of the package in a `Cargo.toml`.
pub(super) fn crate_name(manifest: &str) -> Option<String> {
    let manifest: DocumentMut = manifest.parse().ok()?;
    let name = manifest.get("package")?.get("name")?.as_str()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{crate_name, program_of};

    #[test]
    fn the_program_is_the_first_path_after_node() {
        for (script, program) in [
            ("node src/main.ts", Some("src/main.ts")),
            (
                "NODE_ENV=production node --enable-source-maps ./dist/main.js --port 1",
                Some("dist/main.js"),
            ),
            (
                "node --import ./otel.mjs -r dotenv src/main.ts",
                Some("src/main.ts"),
            ),
            ("tsx src/main.ts", None),
            ("node .", None),
        ] {
            assert_eq!(program_of(script), program, "{script}");
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
