//! Parser of the pages in `resources/`: the files of their projects, and the claims about them.

/// Files and claims below one heading of a page.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) files: Vec<File>,
    pub(crate) revealed: Vec<Revealed>,
    pub(crate) said: Vec<ExpectedDiagnostic>,
}

/// A file of the project that a section describes.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
    /// For each line of the file, the number of the line in the page.
    pub(crate) lines: Vec<usize>,
}

/// A claim about a type: `// revealed: …`.
#[derive(Debug)]
pub(crate) struct Revealed {
    pub(crate) file: String,
    pub(crate) export: String,
    /// Line of the page on which the exported type starts.
    pub(crate) export_line: usize,
    pub(crate) line: usize,
    pub(crate) expected: String,
}

/// A claim about a diagnostic: `// error: …` or `// warning: …`.
#[derive(Debug)]
pub(crate) struct ExpectedDiagnostic {
    pub(crate) warning: bool,
    pub(crate) code: String,
    pub(crate) message: Option<String>,
    pub(crate) under: Option<String>,
    /// Line of the page on which the diagnostic is expected.
    pub(crate) line: usize,
}

/// Path of the file that consists of all code blocks without `file=`.
const PAGE: &str = "src/page.ts";

/// Returns the sections of a page. An error starts with the number of its line.
pub(crate) fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut sections = vec![Section::default()];
    // Index of the file whose code block is being read.
    let mut open: Option<usize> = None;
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let section = sections.last_mut().ok_or("1: no section")?;
        if fenced {
            if line == "```" {
                (fenced, open) = (false, None);
            } else if let Some(file) = open {
                section.files[file].text.push_str(line);
                section.files[file].text.push('\n');
                section.files[file].lines.push(number);
            }
        } else if let Some(info) = line.strip_prefix("```") {
            fenced = true;
            open = block(section, info).map_err(|what| format!("{number}: {what}"))?;
        } else if line.starts_with('#') {
            sections.push(Section {
                title: line.trim_start_matches('#').trim().to_owned(),
                ..Section::default()
            });
        }
    }
    if fenced {
        return Err("1: a code block is never closed".to_owned());
    }
    sections.retain(|section| !section.files.is_empty());
    for section in &mut sections {
        claims(section)?;
    }
    Ok(sections)
}

/// Returns the index of the file that a code block belongs to; `None` for a block in a language other than
/// TypeScript and JSON.
fn block(section: &mut Section, info: &str) -> Result<Option<usize>, String> {
    let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
    if !matches!(language, "ts" | "json") {
        return Ok(None);
    }
    let path = match rest.strip_prefix("file=") {
        Some(path) => path,
        None if rest.is_empty() && language == "ts" => PAGE,
        None => return Err(format!("`{info}`: write `ts` or `ts file=src/name.ts`")),
    };
    let known = section.files.iter().position(|file| file.path == path);
    Ok(Some(known.unwrap_or_else(|| {
        section.files.push(File {
            path: path.to_owned(),
            text: String::new(),
            lines: Vec::new(),
        });
        section.files.len() - 1
    })))
}

fn claims(section: &mut Section) -> Result<(), String> {
    for file in &section.files {
        let mut export: Option<(&str, usize)> = None;
        for (line, number) in file.text.lines().zip(&file.lines) {
            if let Some(name) = exported(line) {
                export = Some((name, *number));
            }
            let Some((before, claim)) = comment(line) else {
                continue;
            };
            if let Some(expected) = claim.strip_prefix("revealed: ") {
                let Some((export, export_line)) = export else {
                    return Err(format!("{number}: nothing is exported above this line"));
                };
                section.revealed.push(Revealed {
                    file: file.path.clone(),
                    export: export.to_owned(),
                    export_line,
                    line: *number,
                    expected: expected.trim().to_owned(),
                });
            } else {
                let line = if before.trim().is_empty() {
                    number + 1
                } else {
                    *number
                };
                section.said.push(
                    said(claim, line).ok_or_else(|| {
                        format!("{number}: write `// error: [KIT1301] \"message\" at `text``")
                    })?,
                );
            }
        }
    }
    Ok(())
}

/// Returns the code of a line before its claim, and the claim; `None` for a line without a claim.
fn comment(line: &str) -> Option<(&str, &str)> {
    ["revealed: ", "error: ", "warning: "]
        .into_iter()
        .find_map(|kind| {
            let at = line.find(&format!("// {kind}"))?;
            Some((&line[..at], &line[at + 3..]))
        })
}

/// Returns the name of the type that a line exports: `A` for `export type A = …`.
fn exported(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("export ")?.split_whitespace();
    let kind = words.find(|word| !matches!(*word, "declare" | "abstract" | "const" | "default"))?;
    if !matches!(kind, "type" | "interface" | "class" | "enum") {
        return None;
    }
    let name = words.next()?;
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    let name = &name[..end.unwrap_or(name.len())];
    (!name.is_empty()).then_some(name)
}

fn said(claim: &str, line: usize) -> Option<ExpectedDiagnostic> {
    let (kind, rest) = claim.split_once(": [")?;
    let (code, rest) = rest.split_once(']')?;
    let rest = rest.trim();
    let (rest, under) = match rest.find("at `") {
        Some(at) => (
            rest[..at].trim(),
            Some(rest[at + 4..].strip_suffix('`')?.to_owned()),
        ),
        None => (rest, None),
    };
    let message = match rest {
        "" => None,
        _ => Some(rest.strip_prefix('"')?.strip_suffix('"')?.to_owned()),
    };
    Some(ExpectedDiagnostic {
        warning: kind == "warning",
        code: code.to_owned(),
        message,
        under,
        line,
    })
}
