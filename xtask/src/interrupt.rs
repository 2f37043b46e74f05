//! Handles Ctrl-C and SIGTERM: the command asks its child processes to stop, and exits after them.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Maximum time for a child process to stop. Then it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Makes signals set a flag. Otherwise signals would end the process.
pub(crate) fn install() {
    // This fails only if there is already a handler. Then a signal ends the process at once.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst));
}

/// Stops the children of this command, as a signal does.
pub(crate) fn interrupt() {
    INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Returns true if a signal has arrived.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Asks a child process to stop and waits. Kills it if it does not stop in time.
pub(crate) fn stop(child: &mut Child) -> anyhow::Result<()> {
    if child.try_wait()?.is_some() {
        return Ok(());
    }
    terminate(child);
    if wait(child)? {
        return Ok(());
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// Asks all processes in the process group of a child to stop, waits for the child, and kills the processes that are
/// left. The child must be the leader of its group.
#[cfg(unix)]
pub(crate) fn stop_group(child: &mut Child) -> anyhow::Result<()> {
    use rustix::process::{Pid, Signal, kill_process_group};

    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return stop(child);
    };
    // An error means that no process of the group is left.
    let _ = kill_process_group(group, Signal::TERM);
    wait(child)?;
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()?;
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn stop_group(child: &mut Child) -> anyhow::Result<()> {
    stop(child)
}

/// Waits until a child process has exited. Returns false if it has not exited in time.
fn wait(child: &mut Child) -> anyhow::Result<bool> {
    let deadline = Instant::now() + STOP_TIMEOUT;
    while Instant::now() < deadline {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(false)
}

/// Asks a child process to stop. Does not wait.
#[cfg(unix)]
pub(crate) fn terminate(child: &Child) {
    if let Some(pid) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // An error means that the child process has just exited.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
pub(crate) fn terminate(_: &Child) {
    // This platform has no SIGTERM. [`stop`] kills the child process after its timeout.
}
