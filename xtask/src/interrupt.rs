//! Ctrl-C and SIGTERM: the command's children are told to stop, and the command ends when they have.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How long a child may take to stop before it is killed.
const PATIENCE: Duration = Duration::from_secs(15);

/// Notes the signals from now on instead of dying of them.
pub(crate) fn install() {
    // Fails only if a handler is there already; then the default (dying at once) still ends the command.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst));
}

/// Whether a signal has arrived.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Asks a child to stop, waits, and kills it if it does not.
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
        // An error means that it has just ended by itself.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
pub(crate) fn terminate(_: &Child) {
    // There is no such signal; whoever waits kills it in the end.
}
