//! Tests of the calls `createJobs<AppJobs>({ … })`, as the compiler reads them.

use crate::support::{mistakes, output};

const IMPORT: &str = "import { createJobs } from \"@kit/jobs\";\n";

#[test]
fn finds_the_jobs_in_a_file_that_imports_only_the_package_of_jobs() {
    let source = "import { createJobs as make } from \"@kit/jobs\";\nimport type { AppJobs } from \"./app-jobs.js\";\nexport const jobs = make<AppJobs>({ pool });\nconst again = make<AppJobs>({ pool });";
    let output = output(&[
        ("src/jobs.ts", source),
        (
            "src/app-jobs.ts",
            "export interface Mail { to: string }\nexport interface AppJobs { \"send-mail\": Mail; report: { day: Date } }",
        ),
    ]);
    assert_eq!(mistakes(&output), "");
    let program = output.program;
    let jobs = program.application.jobs.as_ref().expect("the call is there");
    assert_eq!((program.path(jobs.span), jobs.span.line), ("src/jobs.ts", 3));
    let found: Vec<(&str, &str)> = jobs
        .entries
        .iter()
        .map(|job| (job.name.as_str(), program.declarations[job.data].name.as_str()))
        .collect();
    assert_eq!(found, [("send-mail", "Mail"), ("report", "ReportJobData")]);
}

#[test]
fn ignores_other_functions_with_the_name_create_jobs() {
    let output = output(&[(
        "src/main.ts",
        "import { createApp } from \"@kit/core\";\nfunction createJobs<T>(): T { throw 1 }\ncreateJobs<{ a: string }>();",
    )]);
    assert_eq!(mistakes(&output), "");
    assert_eq!(output.program.application.jobs, None);
}

#[test]
fn refuses_names_and_types_that_cannot_be_stored() {
    let source = format!(
        "{IMPORT}createJobs<{{ \"send mail\": {{ to: string }}; report: string; list: {{ a: 1 }}[]; late?: {{ a: 1 }}; pay: {{ sum: Money }} }}>({{}});\nclass Money {{ toJSON(): string {{ return \"\"; }} }}"
    );
    let output = output(&[("src/jobs.ts", source.as_str())]);
    let found = mistakes(&output);
    for expected in [
        "`send mail` is not the name of a job",
        "the data of the job `report` is not an object",
        "the data of the job `list` is not an object",
        "the job `late` is optional",
        "data of the job `pay` contain an object with `toJSON`",
    ] {
        assert!(found.contains(expected), "{expected} is missing in\n{found}");
    }
}

#[test]
fn refuses_a_call_without_a_type_a_type_that_is_no_object_and_calls_with_two_types() {
    for (calls, expected) in [
        ("createJobs({});", "this call of `createJobs` has no type"),
        ("createJobs<string>({});", "must be an object, not `string`"),
        (
            "createJobs<Record<string, { a: string }>>({});",
            "may have any key",
        ),
        (
            "createJobs<{ a: { b: string } }>({});\ncreateJobs<{ c: { b: string } }>({});",
            "`createJobs` is called with the type",
        ),
    ] {
        let source = format!("{IMPORT}{calls}");
        let found = mistakes(&output(&[("src/jobs.ts", source.as_str())]));
        assert!(found.contains(expected), "{expected} is missing in\n{found}");
    }
}
