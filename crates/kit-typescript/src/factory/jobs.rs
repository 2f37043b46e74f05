//! Reader of the calls `createJobs<AppJobs>({ … })`.

use kit_diagnostics::codes;
use kit_ir::{Job, Jobs, TypeKind};

use super::calls::{calls, kit_function};
use crate::eval::{Ty, TyId, pascal};
use crate::lower::Lowering;
use crate::modules::{Location, ModuleId};
use crate::routes;

/// Maximum length of the name of a job, so that PostgreSQL can index the name.
const MAX_NAME: usize = 100;

/// Type argument of a call of `createJobs`.
pub(crate) struct ReadJobs {
    /// Location of the call.
    location: Location,
    jobs: TyId,
}

impl ReadJobs {
    /// Adds a declaration for the data of each job. Reports jobs that cannot be stored.
    pub(crate) fn lower(self, lowering: &mut Lowering<'_>) -> Jobs {
        let location = self.location;
        lowering
            .eval
            .start_subject("the type of `createJobs`".to_owned(), location);
        let entries = entries(lowering, self.jobs, location);
        Jobs {
            entries,
            span: lowering.span(location),
        }
    }
}

fn entries(lowering: &mut Lowering<'_>, jobs: TyId, location: Location) -> Vec<Job> {
    let shape = lowering.eval.shape(jobs);
    if let Ty::Invalid(id) = *lowering.eval.store.get(shape) {
        let diagnostic = lowering.eval.store.invalid[id.index()].clone();
        lowering.report(diagnostic);
        return Vec::new();
    }
    let Some(object) = lowering.eval.as_object(jobs) else {
        let text = lowering.eval.text(jobs);
        let message = format!("the type of `createJobs` must be an object, not `{text}`");
        let help = "write an interface with one property for each job: `{ \"send-mail\": { to: string } }`";
        mistake(lowering, location, message, help);
        return Vec::new();
    };
    lowering.report_all(object.issues.clone());
    if !object.index.is_empty() {
        let message = "the type of `createJobs` may have any key".to_owned();
        mistake(
            lowering,
            location,
            message,
            "name the jobs: `{ \"send-mail\": { to: string } }`",
        );
    }
    let properties: Vec<_> = object.visible().cloned().collect();
    let mut entries = Vec::new();
    for property in properties {
        let name = &*property.name;
        let at = property.location;
        if property.optional {
            let message = format!("the job `{name}` is optional");
            mistake(lowering, at, message, &format!("remove the `?` after `{name}`"));
        } else if !is_job_name(name) {
            let message = format!("`{name}` is not the name of a job");
            let help = "use 1 to 100 of these characters: letters, digits, `_`, `-`, `.`, `/`";
            mistake(lowering, at, message, help);
        } else {
            let declared = format!("{}JobData", pascal(name));
            entries.push(Job {
                name: name.to_owned(),
                data: routes::declaration(lowering, property.ty, &declared, at),
                span: lowering.span(at),
            });
        }
    }
    entries
}

/// Reports each job whose data is no object, or contains members that a value from the database does not have. Called after all types are lowered.
pub(crate) fn check(lowering: &mut Lowering<'_>, jobs: &Jobs) {
    for job in &jobs.entries {
        let reader = format!("data of the job `{}`", job.name);
        routes::check_read(lowering, job.data, &reader, job.span);
        let program = &lowering.program;
        let found = program.declarations[job.data].r#type;
        match program.resolve(found).kind {
            TypeKind::Object(_) => continue,
            // This type stands for one with a mistake that was already reported.
            TypeKind::Unknown if lowering.diagnostics.has_errors() => continue,
            _ => {}
        }
        let message = format!("the data of the job `{}` is not an object", job.name);
        let at = routes::location_of(job.span);
        mistake(lowering, at, message, "write an object type: `{ to: string }`");
    }
}

/// Returns true if pg-boss, which stores the jobs, accepts a name.
fn is_job_name(name: &str) -> bool {
    let is_valid = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_valid)
}

fn mistake(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_JOBS, location, message)
        .help(help);
    lowering.report(diagnostic);
}

/// Reads all calls of `createJobs` in the modules. Reports a call without a type, and a second type.
pub(super) fn read(lowering: &mut Lowering<'_>, modules: &[ModuleId]) -> Option<ReadJobs> {
    let mut first: Option<ReadJobs> = None;
    for module in modules {
        for call in calls(lowering, *module) {
            if kit_function(lowering, *module, call) != Some("createJobs") {
                continue;
            }
            let location = Location {
                module: *module,
                span: call.span,
            };
            let arguments = call.type_arguments.as_ref();
            let Some(written) = arguments.and_then(|arguments| arguments.params.first()) else {
                let message = "this call of `createJobs` has no type".to_owned();
                let help = "name the type of the jobs: `createJobs<AppJobs>({ pool })`";
                mistake(lowering, location, message, help);
                continue;
            };
            let scope = lowering.eval.module_scope(*module);
            lowering.eval.set_location(location);
            let jobs = lowering.eval.evaluate(written, scope);
            let jobs = lowering.eval.without_laziness(jobs);
            match &first {
                None => first = Some(ReadJobs { location, jobs }),
                Some(earlier) if earlier.jobs == jobs => {}
                Some(earlier) => {
                    let (ours, theirs) = (lowering.eval.text(jobs), lowering.eval.text(earlier.jobs));
                    let message =
                        format!("`createJobs` is called with the type `{ours}`, and before with `{theirs}`");
                    let help = "put all jobs into one interface, and share the result of one call";
                    mistake(lowering, location, message, help);
                }
            }
        }
    }
    first
}
