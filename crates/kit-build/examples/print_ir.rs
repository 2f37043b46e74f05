//! `print_ir ROOT TYPES`: builds a project and prints the compiled program as JSON. `tests/oracle` calls this program.
//!
//! TYPES is a file with a JSON list of exported types to report on, `[{ "file": "src/a.types.ts", "name": "A" }]`. The
//! output contains the program as TypeScript and as IR, and the diagnostics of the build. For each listed type without a
//! declaration, it contains the diagnostics that give the reason. A build leaves out an exported type without a message if
//! no route or table uses it and JSON cannot represent it. Therefore each of these types is compiled again as the response
//! of a route.
#![allow(clippy::print_stdout)] // Reason: the program's result goes to the standard output.

use std::collections::HashSet;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use kit_build::{BuildRequest, BuildTime, Disk, analyze, build, project_root, resolve};
use kit_diagnostics::{Diagnostics, Severity};
use kit_ir::{DeclarationOrigin, Program};
use kit_typescript::{AnyMeaning, FileSystem, Input, compile, program_text};
use serde::{Deserialize, Serialize};

/// An exported type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Exported {
    /// Path of the file, relative to the project's root, with `/`.
    file: String,
    /// Name of the export.
    name: String,
}

#[derive(Serialize)]
struct Output<'a> {
    text: String,
    program: &'a Program,
    diagnostics: Vec<Message>,
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Refused {
    #[serde(flatten)]
    exported: Exported,
    diagnostics: Vec<Message>,
}

#[derive(Serialize)]
#[allow(clippy::struct_field_names)] // the names in the JSON
struct Message {
    code: String,
    error: bool,
    message: String,
    place: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(root), Some(types)) = (arguments.next(), arguments.next()) else {
        return Err("usage: print_ir ROOT TYPES".into());
    };
    let root = project_root(Path::new(&root))?;
    let wanted: Vec<Exported> = serde_json::from_str(&Disk.read(Path::new(&types))?)?;
    let config = resolve(&root, None)?.config;
    let time = BuildTime::new(None, SystemTime::UNIX_EPOCH)?;
    let request = BuildRequest {
        root: &root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    let report = build(&request, &())?;
    let program = analyze(&request, &())?.program;
    let known = declared(&program);
    let refused = wanted
        .into_iter()
        .filter(|exported| !known.contains(exported))
        .map(|exported| Refused {
            diagnostics: messages_for(&root, &exported),
            exported,
        })
        .collect();
    let answer = Output {
        text: program_text(&program),
        program: &program,
        diagnostics: said(&report.diagnostics),
        refused,
    };
    println!("{}", serde_json::to_string(&answer)?);
    Ok(())
}

/// Returns the exported types that are declarations of the program.
fn declared(program: &Program) -> HashSet<Exported> {
    program
        .declarations
        .iter()
        .filter_map(|declaration| match &declaration.origin {
            DeclarationOrigin::Named { export } => Some(Exported {
                file: program.path(declaration.span).to_owned(),
                name: export.clone(),
            }),
            _ => None,
        })
        .collect()
}

/// Returns the messages of kit on a route whose response is a list of the type. The response is a list because the type
/// itself may be `undefined`, which means a route without a response.
fn messages_for(root: &Path, exported: &Exported) -> Vec<Message> {
    let route = root.join("print-ir.routes.ts");
    let text = format!(
        "import type {{ RouteContract }} from \"@kit/types\";\nimport type {{ {name} as Asked }} from \"./{file}\";\n\
         export interface Routes {{ \"GET /asked\": RouteContract<void, void, void, Asked[]> }}\n",
        name = exported.name,
        file = exported.file,
    );
    let output = compile(&Input {
        root,
        type_files: Vec::new(),
        route_files: vec![route.clone()],
        any: AnyMeaning::Error,
        entry_files: Vec::new(),
        files: Arc::new(WithRoute { route, text }),
    });
    said(&output.diagnostics)
}

fn said(diagnostics: &Diagnostics) -> Vec<Message> {
    diagnostics
        .iter()
        .map(|diagnostic| Message {
            code: diagnostic.code.name(),
            error: diagnostic.severity == Severity::Error,
            message: diagnostic.message.clone(),
            place: diagnostic.primary().map_or_else(String::new, |label| {
                format!("{}:{}:{}", label.path, label.line, label.column)
            }),
        })
        .collect()
}

/// A file system that also contains one file with a route.
struct WithRoute {
    route: PathBuf,
    text: String,
}

impl FileSystem for WithRoute {
    fn read(&self, path: &Path) -> io::Result<String> {
        if path == self.route {
            return Ok(self.text.clone());
        }
        Disk.read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path == self.route || Disk.is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        Disk.is_dir(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        if path == self.route {
            return Ok(path.to_path_buf());
        }
        Disk.real_path(path)
    }
}
