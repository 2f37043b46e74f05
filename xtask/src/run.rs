//! Running other programs: their output is kept and shown only where it matters.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, bail};

use crate::interrupt;
use crate::progress::Step;
use crate::repository::Repository;

/// What a program printed and how it ended.
pub(crate) struct Finished {
    /// Whether it ended with 0.
    pub(crate) success: bool,
    /// Standard output and standard error, line by line as they came.
    pub(crate) output: String,
}

/// A command that finds Node 24 and the npm tools before anything else on the PATH, and has no standard input.
pub(crate) fn command(repository: &Repository, program: impl AsRef<OsStr>) -> anyhow::Result<Command> {
    let mut paths = vec![repository.bin()];
    if let Some(path) = std::env::var_os("PATH") {
        paths.extend(std::env::split_paths(&path));
    }
    let mut command = Command::new(program);
    command
        .current_dir(repository.root())
        .env(
            "PATH",
            std::env::join_paths(paths).context("PATH holds a directory with a separator in its name")?,
        )
        // Cargo sets these for this program; a cargo below must not see them.
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_PKG_NAME")
        .stdin(Stdio::null());
    Ok(command)
}

/// Runs to the end, keeping the output; the last line is shown beside the step while it runs.
pub(crate) fn finish(mut command: Command, step: &Step) -> anyhow::Result<Finished> {
    let name = Path::new(command.get_program()).display().to_string();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{name}` could not be started; is it installed?"))?;
    let (sender, receiver) = mpsc::channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|out| Box::new(out) as _),
        child.stderr.take().map(|err| Box::new(err) as _),
    ];
    let readers: Vec<_> = streams
        .into_iter()
        .flatten()
        .map(|stream| {
            let sender = sender.clone();
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                let mut line = Vec::new();
                while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
                    if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                        break;
                    }
                    line.clear();
                }
            })
        })
        .collect();
    drop(sender);
    let mut output = String::new();
    loop {
        match receiver.recv_timeout(std::time::Duration::from_millis(100)) {
            Ok(line) => {
                let shown: String = line.trim().chars().take(70).collect();
                if !shown.is_empty() {
                    step.detail(&shown);
                }
                output.push_str(&line);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        if interrupt::interrupted() {
            interrupt::stop(&mut child)?;
            bail!("interrupted");
        }
    }
    for reader in readers {
        let _ = reader.join();
    }
    Ok(Finished {
        success: child.wait()?.success(),
        output,
    })
}

/// Runs one step to its end; a failure shows all that the program printed.
pub(crate) fn step(title: &str, command: Command) -> anyhow::Result<String> {
    let shown = display(&command);
    let step = Step::start(title);
    let finished = finish(command, &step)?;
    if finished.success {
        step.done("");
        return Ok(finished.output);
    }
    step.failed("");
    bail!("`{shown}` failed:\n{}", finished.output.trim_end())
}

/// The command as one would type it.
pub(crate) fn display(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
