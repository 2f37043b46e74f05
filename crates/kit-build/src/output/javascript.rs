//! Copies generated JavaScript and JSON beside compiled code.

use std::io;
use std::path::Path;

use super::manifest::Manifest;
use super::paths::MANIFEST;
use crate::{BuildError, disk, read_text, write_text};

/// Generated files that a compiler leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncompiled {
    /// JSON, which the application reads when it runs, such as the `OpenAPI` document.
    Json,
    /// JSON and JavaScript, as tsc leaves them out.
    JavaScriptAndJson,
}

/// Copies the files of an output directory that a compiler left out beside the compiled files. Copies the files of contract
/// tests only if the compiled files contain contract tests. In the copies of JavaScript, imports name the compiled files:
/// `./Tag.validator.ts` becomes `./Tag.validator.js`. Files that are equal already are not written.
///
/// # Errors
///
/// Returns an error if a file cannot be read or written.
pub fn copy_uncompiled(from: &Path, to: &Path, files: Uncompiled) -> Result<(), BuildError> {
    let path = from.join(MANIFEST);
    let Some(bytes) = disk::read_optional(&path)? else {
        return Ok(());
    };
    let damaged = |problem: String| BuildError::io("read", &path)(io::Error::other(problem));
    let manifest = Manifest::parse(&bytes).map_err(damaged)?;
    let ends_with =
        |file: &str, wanted: &str| Path::new(file).extension().is_some_and(|ending| ending == wanted);
    // The compiler compiles the contract tests only if its configuration includes them.
    let has_tests = disk::is_dir(&to.join("tests"));
    let is_wanted = |file: &&String| {
        let is_left_out =
            ends_with(file, "json") || files == Uncompiled::JavaScriptAndJson && ends_with(file, "js");
        is_left_out && (has_tests || !file.starts_with("tests/"))
    };
    for file in manifest.files.keys().filter(is_wanted) {
        let Some(text) = read_text(&from.join(file))? else {
            continue;
        };
        let text = if ends_with(file, "js") {
            with_compiled_imports(&text)
        } else {
            text
        };
        let target = to.join(file);
        if read_text(&target)?.as_deref() != Some(text.as_str()) {
            write_text(&target, &text)?;
        }
    }
    Ok(())
}

/// Returns a generated module in which imports of `.ts` files become imports of `.js` files. A statement of a
/// generated module ends its line.
fn with_compiled_imports(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let is_import = line.contains(" from \"./") || line.contains(" from \"../");
        match line.strip_suffix(".ts\";\n") {
            Some(start) if is_import => format!("{start}.js\";\n"),
            _ => line.to_owned(),
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::with_compiled_imports;

    #[test]
    fn copies_import_compiled_files() {
        let text = "import { a } from \"./validators/A.validator.ts\";\nimport {\n  b,\n} from \"../b.ts\";\nconst c = \"from ./c.ts\";\n";
        let expected = "import { a } from \"./validators/A.validator.js\";\nimport {\n  b,\n} from \"../b.js\";\nconst c = \"from ./c.ts\";\n";
        assert_eq!(with_compiled_imports(text), expected);
    }
}
