//! Runs a command, from its arguments to its exit code.

use std::ffi::OsString;

use clap::Parser as _;
use serde::Serialize;

use crate::args::CommandLine;
use crate::console::Console;
use crate::context::Context;
use crate::{Environment, Exit, Host, Stream};

/// Runs a command. `args` do not contain the program's name. While the returned future is pending, the
/// command waits for an operation of the host, which the caller must run.
pub async fn run(args: Vec<OsString>, environment: &dyn Environment, host: &dyn Host) -> Exit {
    let json = wants_json(&args);
    let no_color = args.iter().any(|argument| argument == "--no-color");
    let program = OsString::from("kit");
    let line = match CommandLine::try_parse_from(std::iter::once(program).chain(args)) {
        Ok(line) => line,
        Err(error) => return explain(&error, &Console::new(environment, json).plain(no_color)),
    };
    let console = Console::new(environment, line.command.json()).plain(line.no_color);
    let context = Context {
        console: &console,
        environment,
        host,
    };
    // On the heap, because `kit mcp` runs other commands, so that the future contains itself.
    let result = Box::pin(line.command.run(&context)).await;
    match result {
        Ok(()) if console.has_write_error() => Exit::Failure,
        Ok(()) => Exit::Success,
        Err(stop) => {
            stop.print(&console);
            stop.exit()
        }
    }
}

#[derive(Serialize)]
struct UsageFailure {
    code: &'static str,
    message: String,
}

/// Returns true if the arguments request JSON, even if they are invalid.
fn wants_json(args: &[OsString]) -> bool {
    let mut args = args.iter().take_while(|argument| *argument != "--");
    let mut before: Option<&OsString> = None;
    args.any(|argument| {
        let is_format = before.is_some_and(|before| before == "--format") && argument == "json";
        before = Some(argument);
        is_format || argument == "--json" || argument == "--format=json"
    })
}

/// Prints a message of clap. Help and version go to standard output; all other messages are about invalid arguments.
fn explain(error: &clap::Error, console: &Console<'_>) -> Exit {
    let stream = if error.use_stderr() {
        Stream::Err
    } else {
        Stream::Out
    };
    let rendered = error.render();
    let plain = rendered.to_string();
    if !error.use_stderr() {
        let text = if console.colors(stream) {
            rendered.ansi().to_string()
        } else {
            plain
        };
        console.write(stream, &text);
        return if console.has_write_error() {
            Exit::Failure
        } else {
            Exit::Success
        };
    }
    if console.is_json() {
        console.json(&UsageFailure {
            code: "USAGE_ERROR",
            message: plain.trim_end().trim_start_matches("error: ").to_owned(),
        });
    } else if console.colors(stream) {
        console.write(stream, &rendered.ansi().to_string());
    } else {
        console.write(stream, &plain);
    }
    Exit::Usage
}
