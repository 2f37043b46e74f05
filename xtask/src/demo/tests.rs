//! Tests signals to `cargo xtask demo --rust` in each phase of the command. Small programs take the place of kit and
//! of the generated server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{Environment, Options, demonstrate};
use crate::interrupt;
use crate::repository::Repository;

/// Environment variable with the role of this test program when it runs as another program: the command or the
/// server.
const ROLE: &str = "KIT_TEST_DEMO_ROLE";
/// Environment variable with the root of the repository that the command uses.
const ROOT: &str = "KIT_TEST_DEMO_ROOT";
/// Maximum time for one phase. The time is long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Phase of the command in which the signal arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    DatabaseStart,
    Migration,
    Serving,
}

/// Returns a repository for the test. Its program `kit` starts a process in place of the database, and waits forever
/// in the given phase.
fn repository(phase: Phase) -> PathBuf {
    let root = std::env::temp_dir().join(format!("kit-demo-{}-{phase:?}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    for directory in [
        "node_modules/.bin",
        "target/generated/debug",
        "examples/notes-rust",
    ] {
        std::fs::create_dir_all(root.join(directory)).expect("a directory");
    }
    std::fs::write(root.join("ARCHITECTURE.md"), "").expect("a file");
    let wait = |here: Phase| {
        if phase == here {
            "touch \"$root/waiting\"; exec sleep 600"
        } else {
            "exit 0"
        }
    };
    // Like the embedded PostgreSQL, the process ignores Ctrl-C and ends only after `kit db stop`.
    let kit = format!(
        r#"#!/bin/sh
root="{root}"
case "$*" in
  "db start")
    (trap "" INT; exec sleep 600 </dev/null >/dev/null 2>&1) &
    echo $! > "$root/database.pid"
    {starting} ;;
  "db stop") kill "$(cat "$root/database.pid")" ;;
  "db url") echo postgres://kit@127.0.0.1:1/app ;;
  "migrate:apply") {migrating} ;;
  *) exit 64 ;;
esac
"#,
        root = root.display(),
        starting = wait(Phase::DatabaseStart),
        migrating = wait(Phase::Migration),
    );
    let server = format!(
        "#!/bin/sh\n{ROLE}=server exec \"{}\" --exact demo::tests::stops_the_database_and_the_server_at_a_signal --nocapture\n",
        std::env::current_exe().expect("this program").display(),
    );
    program(&root.join("node_modules/.bin/kit"), &kit);
    program(&root.join("target/generated/debug/notes-rust"), &server);
    root
}

fn program(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a program");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// The command, in its own process group as in a terminal. The group is killed when this value is dropped.
struct Run {
    child: Child,
    /// Process id of the command, which is also the id of its process group.
    group: Pid,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Run {
    fn start(root: &Path, port: u16) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args([
                "--exact",
                "demo::tests::stops_the_database_and_the_server_at_a_signal",
                "--nocapture",
            ])
            .env(ROLE, "command")
            .env(ROOT, root)
            .env("PORT", port.to_string())
            .env_remove("DATABASE_URL")
            .env_remove("CARGO_TARGET_DIR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("this program starts");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let collected = Arc::clone(&lines);
        // The thread is not joined, because a server that was not stopped would keep the output open.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                collected.lock().expect("the lines").push(line);
            }
        });
        Self {
            group: Pid::from_child(&child),
            child,
            lines,
        }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("the lines").clone()
    }

    fn printed(&self, text: &str) -> bool {
        self.lines().iter().any(|line| line.contains(text))
    }

    /// Returns the processes of the group that are still running.
    fn processes(&self) -> Vec<String> {
        let output = Command::new("ps")
            .args(["-A", "-o", "pgid=,stat=,args="])
            .output()
            .expect("ps is installed");
        let group = self.group.as_raw_nonzero().to_string();
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(str::trim)
            .filter(|line| {
                let mut words = line.split_whitespace();
                words.next() == Some(&group) && words.next().is_some_and(|state| !state.starts_with('Z'))
            })
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // An error means that no process is left.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

/// Runs the command in this process, and prints its result.
fn command() {
    interrupt::install();
    let root = PathBuf::from(std::env::var_os(ROOT).expect("a directory"));
    let port = std::env::var("PORT").expect("a port").parse().expect("a number");
    let repository = Repository::find(&root.join("xtask")).expect("a repository");
    let options = Options {
        port,
        debug_port: free_port(),
        data: None,
        rust: true,
        seconds: None,
    };
    let environment = Environment::new(&options).expect("an environment");
    match demonstrate(&repository, &options, &environment) {
        Ok(code) => println!("result: success {}", code == ExitCode::SUCCESS),
        Err(error) => println!("result: {error:#}"),
    }
}

/// Acts as the server: responds to requests until a signal ends this process.
fn server() {
    let port = std::env::var("PORT").expect("a port");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).expect("a free port");
    println!("server {}", std::process::id());
    for stream in listener.incoming() {
        let mut stream = stream.expect("a connection");
        let mut line = String::new();
        let _ = BufReader::new(&stream).read_line(&mut line);
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    }
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < deadline, "timeout: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn stops_the_database_and_the_server_at_a_signal() {
    match std::env::var(ROLE).as_deref() {
        Ok("command") => return command(),
        Ok("server") => return server(),
        _ => {}
    }
    let interrupted = "result: interrupted";
    // Ctrl-C in a terminal reaches the whole process group. SIGTERM from `kill` reaches only the command.
    for (phase, signal, expected) in [
        (Phase::DatabaseStart, Signal::INT, interrupted),
        (Phase::Migration, Signal::TERM, interrupted),
        (Phase::Serving, Signal::INT, "result: success true"),
        (Phase::Serving, Signal::TERM, "result: success true"),
    ] {
        let case = format!("{signal:?} in the phase {phase:?}");
        let root = repository(phase);
        let port = free_port();
        let mut run = Run::start(&root, port);
        if phase == Phase::Serving {
            wait_until(&case, || run.printed("The Notes API is at"));
        } else {
            wait_until(&case, || root.join("waiting").exists());
        }
        // Three processes run: the command, the database, and the server or the waiting `kit`.
        assert_eq!(run.processes().len(), 3, "{case}: {:?}", run.processes());
        match signal {
            Signal::INT => kill_process_group(run.group, signal).expect("a process group"),
            _ => kill_process(run.group, signal).expect("a process"),
        }
        wait_until(&case, || run.child.try_wait().expect("its state").is_some());
        wait_until(&case, || run.printed("result: "));
        assert!(run.printed(expected), "{case}: {:#?}", run.lines());
        assert_eq!(run.processes(), Vec::<String>::new(), "{case}");
        assert!(
            TcpListener::bind(("127.0.0.1", port)).is_ok(),
            "{case}: the port is in use"
        );
        std::fs::remove_dir_all(root).expect("the directory");
    }
}
