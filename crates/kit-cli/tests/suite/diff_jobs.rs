//! `kit diff`: changes of jobs.

use serde_json::Value;

use crate::diff::ids;
use crate::support::Project;

/// Compares two applications whose jobs have these types.
fn jobs(old: &str, new: &str) -> Value {
    let app = |types: &str| {
        format!(
            "import {{ createJobs }} from \"@kit/jobs\";\nexport interface AppJobs {{ {types} }}\n\
             export const jobs = createJobs<AppJobs>({{ pool: undefined as never }});\n"
        )
    };
    let project = Project::new(&[
        ("package.json", "{ \"name\": \"jobs\" }"),
        (
            "src/ping.routes.ts",
            "import type { RouteContract } from \"@kit/types\";\nexport interface PingRoutes { \"GET /ping\": RouteContract<void, void, void, string>; }\n",
        ),
    ]);
    project.write("src/app.ts", &app(old));
    let saved = project.kit(&["diff", "--save", "old.json"]);
    assert_eq!(saved.code, 0, "{}", saved.err);
    project.write("src/app.ts", &app(new));
    project.kit(&["diff", "old.json", "--json"]).json()
}

#[test]
fn data_that_workers_of_one_release_refuse_breaks_jobs() {
    let report = jobs("mail: { to: string }", "mail: { to: string; subject: string }");
    assert_eq!(ids(&report), ["jobs.mail.subject: property-added"]);
    assert_eq!(report["changes"][0]["consequence"], "breaks-jobs");
    assert_eq!(report["counts"]["breaksJobs"], 1);
    assert_eq!(report["status"], "failed");
    // A worker of the old release, which runs during the deployment, refuses jobs without the property.
    let report = jobs("mail: { to: string; subject: string }", "mail: { to: string }");
    assert_eq!(ids(&report), ["jobs.mail.subject: property-removed"]);
    // Both directions break at one place, which is reported once.
    let report = jobs("mail: { to: string }", "mail: { to: number }");
    assert_eq!(ids(&report), ["jobs.mail.to: type"]);
    let report = jobs(
        "mail: { to: \"a\" | \"b\" }",
        "mail: { to: \"a\" | \"b\" | \"c\" }",
    );
    assert_eq!(ids(&report), ["jobs.mail.to: member"]);
}

#[test]
fn optional_properties_and_new_jobs_break_nothing_and_removed_jobs_do() {
    let report = jobs(
        "\"send-mail\": { to: string }",
        "\"send-mail\": { to: string; at?: Date }; count: { number: number }",
    );
    assert_eq!(ids(&report), [""; 0]);
    assert_eq!(report["changes"][0]["id"], "jobs.count: job-added");
    assert_eq!(report["status"], "passed");
    let report = jobs(
        "\"send-mail\": { to: string }; count: { number: number }",
        "count: { number: number }",
    );
    assert_eq!(ids(&report), ["jobs[\"send-mail\"]: job-removed"]);
    assert_eq!(report["changes"][0]["consequence"], "breaks-jobs");
}
