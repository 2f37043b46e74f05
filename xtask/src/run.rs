//! Runs other programs and captures their output, which is shown only if they fail.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::progress::Step;
use crate::repository::Repository;
use crate::{cpu, interrupt};

/// Result of a program that has exited.
pub(crate) struct Finished {
    /// True if its exit code was 0.
    pub(crate) success: bool,
    /// Lines of standard output and standard error in the order in which they arrived.
    pub(crate) output: String,
    /// Standard output without standard error.
    pub(crate) stdout: String,
    /// CPU time of the program and of its children, if known.
    pub(crate) cpu: Option<Duration>,
    /// True if the program ran for longer than its timeout and was stopped.
    pub(crate) timed_out: bool,
}

/// Creates a command that runs in the root of the repository without standard input. Programs that npm installed come
/// first in its `PATH`.
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
        // cargo sets these variables for this program. If this program starts cargo again, the new cargo must not see them.
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_PKG_NAME")
        // Generated projects ask for debug information, which no test reads and which takes time to write. The
        // profile of the workspace has no debug information either, so the generated projects and the workspace share
        // compiled crates.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .stdin(Stdio::null());
    // Incremental compilation takes a third more CPU time when nothing is there to reuse. cargo does not compile again what
    // was compiled without.
    if repository.is_first_build() && std::env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    Ok(command)
}

/// Runs a program to its end and captures its output. Meanwhile, shows its last line next to the step. A signal stops
/// the program.
pub(crate) fn finish(command: Command, step: &Step) -> anyhow::Result<Finished> {
    watch(command, step, until(interrupt::interrupted))
}

/// Runs a program in the same way as [`finish`], but for no longer than `timeout`. Then the program and its process group
/// are stopped, and the output ends with a list of the processes that were still running. The same happens if the program
/// has exited, but has left processes that keep its output open.
pub(crate) fn finish_within(
    mut command: Command,
    step: &Step,
    timeout: Duration,
) -> anyhow::Result<Finished> {
    // The program gets a process group of its own, so that a program that hangs is stopped with all its children. Ctrl-C
    // in a terminal does not reach that group, but `interrupt::stop_group` does.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let limit = Limit {
        is_cancelled: interrupt::interrupted,
        timeout: Some(timeout),
        stop: interrupt::stop_group,
    };
    watch(command, step, limit)
}

/// Time for which processes that a program has left may keep its output open. Then they are stopped.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Conditions under which a program is stopped before it exits.
struct Limit<F> {
    is_cancelled: F,
    timeout: Option<Duration>,
    stop: fn(&mut Child) -> anyhow::Result<()>,
}

/// Returns a limit without a timeout.
fn until<F: Fn() -> bool>(is_cancelled: F) -> Limit<F> {
    Limit {
        is_cancelled,
        timeout: None,
        stop: interrupt::stop,
    }
}

/// Runs a program until it exits and has closed its output, or until the limit is reached.
fn watch(mut command: Command, step: &Step, limit: Limit<impl Fn() -> bool>) -> anyhow::Result<Finished> {
    let is_cancelled = limit.is_cancelled;
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
    let started = Instant::now();
    let mut exited = None;
    loop {
        match receiver.recv_timeout(Duration::from_millis(100)) {
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
            (limit.stop)(&mut child)?;
            bail!("interrupted");
        }
        if exited.is_none() && limit.timeout.is_some() && cpu::has_exited(&child) {
            exited = Some(Instant::now());
        }
        let is_late = limit.timeout.is_some_and(|timeout| started.elapsed() > timeout);
        // The program has exited, but a process that it has started keeps the output open.
        let has_left_processes = exited.is_some_and(|time| time.elapsed() > CLOSE_TIMEOUT);
        if is_late || has_left_processes {
            let processes = processes(&child);
            (limit.stop)(&mut child)?;
            let reason = if has_left_processes {
                "exited, but left processes that keep its output open".to_owned()
            } else {
                format!("was stopped after {} s", started.elapsed().as_secs())
            };
            let _ = writeln!(
                output,
                "\n`{name}` {reason}. Its processes at that time:\n{processes}"
            );
            // The readers are not joined: a process that left the group may keep the output open.
            return Ok(Finished {
                success: false,
                output,
                stdout,
                cpu: None,
                timed_out: is_late,
            });
        }
    }
    for reader in readers {
        let _ = reader.join();
    }
    let cpu = cpu::of_exited(&child);
    let status = child.wait()?;
    let success = status.success();
    // Ctrl-C in a terminal also reaches the program. The program may exit before this process receives its own signal,
    // so its exit status counts too. The error should name the signal even then.
    if !success && (is_cancelled() || was_interrupted(status)) {
        bail!("interrupted");
    }
    Ok(Finished {
        success,
        output,
        stdout,
        cpu,
        timed_out: false,
    })
}

