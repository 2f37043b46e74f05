//! Test helper: starts a server in its own process, because environment variables determine its behavior and a
//! process reads them only once. The module of the test must have a test with the name `server` that runs the server if
//! `KIT_TEST_SERVER` is set.

#![allow(dead_code, unreachable_pub)] // each test binary uses only a part, and has no public API
#![allow(clippy::unwrap_used)] // test helpers may panic like tests

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A server process.
pub struct Server {
    pub child: Child,
    pub address: String,
    /// Lines that the server wrote before it listened.
    pub before: String,
    printed: BufReader<ChildStdout>,
}

impl Server {
    /// Starts the test `server` of a module with these environment variables. `NODE_ENV` is unset if it is not one of them.
    pub fn start(module: &str, variables: &[(&str, String)]) -> Self {
        // The test program names its tests by their paths without the name of the crate.
        let (_, module) = module.split_once("::").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([&format!("{module}::server"), "--exact", "--nocapture"])
            .env("KIT_TEST_SERVER", "1")
            .env("HOST", "127.0.0.1")
            .env("PORT", "0")
            .env_remove("NODE_ENV")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let mut before = String::new();
        let address = loop {
            line.clear();
            if printed.read_line(&mut line).unwrap() == 0 {
                break String::new();
            }
            if let Some((_, url)) = line.trim_end().split_once("Listening on ")
                && let Some((_, address)) = url.split_once("://")
            {
                break address.to_owned();
            }
            before.push_str(&line);
        };
        Self {
            child,
            address,
            before,
            printed,
        }
    }

    /// Sends a GET request and returns the response.
    pub fn get(&self, path: &str, headers: &str) -> String {
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{headers}\r\n"
        ))
    }

    /// Sends a JSON body and returns the response.
    pub fn post(&self, path: &str, body: &str) -> String {
        let length = body.len();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        ))
    }

    /// Sends a request and returns the response. The request must have the header `connection: close`.
    pub fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Waits for a line of the log that contains a text.
    pub fn wait_for_line(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(
                self.printed.read_line(&mut line).unwrap() > 0,
                "no line has `{text}`"
            );
        }
    }

    /// Stops the server, so that it exports all remaining data. Returns its log.
    pub fn stop(mut self) -> String {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
        let mut log = String::new();
        self.printed.read_to_string(&mut log).unwrap();
        assert!(self.child.wait().unwrap().success());
        log
    }
}
