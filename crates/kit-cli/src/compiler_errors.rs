//! Parses the error messages of compilers, which are text for people. None of the compilers can print them as JSON.

use kit_build::Compiler;

use crate::failure::Reason;

/// Returns the errors in a compiler's output with their locations. Returns none if the output has an unknown format.
pub(crate) fn read(compiler: Compiler, text: &str) -> Vec<Reason> {
    match compiler {
        Compiler::Tsc => parse_tsc(text),
        Compiler::Tsup => text.lines().filter_map(parse_esbuild).collect(),
        Compiler::Swc => parse_swc(text),
    }
}

/// Parses the errors of tsc: lines such as `src/app.ts(3,7): error TS2322: Type 'string' is not …` with the indented lines
/// below them. An error without a file has the form `error TS18003: No inputs …`.
fn parse_tsc(text: &str) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    for line in text.lines() {
        if let Some(reason) = line_of_tsc(line) {
            found.push(reason);
        } else if let (Some(last), true) = (found.last_mut(), line.starts_with(' ')) {
            last.message.push('\n');
            last.message.push_str(line);
        }
    }
    found
}

fn line_of_tsc(line: &str) -> Option<Reason> {
    if let Some(message) = line.strip_prefix("error ").filter(|rest| rest.starts_with("TS")) {
        return Some(Reason::new(message));
    }
    let (place, message) = line.split_once(": error ")?;
    let (path, position) = place.strip_suffix(')')?.rsplit_once('(')?;
    let (row, column) = position.split_once(',')?;
    Some(reason(path, row.parse().ok()?, column.parse().ok()?, message))
}

/// Parses an error of esbuild, on which tsup is based: `src/app.ts:3:6: ERROR: Unexpected ";"`. Its columns start at 0.
fn parse_esbuild(line: &str) -> Option<Reason> {
    let (place, message) = line.split_once(": ERROR: ")?;
    let (place, column) = place.rsplit_once(':')?;
    let (path, row) = place.rsplit_once(':')?;
    let column: u32 = column.parse().ok()?;
    Some(reason(path, row.parse().ok()?, column + 1, message))
}

/// Parses the errors of swc. The first line of an excerpt contains the path and the line number. The mark `^`
/// below the code shows the column:
///
/// ```text
///   x Expression expected
///    ,-[src/app.ts:3:1]
///  3 | const a = ;
///    :           ^
///    `----
/// ```
fn parse_swc(text: &str) -> Vec<Reason> {
    let mut found = Vec::new();
    let mut message: Option<String> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let inner = line.trim_start();
        if let Some(said) = inner.strip_prefix("x ").or_else(|| inner.strip_prefix("× ")) {
            message = Some(said.to_owned());
        } else if let (Some((path, row)), Some(said)) = (head_of_swc(inner), &message) {
            let mut frame = lines.by_ref().take_while(|line| !is_end_of_swc(line));
            let column = frame.find_map(mark_of_swc).unwrap_or(1);
            found.push(reason(path, row, column, said));
            message = None;
        } else if let (Some(said), Some(more)) = (&mut message, inner.strip_prefix(['|', '│'])) {
            said.push('\n');
            said.push_str(more.trim_start());
        }
    }
    found
}

/// Parses the first line of an excerpt, `,-[src/app.ts:3:1]`, to path and line. The column there is always 1, so it is
/// ignored.
fn head_of_swc(line: &str) -> Option<(&str, u32)> {
    let inner = line.strip_prefix(",-[").or_else(|| line.strip_prefix("╭─["))?;
    let (place, _) = inner.strip_suffix(']')?.rsplit_once(':')?;
    let (path, row) = place.rsplit_once(':')?;
    Some((path, row.parse().ok()?))
}

fn is_end_of_swc(line: &str) -> bool {
    let inner = line.trim_start();
    inner.starts_with("`-") || inner.starts_with("╰─")
}

