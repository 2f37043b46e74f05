//! A server that is measured: a process with its memory, its descriptors and its log.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use super::client::Client;
use crate::interrupt;
use crate::repository::Repository;
use crate::run;

/// Maximum time until a server listens.
const START_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct Subject {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Address of its debug sidecar; `None` if it has none.
    pub(crate) sidecar: Option<SocketAddr>,
    log: Receiver<String>,
}

/// Resources of a process, measured after a garbage collection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resources {
    pub(crate) resident: usize,
    pub(crate) heap: usize,
    pub(crate) descriptors: usize,
}

impl Subject {
    /// Starts the application on the native server. The application writes the requests that it accepts to the file `journal`.
    pub(crate) fn application(repository: &Repository, journal: Option<&Path>) -> anyhow::Result<Self> {
        let environment = journal.map(|path| ("KIT_SOAK_JOURNAL", path.as_os_str().to_owned()));
        Self::start(repository, super::APPLICATION, "src/main.ts", environment)
    }

    /// Starts the application with the sidecar, which stores data in the file `store`, and with traces, metrics and
    /// logs that are sent to `collector`.
    pub(crate) fn observed(
        repository: &Repository,
        collector: SocketAddr,
        store: &Path,
    ) -> anyhow::Result<Self> {
        let environment = [
            ("KIT_SOAK_COLLECTOR", format!("http://{collector}").into()),
            ("KIT_SOAK_STORE", store.as_os_str().to_owned()),
        ];
        Self::start(repository, super::APPLICATION, "src/main.ts", environment)
    }

    /// Starts a telemetry collector.
    pub(crate) fn collector(repository: &Repository) -> anyhow::Result<Self> {
        Self::start(repository, "bench/soak", "collector.ts", None)
    }

    /// Starts a server with node:http without a framework, for comparison.
    pub(crate) fn peer(repository: &Repository) -> anyhow::Result<Self> {
        Self::start(repository, "bench/soak/peers", "node-http.ts", None)
    }

    fn start(
        repository: &Repository,
        directory: &str,
        module: &str,
        environment: impl IntoIterator<Item = (&'static str, OsString)>,
    ) -> anyhow::Result<Self> {
        let mut node = run::command(repository, "node")?;
        node.current_dir(repository.path(directory))
            .args(["--expose-gc", module])
            .env("NODE_ENV", "production")
            .envs(environment)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = node.spawn().context("Node could not be started")?;
        let stdout = child
            .stdout
            .take()
            .context("the standard output of Node is not a pipe")?;
        let (sender, log) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // This fails after the subject is dropped. The loop continues, so that the pipe does not become full
                // and block the server.
                let _ = sender.send(line);
            }
        });
        let begun = Instant::now();
        loop {
            let line = log.recv_timeout(START_TIMEOUT.saturating_sub(begun.elapsed()));
            let Ok(line) = line else {
                let _ = child.kill();
                let _ = child.wait();
                bail!("{directory}/{module} did not print the port on which it listens");
            };
            let entry: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
            let address = |name: &str| {
                let port = entry[name].as_u64().and_then(|port| u16::try_from(port).ok())?;
                Some(SocketAddr::from(([127, 0, 0, 1], port)))
            };
            if let Some(server) = address("port") {
                let sidecar = address("sidecar");
                return Ok(Self {
                    child,
                    address: server,
                    sidecar,
                    log,
                });
            }
        }
    }

    /// Measures the resources that the process holds now.
    pub(crate) fn resources(&self) -> anyhow::Result<Resources> {
        let mut client = Client::connect(self.address)?;
        // The first collection only queues objects with finalizers. The next one frees them.
        let mut heap = 0;
        for _ in 0..3 {
            let response = client.exchange(b"GET /memory HTTP/1.1\r\nhost: a\r\n\r\n")?;
            let body: Value = serde_json::from_slice(&response.body)?;
            let bytes = body["heapBytes"].as_u64().unwrap_or(0) + body["externalBytes"].as_u64().unwrap_or(0);
            heap = usize::try_from(bytes)?;
        }
        drop(client);
        thread::sleep(Duration::from_millis(50));
        let pid = self.child.id();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let kibibytes: usize = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|value| value.split_whitespace().next())
            .context("/proc has no resident memory (VmRSS) of the process")?
            .parse()?;
        Ok(Resources {
            resident: kibibytes * 1024,
            heap,
            descriptors: std::fs::read_dir(format!("/proc/{pid}/fd"))?.count(),
        })
    }

    /// Waits until at most `max` descriptors are open, for a limited time. Returns the number of open descriptors.
    pub(crate) fn wait_for_descriptors(&self, max: usize) -> anyhow::Result<usize> {
        let begun = Instant::now();
        loop {
            let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count();
            if open <= max || begun.elapsed() > Duration::from_secs(20) {
                return Ok(open);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the lines that were logged since the previous call.
    pub(crate) fn logged(&self) -> Vec<String> {
        self.log.try_iter().collect()
    }

    /// Stops the process. Returns true if its exit code is 0.
    pub(crate) fn stop(mut self) -> anyhow::Result<bool> {
        interrupt::stop(&mut self.child)?;
        Ok(self.child.wait()?.success())
    }

    /// Waits until the process exits after [`Subject::terminate`]. Returns true if its exit code is 0. Sends no
    /// second signal, because that would end the process at once.
    pub(crate) fn wait(mut self) -> anyhow::Result<bool> {
        let begun = Instant::now();
        while begun.elapsed() < START_TIMEOUT {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.success());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(false)
    }

    /// Sends SIGTERM. Does not wait.
    pub(crate) fn terminate(&self) {
        interrupt::terminate(&self.child);
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // The calls fail if the process has already exited. Then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
