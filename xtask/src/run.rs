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
    /// Standard output alone.
    pub(crate) stdout: String,
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

/// Runs to the end, keeping the output; the last line is shown beside the step while it runs. A signal stops the program.
pub(crate) fn finish(command: Command, step: &Step) -> anyhow::Result<Finished> {
    watch(command, step, interrupt::interrupted)
}

/// Runs a program until it ends, or until `is_cancelled` says that it is to stop.
fn watch(mut command: Command, step: &Step, is_cancelled: impl Fn() -> bool) -> anyhow::Result<Finished> {
    let name = Path::new(command.get_program()).display().to_string();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{name}` could not be started; is it installed?"))?;
    let (sender, receiver) = mpsc::channel();
    let streams: [(bool, Option<Box<dyn Read + Send>>); 2] = [
        (true, child.stdout.take().map(|out| Box::new(out) as _)),
        (false, child.stderr.take().map(|err| Box::new(err) as _)),
    ];
    let readers: Vec<_> = streams
        .into_iter()
        .filter_map(|(is_stdout, stream)| Some((is_stdout, stream?)))
        .map(|(is_stdout, stream)| {
            let sender = sender.clone();
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                let mut line = Vec::new();
                while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
                    let text = String::from_utf8_lossy(&line).into_owned();
                    if sender.send((is_stdout, text)).is_err() {
                        break;
                    }
                    line.clear();
                }
            })
        })
        .collect();
    drop(sender);
    let mut output = String::new();
    let mut stdout = String::new();
    loop {
        match receiver.recv_timeout(std::time::Duration::from_millis(100)) {
            Ok((is_stdout, line)) => {
                let shown: String = line.trim().chars().take(70).collect();
                if !shown.is_empty() {
                    step.detail(&shown);
                }
                output.push_str(&line);
                if is_stdout {
                    stdout.push_str(&line);
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        if is_cancelled() {
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
        stdout,
    })
}

/// Runs one step to its end; a failure shows all that the program printed.
pub(crate) fn step(title: &str, command: Command) -> anyhow::Result<String> {
    step_until(title, command, interrupt::interrupted)
}

/// As [`step`], also after Ctrl-C: for what has to be put in order before this program ends.
pub(crate) fn last_step(title: &str, mut command: Command) -> anyhow::Result<String> {
    // Ctrl-C in a terminal goes to the whole group; a second one must not reach it either.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    step_until(title, command, || false)
}

fn step_until(title: &str, command: Command, is_cancelled: impl Fn() -> bool) -> anyhow::Result<String> {
    Ok(finished_step(title, command, is_cancelled)?.output)
}

/// Runs one step as [`step`] does and returns its standard output alone: warnings of `cargo metadata` are no part of its JSON.
pub(crate) fn stdout_of(title: &str, command: Command) -> anyhow::Result<String> {
    Ok(finished_step(title, command, interrupt::interrupted)?.stdout)
}

fn finished_step(title: &str, command: Command, is_cancelled: impl Fn() -> bool) -> anyhow::Result<Finished> {
    let shown = display(&command);
    let step = Step::start(title);
    let finished = watch(command, &step, is_cancelled)?;
    if finished.success {
        step.done("");
        return Ok(finished);
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

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::{last_step, step_until};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_signal_ends_a_step_and_not_the_last_one() {
        let error = step_until("a step", shell("sleep 30"), || true).expect_err("it was cancelled");
        assert_eq!(error.to_string(), "interrupted");
        // It has a process group of its own, which Ctrl-C in a terminal does not reach.
        let said =
            last_step("the last step", shell("sleep 0.3; ps -o pgid= -p $$; echo $$")).expect("its end");
        let mut lines = said.lines().map(str::trim);
        assert_eq!(lines.next(), lines.next(), "{said}");
    }
}
