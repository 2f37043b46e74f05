//! CPU time of programs that xtask starts, in user mode and in the kernel. On a machine that runs other programs too,
//! the CPU times of two runs can be compared, unlike their durations.
//!
//! The time includes the children of a program for which the program has waited. It does not include programs that
//! continue or are killed without a wait, for example a PostgreSQL server that `kit dev` starts. Only on Linux can
//these times be read without unsafe code.

use std::process::Child;
use std::time::Duration;

/// Waits until a program exits, and returns the CPU time of the program and of its children. Returns `None` if the
/// time is unknown. The caller must still call [`Child::wait`].
#[cfg(target_os = "linux")]
pub(crate) fn of_exited(child: &Child) -> Option<Duration> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let pid = Pid::from_raw(i32::try_from(child.id()).ok()?)?;
    // Until somebody waits for a program that has exited, Linux keeps its times.
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).ok()?;
    read(&format!("/proc/{pid}/stat"))
}

/// Returns true if a program has exited. Linux then still keeps its times. Returns false if this is unknown.
#[cfg(target_os = "linux")]
pub(crate) fn has_exited(child: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_))))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn has_exited(_: &Child) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn of_exited(_: &Child) -> Option<Duration> {
    None
}

/// Returns the CPU time of this program and of all programs that it has started and that have exited.
pub(crate) fn of_all() -> Option<Duration> {
    read("/proc/self/stat")
}

/// Reads the file `stat` of a process. Returns `None` if there is no such file.
fn read(file: &str) -> Option<Duration> {
    let ticks = ticks(&std::fs::read_to_string(file).ok()?)?;
    Some(Duration::from_millis(ticks * 1000 / ticks_per_second()))
}

#[cfg(unix)]
fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

#[cfg(not(unix))]
fn ticks_per_second() -> u64 {
    100
}

/// Adds up the times of a process and of its children: `utime`, `stime`, `cutime` and `cstime` of `proc_pid_stat(5)`.
fn ticks(stat: &str) -> Option<u64> {
    // The second field is the name of the program in parentheses. The name may contain spaces and parentheses.
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u64> = fields
        .split_whitespace()
        .skip(11)
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    (times.len() == 4).then(|| times.iter().sum())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::{of_all, of_exited, ticks};

    #[test]
    fn adds_up_the_times_of_a_process_and_of_its_children() {
        let stat = "12 (a) b) S 1 2 3 0 -1 4194560 100 200 0 0 1 20 300 4000 20 0 1 0 55 66";
        assert_eq!(ticks(stat), Some(4321));
        assert_eq!(ticks("12 (a) S 1 2 3"), None);
    }

    #[test]
    fn measures_a_program_and_its_children_and_leaves_the_exit_code_to_the_caller() {
        let mut child = Command::new("sh")
            .args([
                "-c",
                "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; exit 7",
            ])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let measured = of_exited(&child).unwrap();
        assert!(measured >= Duration::from_millis(20), "{measured:?}");
        assert!(measured < Duration::from_mins(1), "{measured:?}");
        assert_eq!(child.wait().unwrap().code(), Some(7));
        assert!(of_all().unwrap() >= measured);
    }
}
