//! Comparison of jobs. During a release, and as long as jobs wait in the database, workers of one release get the data that the
//! other release stored.

use kit_ir::{Job, Program};

use super::change;
use crate::explain::explain;
use crate::finding::{Finding, Spans, property_path};
use crate::graph::{State, Travel};
use crate::report::{Change, Consequence};
use crate::solve::Solver;

/// Compares the jobs of two applications, and adds their changes.
pub(super) fn compare(solver: &mut Solver<'_>, (old, new): (&Program, &Program), changes: &mut Vec<Change>) {
    let [before, after] = [old, new].map(|program| {
        let jobs = program.application.jobs.as_ref();
        jobs.map_or(&[][..], |jobs| jobs.entries.as_slice())
    });
    let named = |jobs: &'_ [Job], name: &str| jobs.iter().position(|job| job.name == name);
    for job in before {
        if let Some(index) = named(after, &job.name) {
            changes.extend(data(solver, job, &after[index]));
            continue;
        }
        let message = format!(
            "the job `{}` is removed: no worker does the jobs that still wait",
            job.name
        );
        let finding = Finding {
            rule: "job-removed",
            place: String::new(),
            message,
            certain: true,
            value: None,
            whole: None,
            spans: Spans {
                old: Some(job.span),
                new: new.application.jobs.as_ref().map(|jobs| jobs.span),
            },
        };
        changes.push(change(Consequence::BreaksJobs, "", &slot(job), finding));
    }
    for job in after {
        if named(before, &job.name).is_some() {
            continue;
        }
        let finding = Finding {
            rule: "job-added",
            place: String::new(),
            message: "the job is new".to_owned(),
            certain: true,
            value: None,
            whole: None,
            spans: Spans {
                old: None,
                new: Some(job.span),
            },
        };
        changes.push(change(Consequence::Compatible, "", &slot(job), finding));
    }
}

/// Returns the name of a job as a place: `jobs["send-mail"]`.
fn slot(job: &Job) -> String {
    format!("jobs{}", property_path(&job.name))
}

/// Returns the places at which a worker of one release refuses the data that the other release stores.
fn data(solver: &mut Solver<'_>, old: &Job, new: &Job) -> Vec<Change> {
    let spans = Spans {
        old: Some(old.span),
        new: Some(new.span),
    };
    let stored = solver.graph.declared(State::Old, Travel::Written, old.data);
    let read = solver.graph.declared(State::New, Travel::Request, new.data);
    let mut findings = explain(solver, State::Old, (stored, read), spans);
    // While both releases run, workers of the old one get jobs of the new one.
    let stored = solver.graph.declared(State::New, Travel::Written, new.data);
    let read = solver.graph.declared(State::Old, Travel::Request, old.data);
    for finding in explain(solver, State::New, (stored, read), spans) {
        let is_known = findings.iter().any(|known| known.place == finding.place);
        if !is_known {
            findings.push(finding);
        }
    }
    findings
        .into_iter()
        .map(|finding| change(Consequence::BreaksJobs, "", &slot(new), finding))
        .collect()
}