/// Returns the column of the first `^`, from 1. The source code starts one space after the bar.
fn mark_of_swc(line: &str) -> Option<u32> {
    let (gutter, marks) = line.split_once([':', '·'])?;
    if !gutter.trim().is_empty() {
        return None;
    }
    let column = marks.chars().position(|character| character != ' ')?;
    u32::try_from(column).ok()
}

fn reason(path: &str, row: u32, column: u32, message: &str) -> Reason {
    Reason {
        path: Some(path.to_owned()),
        position: Some((row, column)),
        ..Reason::new(message)
    }
}

#[cfg(test)]
mod tests {
    use kit_build::Compiler;

    use super::read;

    /// Parses the output of a compiler and returns path, line, column and message of each error.
    fn parsed_errors(compiler: Compiler, text: &str) -> Vec<(String, u32, u32, String)> {
        let mistakes = read(compiler, text).into_iter();
        mistakes
            .map(|reason| {
                let (line, column) = reason.position.unwrap();
                (reason.path.unwrap(), line, column, reason.message)
            })
            .collect()
    }

    fn row(path: &str, line: u32, column: u32, message: &str) -> (String, u32, u32, String) {
        (path.to_owned(), line, column, message.to_owned())
    }

    #[test]
    fn parses_errors_of_tsc() {
        let text = "src/a (1).ts(3,7): error TS2322: Type 'A' is not assignable to type 'B'.\n  \
                    Property 'x' is missing.\nsrc/b.ts(1,1): error TS1005: ';' expected.\n\nFound 2 errors.\n";
        assert_eq!(
            parsed_errors(Compiler::Tsc, text),
            [
                row(
                    "src/a (1).ts",
                    3,
                    7,
                    "TS2322: Type 'A' is not assignable to type 'B'.\n  Property 'x' is missing."
                ),
                row("src/b.ts", 1, 1, "TS1005: ';' expected."),
            ]
        );
    }

    #[test]
    fn parses_errors_of_tsup() {
        let text = "CLI tsup v9.0.0\nESM Build start\n✘ [ERROR] Unexpected \";\"\n\n    src/main.ts:2:21:\n      \
                    2 │ export const wrong = ;\n        ╵                      ^\n\nESM Build failed\n\
                    Error: Build failed with 2 errors:\nsrc/main.ts:2:21: ERROR: Unexpected \";\"\n\
                    src/three.ts:1:16: ERROR: Could not resolve \"./nothere.ts\"\n    at main.js:1752:15\n";
        assert_eq!(
            parsed_errors(Compiler::Tsup, text),
            [
                row("src/main.ts", 2, 22, "Unexpected \";\""),
                row("src/three.ts", 1, 17, "Could not resolve \"./nothere.ts\""),
            ]
        );
        assert!(parsed_errors(Compiler::Tsup, "Cannot find src/none.ts\n").is_empty());
    }

    #[test]
    fn parses_errors_of_swc() {
        let text = "  x Expression expected\n   ,-[src/main.ts:2:1]\n 1 | const a = { b: 1 };\n \
                    2 | export const wrong = ;\n   :                      ^\n   `----\n\n\nCaused by:\n    Syntax Error\n\n\
                    Stack backtrace:\n   0: <unknown>\n  x Expected ',', got 'x'\n  | and more\n   ,-[src/two.ts:10:1]\n \
                    10 | f(1 x)\n    :     ^\n    `----\nSuccessfully compiled: 1 file with swc (826.35ms)\n\
                    Failed to compile 2 files with swc.\nError: Failed to compile:\nsrc/main.ts\nsrc/two.ts\n";
        assert_eq!(
            parsed_errors(Compiler::Swc, text),
            [
                row("src/main.ts", 2, 22, "Expression expected"),
                row("src/two.ts", 10, 5, "Expected ',', got 'x'\nand more"),
            ]
        );
        let drawn = "  × Expression expected\n   ╭─[src/main.ts:2:1]\n 2 │ export const wrong = ;\n   ·                      ─\n   ╰────\n";
        assert_eq!(
            parsed_errors(Compiler::Swc, drawn),
            [row("src/main.ts", 2, 22, "Expression expected")]
        );
    }
}
