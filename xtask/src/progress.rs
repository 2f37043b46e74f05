//! Shows progress: a spinner with the elapsed time on a terminal, otherwise one line for each step.

use std::io::{IsTerminal, Write as _};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// Bars of all steps that run at the same time, one below the other.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// A step of a command whose progress is shown.
pub(crate) struct Step {
    title: String,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Step {
    /// Begins a step. `title` says what happens: `building the addons`.
    pub(crate) fn start(title: impl Into<String>) -> Self {
        let title = title.into();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = BARS.add(ProgressBar::new_spinner().with_message(title.clone()));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        if bar.is_none() {
            print_line(&format!("... {title}"));
        }
        Self {
            title,
            started: Instant::now(),
            bar,
        }
    }

    /// Shows what the step does at the moment, after its title. Only on a terminal.
    pub(crate) fn detail(&self, detail: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: {detail}", self.title));
        }
    }

    /// Prints a line above the spinner.
    pub(crate) fn print(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_line(line)),
            None => print_line(line),
        }
    }

    /// Ends the step as successful.
    pub(crate) fn done(self, remark: &str) {
        self.end("ok  ", remark);
    }

    /// Ends the step as failed. The caller prints the reason.
    pub(crate) fn failed(self, remark: &str) {
        self.end("FAIL", remark);
    }

    /// Ends a step that cannot run on this machine and that the command does not need. The caller prints the reason.
    pub(crate) fn skipped(self, remark: &str) {
        self.end("skip", remark);
    }

    fn end(self, mark: &str, remark: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let seconds = self.started.elapsed().as_secs_f64();
        let remark = if remark.is_empty() {
            String::new()
        } else {
            format!(" ({remark})")
        };
        let line = format!("{mark} {}{remark} {seconds:.1} s", self.title);
        BARS.suspend(|| print_line(&line));
    }
}

/// Prints a line. `eprintln!` would panic if nobody reads standard error any more, and the cleanup after it would not
/// run.
fn print_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
