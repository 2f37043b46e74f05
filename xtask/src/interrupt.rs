//! Handles Ctrl-C and SIGTERM: the children of the command are asked to stop, and the command exits after them.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Maximum time until a child stops, before it is killed.
const PATIENCE: Duration = Duration::from_secs(15);

/// Installs handlers that record the signals instead of exiting.
pub(crate) fn install() {
    // Fails only if there is already a handler; then the default action (exit at once) still stops the command.
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

/// Asks a child to stop, waits, and kills the child if it does not stop.
pub(crate) fn stop(child: &mut Child) -> anyhow::Result<()> {
    if child.try_wait()?.is_some() {
        return Ok(());
    }
    terminate(child);
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// Asks a child to stop, without waiting.
#[cfg(unix)]
pub(crate) fn terminate(child: &Child) {
    if let Some(pid) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // An error means that the child has just exited.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
pub(crate) fn terminate(_: &Child) {
    // This platform has no such signal; the caller kills the child after its timeout.
}