/// Returns a line of `ps` for each process in the group of a program. Returns an empty string if there is no `ps`.
fn processes(child: &Child) -> String {
    let group = child.id().to_string();
    let listed = Command::new("ps")
        .args(["-eo", "pgid=,pid=,ppid=,etimes=,time=,args="])
        .output();
    let Ok(listed) = listed else { return String::new() };
    String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter(|line| line.split_whitespace().next() == Some(&group))
        .map(str::trim)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns true if SIGINT ended a program, or if the program exited with the code that shells use for SIGINT.
fn was_interrupted(status: ExitStatus) -> bool {
    const SIGINT: i32 = 2;
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGINT) {
        return true;
    }
    status.code() == Some(128 + SIGINT)
}

/// Runs two functions at the same time and returns both results.
///
/// # Panics
///
/// If one of them panics.
pub(crate) fn beside<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(second);
        let result = first();
        let other = other
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (result, other)
    })
}

/// Runs a program as a step with a title. If it fails, the error contains its complete output.
pub(crate) fn step(title: &str, command: Command) -> anyhow::Result<String> {
    step_until(title, command, interrupt::interrupted)
}

/// Runs a program in the same way as [`step`], but does not stop it at Ctrl-C. Use the function for cleanup before
/// this program exits.
pub(crate) fn last_step(title: &str, mut command: Command) -> anyhow::Result<String> {
    // Ctrl-C in a terminal reaches the whole process group. A second Ctrl-C must not reach this program.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    step_until(title, command, || false)
}

fn step_until(title: &str, command: Command, is_cancelled: impl Fn() -> bool) -> anyhow::Result<String> {
    Ok(finished_step(title, command, is_cancelled)?.output)
}

/// Runs a program in the same way as [`step`], but returns only standard output. `cargo metadata` writes warnings,
/// which are not JSON, to standard error.
pub(crate) fn stdout_of(title: &str, command: Command) -> anyhow::Result<String> {
    Ok(finished_step(title, command, interrupt::interrupted)?.stdout)
}

fn finished_step(title: &str, command: Command, is_cancelled: impl Fn() -> bool) -> anyhow::Result<Finished> {
    let shown = display(&command);
    let step = Step::start(title);
    let finished = watch(command, &step, until(is_cancelled))?;
    if finished.success {
        step.done("");
        return Ok(finished);
    }
    step.failed("");
    bail!("`{shown}` failed:\n{}", finished.output.trim_end())
}

/// Formats a command in the way that one types it in a shell.
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

    use std::time::{Duration, Instant};

    use super::{finish_within, last_step, step_until};
    use crate::progress::Step;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn reports_an_interruption_if_only_the_program_has_received_the_signal() {
        for script in ["kill -INT $$", "exit 130"] {
            let error = step_until("a step", shell(script), || false).expect_err("the signal ended it");
            assert_eq!(error.to_string(), "interrupted", "{script}");
        }
    }

    #[test]
    fn stops_a_step_at_a_signal_but_not_the_last_step() {
        let error = step_until("a step", shell("sleep 30"), || true).expect_err("it was cancelled");
        assert_eq!(error.to_string(), "interrupted");
        // The program has its own process group, which Ctrl-C in a terminal does not reach.
        let said =
            last_step("the last step", shell("sleep 0.3; ps -o pgid= -p $$; echo $$")).expect("its end");
        let mut lines = said.lines().map(str::trim);
        assert_eq!(lines.next(), lines.next(), "{said}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn stops_the_processes_that_a_program_started_and_did_not_stop() {
        let started = Instant::now();
        let step = Step::start("a step");
        let finished = finish_within(shell("sleep 2345 & echo left"), &step, Duration::from_mins(1)).unwrap();
        assert!(!finished.timed_out && !finished.success);
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{:?}",
            started.elapsed()
        );
        let output = &finished.output;
        assert!(
            output.contains("left processes") && output.contains("sleep 2345"),
            "{output}"
        );
        let alive = Command::new("pgrep")
            .args(["-f", "^sleep 2345$"])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&alive.stdout), "");
    }

    #[test]
    fn stops_a_program_and_its_children_after_the_timeout() {
        let started = Instant::now();
        let step = Step::start("a step");
        // The child of the shell ignores the end of the shell and keeps the output open.
        let finished = finish_within(
            shell("echo begun; sleep 1234 & wait"),
            &step,
            Duration::from_millis(300),
        )
        .unwrap();
        assert!(finished.timed_out && !finished.success);
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{:?}",
            started.elapsed()
        );
        let output = &finished.output;
        assert!(
            output.starts_with("begun\n") && output.contains("sleep 1234"),
            "{output}"
        );
        let alive = Command::new("pgrep")
            .args(["-f", "^sleep 1234$"])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&alive.stdout), "");
    }
}
