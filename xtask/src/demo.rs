//! `cargo xtask demo`: from a fresh clone to a running Notes API.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::{addons, check, interrupt, run, setup};

const EXAMPLE: &str = "examples/notes";
/// Maximum time until the server responds to its first request.
const START: Duration = Duration::from_mins(1);

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Port of the server.
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Port of the debug sidecar.
    #[arg(long, value_name = "PORT", default_value_t = 9800)]
    debug_port: u16,
    /// Data directory of the embedded PostgreSQL [default: inside the example, ignored by git].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Run the same API as a Rust server, generated from the same types; it has no debug sidecar.
    #[arg(long)]
    rust: bool,
    /// Stop after this number of seconds instead of at Ctrl-C.
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
}

/// Installs, builds and migrates the example, and serves it until Ctrl-C or until `--seconds` have passed.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    // Check the ports before the build, which takes minutes.
    check_ports(options)?;
    setup::run(repository, addons::Build::Quick)?;
    let environment = Environment::new(options)?;
    run::step("kit build", environment.kit(repository, &["build"])?)?;
    demonstrate(repository, options, &environment)
}

/// Starts the database if necessary, and serves the example. Stops everything that was started, even after a failure
/// or a signal.
fn demonstrate(
    repository: &Repository,
    options: &Options,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if !environment.needs_database() {
        return migrate_and_serve(repository, options, environment);
    }
    // Stop the database even if its start was interrupted, because it may be running.
    let result = environment
        .start_database(repository)
        .and_then(|()| migrate_and_serve(repository, options, environment));
    let stop = environment.kit(repository, &["db", "stop"])?;
    let stopped = run::last_step("kit db stop", stop);
    // If the demo and the cleanup have failed, report the failure of the demo.
    result.and_then(|code| stopped.map(|_| code))
}

fn migrate_and_serve(
    repository: &Repository,
    options: &Options,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let database = if std::env::var_os("DATABASE_URL").is_some() {
        "DATABASE_URL"
    } else {
        "the embedded PostgreSQL"
    };
    run::step(
        &format!("kit migrate:apply on {database}"),
        environment.kit(repository, &["migrate:apply"])?,
    )?;
    check_ports(options)?;
    let mut server = environment.start(repository)?;
    let result = serve(&mut server, options);
    interrupt::stop(&mut server)?;
    result
}

/// Settings of the command, from which the environment variables of its programs are made.
struct Environment {
    port: u16,
    debug_port: u16,
    data: Option<PathBuf>,
    /// Directory of the example.
    example: &'static str,
    rust: bool,
}

impl Environment {
    fn new(options: &Options) -> anyhow::Result<Self> {
        let data = match &options.data {
            Some(directory) => {
                let absolute = std::path::absolute(directory)
                    .with_context(|| format!("--data {} is not a path", directory.display()))?;
                std::fs::create_dir_all(&absolute)
                    .with_context(|| format!("--data {} cannot be created", absolute.display()))?;
                Some(absolute)
            }
            None => None,
        };
        Ok(Self {
            port: options.port,
            debug_port: options.debug_port,
            data,
            example: if options.rust {
                check::RUST_EXAMPLE
            } else {
                EXAMPLE
            },
            rust: options.rust,
        })
    }

    /// Returns true if this command must start the embedded database, because the example's server cannot start it
    /// itself.
    fn needs_database(&self) -> bool {
        self.rust && std::env::var_os("DATABASE_URL").is_none()
    }

    fn start_database(&self, repository: &Repository) -> anyhow::Result<()> {
        run::step("kit db start", self.kit(repository, &["db", "start"])?).map(|_| ())
    }

    fn command(&self, repository: &Repository, program: PathBuf) -> anyhow::Result<Command> {
        let mut command = run::command(repository, program)?;
        command
            .current_dir(repository.path(self.example))
            .env("CARGO_TARGET_DIR", check::generated_target(repository))
            .env("PORT", self.port.to_string())
            .env("DEBUG_PORT", self.debug_port.to_string());
        // kit treats an empty `NODE_ENV` as production.
        if std::env::var_os("NODE_ENV").is_none_or(|mode| mode.is_empty()) {
            command.env("NODE_ENV", "development");
        }
        if let Some(data) = &self.data {
            command.env("KIT_DATA_DIR", data);
        }
        Ok(command)
    }

    fn kit(&self, repository: &Repository, arguments: &[&str]) -> anyhow::Result<Command> {
        let mut command = self.command(repository, repository.bin().join("kit"))?;
        command.args(arguments);
        Ok(command)
    }

