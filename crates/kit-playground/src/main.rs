//! Program of the compiler as WebAssembly: `kit-playground ROOT` builds the project in the directory ROOT, and prints the
//! result as JSON.
#![allow(clippy::print_stdout, clippy::print_stderr)] // Reason: the output is the result of the program.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use kit_build::BuildTime;

fn main() -> ExitCode {
    let Some(root) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("name the directory of the project: kit-playground ROOT");
        return ExitCode::from(2);
    };
    let epoch = std::env::var("SOURCE_DATE_EPOCH").ok();
    let answer = BuildTime::new(epoch.as_deref(), SystemTime::now())
        .and_then(|time| kit_playground::build(&root, &time))
        .map_err(|error| error.to_string())
        .and_then(|answer| serde_json::to_string(&answer).map_err(|error| error.to_string()));
    match answer {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
