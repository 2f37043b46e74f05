//! Emits `jobs.ts`, from which `createJobs` of `@kit/jobs` takes the validators and the serializers of the jobs.

use crate::context::Context;
use crate::job::Job;
use crate::text::{Module, Writer, literal};
use crate::{combined, serializer, validator};

/// Emits `jobs.ts` if the application calls `createJobs`.
pub(crate) fn emit(context: Context<'_>) -> Option<Job<'_>> {
    context.program.application.jobs.as_ref()?;
    Some(Job::whole("jobs.ts", move || write(context)))
}

fn write(context: Context<'_>) -> String {
    let program = context.program;
    let Some(jobs) = &program.application.jobs else {
        return String::new();
    };
    let origin = format!("the jobs in {}", program.path(jobs.span));
    let mut module = Module::new(origin, context.analysis.declared_names());
    let compiled = module.r#type("@kit/types", "CompiledJobs");
    let source = literal::object([
        ("file".to_owned(), literal::string(program.path(jobs.span))),
        ("line".to_owned(), jobs.span.line.to_string()),
    ]);
    let mut entries = Writer::default();
    entries.line("version: 1,");
    entries.line(format_args!("source: {source},"));
    let sensitive = context.analysis.sensitive_names();
    if !sensitive.is_empty() {
        entries.line(format_args!("sensitive: {},", literal::strings(sensitive)));
    }
    entries.block("jobs: {", "},", |writer| {
        for job in &jobs.entries {
            let name = &program.declarations[job.data].name;
            let mut import = |file: String, kind: &str| {
                let path = format!("./{}", combined::path_for_routes(context, &file));
                module.value(&path, &format!("{name}{kind}"))
            };
            let validator = import(validator::file_name(name), "Validator");
            let serializer = import(serializer::file_name(name), "Serializer");
            let key = literal::key(&job.name);
            writer.line(format_args!(
                "{key}: {{ validator: {validator}, serializer: {serializer} }},"
            ));
        }
    });
    let mut writer = Writer::default();
    writer.doc("Validators and serializers of the jobs.");
    writer.block(format_args!("const jobs: {compiled} = {{"), "};", |writer| {
        writer.line(entries.inner());
    });
    module.push(writer);
    let mut exports = Writer::default();
    exports.line("export default jobs;");
    module.push(exports);
    module.finish().text
}
