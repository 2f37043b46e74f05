//! Runs commands in an isolated environment: a project in a temporary directory, output in memory, a simulated host.
#![allow(clippy::disallowed_methods)] // Reason: tests create the files that commands read.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.
#![allow(unreachable_pub)] // Reason: `pub` in a test binary is not reachable from outside.
#![allow(dead_code)] // Reason: each test binary uses only some of the helpers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use kit_build::TapEvent;
use kit_cli::{
    DatabaseAction, DatabaseResult, EnvFile, Environment, Event, Host, HostError, HostFuture, InputChunk,
    NodeExit, NodeRun, ProgramOutput, Serve, Stream, Watch, run,
};
use serde_json::Value;

/// Answer that simulates Ctrl-C.
pub const CTRL_C: &str = "\u{3}";

/// A project in a temporary directory, removed when the test ends.
pub struct Project {
    pub root: PathBuf,
    pub variables: BTreeMap<String, String>,
    pub terminal: bool,
    pub host: TestHost,
    /// Answers of the user, in order. `None` is Esc, and [`CTRL_C`] is Ctrl-C. If none is left, the command cannot ask
    /// questions.
    pub answers: RefCell<Vec<Option<&'static str>>>,
    /// Installed programs, and true if they succeed. A key such as `npm install` stands for a single command of a program.
    pub programs: BTreeMap<&'static str, bool>,
    /// Programs that were run, with their arguments.
    pub ran: RefCell<Vec<String>>,
}

/// A host with prepared results.
#[derive(Default)]
pub struct TestHost {
    pub config: Option<Result<Value, String>>,
    pub database: Option<Result<String, String>>,
    /// Number of processes that still use the embedded database.
    pub users: usize,
    /// Results of the plugins' hook functions, in the order of the calls.
    pub taps: RefCell<std::collections::VecDeque<Result<Value, String>>>,
    /// Result of the Node process.
    pub node: Option<Result<NodeExit, String>>,
    /// Requests that the host got.
    pub asked: RefCell<Vec<String>>,
    /// Applications that the host was asked to serve, in order.
    pub served: RefCell<Vec<Serve>>,
    /// Files that the host was asked to watch, in order.
    pub watched: RefCell<Vec<Watch>>,
    /// Edits to make while the command waits. The last one in the list is made first. After all of them, the user quits.
    pub edits: RefCell<Vec<Box<dyn Fn()>>>,
    /// Events that occur while the command waits, before the edits. The last one in the list occurs first.
    pub events: RefCell<Vec<Event>>,
    /// Parts of standard input, in order. After all of them, the input ends.
    pub input: RefCell<std::collections::VecDeque<Input>>,
    /// Result of loading `.env`.
    pub env: RefCell<EnvFile>,
}

/// A part of standard input.
pub enum Input {
    /// Bytes that arrive.
    Bytes(Vec<u8>),
    /// An action before the next part, such as an edit of a file.
    Action(Box<dyn Fn()>),
}

/// Result of a command.
pub struct Outcome {
    pub code: u8,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// Parses standard output as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    /// Returns the exit code, standard output and standard error, to compare them in one assertion.
    pub fn parts(&self) -> (u8, &str, &str) {
        (self.code, &self.out, &self.err)
    }
}

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kit-cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        let project = Self {
            root: root.canonicalize().unwrap(),
            variables: BTreeMap::new(),
            terminal: false,
            host: TestHost::default(),
            answers: RefCell::default(),
            programs: BTreeMap::new(),
            ran: RefCell::default(),
        };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// Makes the project one with a Rust server.
    pub fn use_rust_server(&mut self) {
        self.host.config = Some(Ok(serde_json::json!({
            "plugins": [{ "name": "@kit/plugin-rust-server", "hooks": {} }]
        })));
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root.join(path)).unwrap();
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Returns the content of every file in a directory of the project, by path.
    pub fn tree(&self, below: &str) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let base = self.root.join(below);
        let mut open = vec![base.clone()];
        while let Some(directory) = open.pop() {
            let Ok(entries) = fs::read_dir(&directory) else {
                continue;
            };
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&base).unwrap().to_string_lossy().into_owned();
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    pub fn kit(&self, args: &[&str]) -> Outcome {
        let streams = Streams {
            project: self,
            out: RefCell::default(),
            err: RefCell::default(),
        };
        let args = args.iter().map(Into::into).collect();
        let command = pin!(run(args, &streams, &self.host));
        let exit = match command.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(exit) => exit,
            Poll::Pending => panic!("the host answers at once, so nothing can be waited for"),
        };
        Outcome {
            code: exit.code(),
            out: streams.out.take(),
            err: streams.err.take(),
        }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

struct Streams<'a> {
    project: &'a Project,
    out: RefCell<String>,
    err: RefCell<String>,
}

impl Streams<'_> {
    fn answer(&self) -> io::Result<Option<&'static str>> {
        match self.project.answers.borrow_mut().remove(0) {
            Some(CTRL_C) => Err(io::ErrorKind::Interrupted.into()),
            answer => Ok(answer),
        }
    }
}