    fn start(&self, repository: &Repository) -> anyhow::Result<Child> {
        let mut command = if self.rust {
            let program = check::generated_target(repository).join("debug/notes-rust");
            let mut command = self.command(repository, program)?;
            if std::env::var_os("DATABASE_URL").is_none() {
                let said = run::step("kit db url", self.kit(repository, &["db", "url"])?)?;
                let url = said.lines().find(|line| line.starts_with("postgres"));
                command.env("DATABASE_URL", url.context("`kit db url` did not print a URL")?);
            }
            command
        } else {
            let mut command = self.command(repository, repository.bin().join("node"))?;
            command.arg("src/main.ts");
            command
        };
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
        command.spawn().context("the server could not be started")
    }
}

fn check_ports(options: &Options) -> anyhow::Result<()> {
    if options.port == options.debug_port {
        bail!(
            "--port and --debug-port are both {}: each needs its own",
            options.port
        );
    }
    check_port(options.port, "--port", 3000)?;
    check_port(options.debug_port, "--debug-port", 9800)
}

fn check_port(port: u16, option: &str, usual: u16) -> anyhow::Result<()> {
    match TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => bail!(
            "port {port} is in use by another program. Stop it, or choose another port: cargo xtask demo {option} {}",
            if port < 65_000 { port + 1 } else { usual }
        ),
        Err(error) => Err(error).with_context(|| format!("port {port} cannot be used")),
    }
}

fn serve(server: &mut Child, options: &Options) -> anyhow::Result<ExitCode> {
    wait_until_ready(server, options.port)?;
    print_invitation(options);
    let end = options
        .seconds
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    loop {
        if interrupt::interrupted() || end.is_some_and(|end| Instant::now() >= end) {
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(status) = server.try_wait()? {
            // Ctrl-C in a terminal also reaches the server, which may exit before this command sees the signal.
            thread::sleep(Duration::from_millis(200));
            if interrupt::interrupted() {
                return Ok(ExitCode::SUCCESS);
            }
            bail!("the server ended by itself ({status}); its output is above");
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until the server responds. Shows no spinner, because it would mix with the output of the server.
fn wait_until_ready(server: &mut Child, port: u16) -> anyhow::Result<()> {
    let deadline = Instant::now() + START;
    while !answers(port) {
        if let Some(status) = server.try_wait()? {
            bail!("the server ended before it answered ({status}); its output is above");
        }
        if interrupt::interrupted() {
            bail!("interrupted");
        }
        if Instant::now() >= deadline {
            bail!("the server did not answer within {} seconds", START.as_secs());
        }
        thread::sleep(Duration::from_millis(25));
    }
    Ok(())
}

/// Returns true if a server responds with HTTP at the port.
fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return false;
    };
    let mut answer = [0; 5];
    stream.set_read_timeout(Some(Duration::from_secs(2))).is_ok()
        && stream
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .is_ok()
        && stream.read_exact(&mut answer).is_ok()
        && &answer == b"HTTP/"
}

fn print_invitation(options: &Options) {
    let url = format!("http://localhost:{}", options.port);
    let debug_port = options.debug_port;
    let end = match options.seconds {
        Some(seconds) => format!("The example stops after {seconds} seconds, or with Ctrl-C."),
        None => "Ctrl-C stops the example. The notes are still there after the next start.".to_owned(),
    };
    let reference = if options.rust {
        String::new()
    } else {
        format!(", its reference at {url}/docs")
    };
    print_line(&format!(
        "
The Notes API is at {url}{reference}, its OpenAPI document at {url}/openapi.json. In another terminal:

  curl -X POST {url}/notes -H 'Authorization: Bearer ada:user' -H 'Content-Type: application/json' -d '{{\"title\":\"Hello\",\"content\":\"My first note\"}}'
  curl {url}/notes -H 'Authorization: Bearer ada:user'
  curl -X POST {url}/notes -H 'Authorization: Bearer ada:user' -H 'Content-Type: application/json' -d '{{\"title\":\"\"}}'

The last one is refused: its title is empty and its content missing. {end}

"
    ));
    if !options.rust {
        print_line(&format!(
            "What happens in it is at http://localhost:{debug_port}; in examples/notes, `kit inspect errors --debug-port {debug_port}` shows the last errors.
"
        ));
    }
}

/// Prints a line. `println!` would panic if nobody reads the output any more, and then the server and the database
/// would go on running.
fn print_line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

#[cfg(all(test, unix))]
mod tests;