impl Environment for Streams<'_> {
    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(self.project.root.clone())
    }

    fn var(&self, name: &str) -> Option<String> {
        self.project.variables.get(name).cloned()
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000)
    }

    fn is_terminal(&self, _stream: Stream) -> bool {
        self.project.terminal
    }

    fn write(&self, stream: Stream, text: &str) -> io::Result<()> {
        match stream {
            Stream::Out => self.out.borrow_mut().push_str(text),
            Stream::Err => self.err.borrow_mut().push_str(text),
        }
        Ok(())
    }

    fn output(&self, program: &Path, args: &[String], directory: &Path) -> io::Result<std::process::Output> {
        kit_cli::ProcessEnvironment.output(program, args, directory)
    }

    fn can_ask(&self) -> bool {
        !self.project.answers.borrow().is_empty()
    }

    fn choose(&self, _question: &str, choices: &[&str]) -> io::Result<Option<usize>> {
        Ok(self.answer()?.map(|answer| {
            choices
                .iter()
                .position(|choice| choice.starts_with(answer))
                .unwrap()
        }))
    }

    fn ask(&self, _question: &str) -> io::Result<Option<String>> {
        Ok(self.answer()?.map(str::to_owned))
    }

    fn run(
        &self,
        program: &str,
        args: &[&str],
        directory: &Path,
        _speech: ProgramOutput,
    ) -> io::Result<bool> {
        assert!(directory.is_dir(), "{program} runs in {}", directory.display());
        let line = format!("{program} {}", args.join(" "));
        self.project.ran.borrow_mut().push(line);
        let programs = &self.project.programs;
        let exactly = args
            .first()
            .and_then(|first| programs.get(format!("{program} {first}").as_str()));
        exactly
            .or_else(|| programs.get(program))
            .copied()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl TestHost {
    fn answer<T: Clone>(answer: Option<&Result<T, String>>) -> Result<T, HostError> {
        answer
            .expect("this command does not ask for that")
            .clone()
            .map_err(|message| HostError { message, at: None })
    }
}

impl Host for TestHost {
    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value> {
        let name = path.file_name().unwrap().to_string_lossy();
        self.asked.borrow_mut().push(format!("config {name}"));
        Box::pin(async move { Self::answer(self.config.as_ref()) })
    }

    fn load_env<'a>(&'a self, _root: &'a Path) -> HostFuture<'a, EnvFile> {
        Box::pin(std::future::ready(Ok(self.env.borrow().clone())))
    }

    fn database_url<'a>(&'a self, _root: &'a Path) -> HostFuture<'a, String> {
        self.asked.borrow_mut().push("database".to_owned());
        Box::pin(async move { Self::answer(self.database.as_ref()) })
    }

    fn database<'a>(&'a self, _root: &'a Path, action: DatabaseAction) -> HostFuture<'a, DatabaseResult> {
        self.asked.borrow_mut().push(format!("database {action:?}"));
        Box::pin(async move {
            Ok(DatabaseResult {
                url: Some(Self::answer(self.database.as_ref())?),
                users: Some(self.users),
                code: Some(0),
            })
        })
    }

    fn run_tap<'a>(&'a self, _plugin: usize, hook: &'static str, event: TapEvent) -> HostFuture<'a, Value> {
        self.asked
            .borrow_mut()
            .push(format!("tap {hook} {}", event.complete_document()));
        let answer = self.taps.borrow_mut().pop_front();
        Box::pin(async move { Self::answer(answer.as_ref()) })
    }

    /// The answer `null` means that bytes arrived before the function ended.
    fn run_tap_until_input<'a>(
        &'a self,
        plugin: usize,
        hook: &'static str,
        event: TapEvent,
    ) -> HostFuture<'a, Option<Value>> {
        Box::pin(async move {
            let answer = self.run_tap(plugin, hook, event).await?;
            Ok((!answer.is_null()).then_some(answer))
        })
    }

    fn run_node<'a>(&'a self, run: &'a NodeRun) -> HostFuture<'a, NodeExit> {
        let env: Vec<_> = run
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value} "))
            .collect();
        self.asked
            .borrow_mut()
            .push(format!("{}node {}", env.concat(), run.args.join(" ")));
        Box::pin(async move { Self::answer(self.node.as_ref()) })
    }

    fn run_node_until_input<'a>(&'a self, run: Option<&'a NodeRun>) -> HostFuture<'a, Option<NodeExit>> {
        let run = run.expect("Node ends before bytes arrive");
        Box::pin(async move { self.run_node(run).await.map(Some) })
    }

    fn stop_node(&self) -> HostFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn serve<'a>(&'a self, what: &'a Serve) -> HostFuture<'a, Event> {
        self.served.borrow_mut().push(what.clone());
        self.wait()
    }

    fn watch<'a>(&'a self, what: &'a Watch) -> HostFuture<'a, ()> {
        self.watched.borrow_mut().push(what.clone());
        Box::pin(std::future::ready(Ok(())))
    }

    fn hold_signals(&self, _hold: bool) -> HostFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn end_input_with(&self, process: u32) -> HostFuture<'_, ()> {
        self.asked.borrow_mut().push(format!("end input with {process}"));
        Box::pin(std::future::ready(Ok(())))
    }

    fn read(&self, _wait: Duration) -> HostFuture<'_, InputChunk> {
        let part = self.input.borrow_mut().pop_front();
        let chunk = match part {
            Some(Input::Bytes(bytes)) => InputChunk {
                bytes: bytes.into_iter().map(char::from).collect(),
                ended: false,
            },
            Some(Input::Action(act)) => {
                act();
                InputChunk::default()
            }
            None => InputChunk {
                ended: true,
                ..InputChunk::default()
            },
        };
        Box::pin(std::future::ready(Ok(chunk)))
    }

    fn wait(&self) -> HostFuture<'_, Event> {
        if let Some(event) = self.events.borrow_mut().pop() {
            return Box::pin(std::future::ready(Ok(event)));
        }
        let edit = self.edits.borrow_mut().pop();
        Box::pin(async move {
            Ok(edit.map_or(Event::Quit, |edit| {
                edit();
                Event::Rebuild
            }))
        })
    }
}
