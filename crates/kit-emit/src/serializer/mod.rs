//! Emits modules with functions that write JSON. They write only declared properties, in the
//! order of their declarations.
//!
//! The functions check no rules, but they refuse values that JSON cannot represent. After a refusal, `unserializable`
//! of the runtime finds the path of the value by the type's shape.

mod object;
mod union;

use kit_analysis::collect_references;
use kit_ir::{Declaration, DeclarationId, LiteralValue, TupleElement, TypeId, TypeKind};

use crate::context::Context;
use crate::job::Job;
use crate::text::{Exported, Module, Path, Writer, Written, function, literal};
use crate::validator;

/// Returns the file name of a declaration's module.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}.serializer.js")
}

/// Emits serializers for all declarations, except for declarations whose values are text, such as the queries
/// of routes. In a large program, emits serializers only for the types that routes name as what they write, and the
/// functions of the types in them.
pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = (DeclarationId, Job<'_>)> {
    let program = context.program;
    context
        .changed()
        .filter(move |(id, _)| {
            let analysis = context.analysis;
            !analysis.is_only_text(program, *id) && (!analysis.is_large() || analysis.is_sent(*id))
        })
        .map(move |(id, declaration)| {
            let job = Job::new(file_name(&declaration.name), move || {
                emit_module(context, id, declaration)
            });
            (id, job.keyed(context.module_key(id)))
        })
}

fn emit_module(context: Context<'_>, id: DeclarationId, declaration: &Declaration) -> Written {
    let name = &declaration.name;
    let mut module = context.module("write", declaration);
    Serializers::new(context, id).declare(declaration, &mut module);
    if context.analysis.is_large() && !context.analysis.is_written(id) {
        // Only the serializers of other types use the function.
        return module.finish();
    }
    let shape = module.value(&validator::import_path(name), &format!("{name}Shape"));
    let (explain, unserializable) = (module.helper("explain"), module.helper("unserializable"));
    let has_to_json = context.analysis.has_to_json(id);
    let call_to_json = has_to_json.then(|| module.helper("callToJson"));
    let mut writer = Writer::default();
    writer.block(
        format_args!("export const {name}Serializer = {{"),
        "};",
        |writer| {
            writer.line(format_args!("name: \"{name}\","));
            writer.block("serialize: (value) => {", "},", |writer| {
                let mut value = "value";
                if let Some(call) = &call_to_json {
                    value = "json";
                    writer.line(format_args!("const json = {call}(value);"));
                }
                writer.block("try {", "} catch (error) {", |writer| {
                    writer.line(format_args!("return write{name}({value});"));
                });
                writer.line(format_args!(
                    "  throw {unserializable}(\"{name}\", {shape}, {value}, error);"
                ));
                writer.line("}");
            });
            let value = match &call_to_json {
                Some(call) => format!("{call}(value)"),
                None => "value".to_owned(),
            };
            writer.line(format_args!(
                "failures: (value, limit) => {explain}({shape}, {value}, \"value\", limit),"
            ));
        },
    );
    module.push(writer);
    module.export(Exported::of_type(name, "Serializer"));
    module.finish()
}

struct Serializers<'a> {
    context: Context<'a>,
    home: DeclarationId,
    /// True if the functions count the depth of nested values, because a handler's value may contain a cycle.
    counts_depth: bool,
}

impl<'a> Serializers<'a> {
    fn new(context: Context<'a>, home: DeclarationId) -> Self {
        let counts_depth = context.analysis.is_recursive(home);
        Self {
            context,
            home,
            counts_depth,
        }
    }

    /// Emits `export function writeNote`.
    fn declare(&self, declaration: &Declaration, module: &mut Module) {
        let name = &declaration.name;
        let mut parameter = if self.counts_depth { ", depth = 0" } else { "" }.to_owned();
        if self.context.analysis.passes_selector(self.home) {
            let selector = module.helper("MemberSelector");
            for part in [", selector = new ", &selector, "(\"value\")"] {
                parameter.push_str(part);
            }
        }
        let mut body = Writer::default();
        if self.counts_depth {
            let (enter, refuse) = (module.helper("enter"), module.helper("refuse"));
            body.line(format_args!("if (!{enter}(depth)) {refuse}(value);"));
        }
        self.body(declaration.r#type, &Path::root(name), &mut body, module);
        let mut writer = Writer::default();
        let opening = format!("export function write{name}(value{parameter}) {{");
        writer.block(opening, "}", |writer| writer.line(body.inner()));
        module.push(writer);
    }

    /// Returns the code of an expression with the JSON of `value`. The code may evaluate `value` twice, so
    /// `value` must be cheap.
    fn expression(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        let program = self.context.program;
        let helper = match &program.types[id].kind {
            TypeKind::Unknown => "writeUnknown",
            TypeKind::Never => "refuse",
            TypeKind::Null => {
                return format!(
                    "({value} === null ? \"null\" : {}({value}))",
                    module.helper("refuse")
                );
            }
            TypeKind::Boolean => "writeBoolean",
            TypeKind::Number => "writeNumber",
            TypeKind::String => "writeString",
            TypeKind::Template { parts } => {
                let texts = crate::validator::template_test(program, parts, path, module);
                let (write, refuse) = (module.helper("writeString"), module.helper("refuse"));
                return format!(
                    "(typeof {value} === \"string\" && {texts}.test({value}) ? {write}({value}) : {refuse}({value}))"
                );
            }
            TypeKind::BigInt => "writeBigInt",
            TypeKind::Date => "writeDate",
            TypeKind::Bytes => "writeBytes",
            TypeKind::Literal { value: literal } => {
                let refuse = module.helper("refuse");
                return format!(
                    "({value} === {} ? {} : {refuse}({value}))",
                    literal::value(literal),
                    literal_text(literal)
                );
            }
            TypeKind::Reference { declaration } => return self.reference(*declaration, value, module),
            TypeKind::Union { members } => match self.uniform(members).as_slice() {
                ["null", helper] | [helper, "null"] => {
                    return format!(
                        "({value} === null ? \"null\" : {}({value}))",
                        module.helper(helper)
                    );
                }
                [helper] => helper,
                _ => return self.private_function(id, value, path, module),
            },
            TypeKind::Array { .. } | TypeKind::Tuple { .. } | TypeKind::Object(_) => {
                return self.private_function(id, value, path, module);
            }
        };
        format!("{}({value})", module.helper(helper))
    }

    fn body(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        match &self.context.program.types[id].kind {
            TypeKind::Object(object) => self.object_body(object, path, body, module),
            TypeKind::Array { element } => self.array_body(*element, path, body, module),
            TypeKind::Tuple { elements } => self.tuple_body(elements, path, body, module),
            TypeKind::Union { members } if !matches!(self.uniform(members).len(), 1 | 2) => {
                self.union_body(id, path, body, module);
            }
            TypeKind::Union { members } => match self.uniform(members).as_slice() {
                [_] | ["null", _] | [_, "null"] => {
                    let text = self.expression(id, "value", path, module);
                    body.line(format_args!("return {text};"));
                }
                _ => self.union_body(id, path, body, module),
            },
            _ => {
                let text = self.expression(id, "value", path, module);
                body.line(format_args!("return {text};"));
            }
        }
    }

    fn private_function(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        let deep = self.counts_depth && self.reaches_recursive(id);
        let analysis = self.context.analysis;
        let remembers = analysis.passes_selector(self.home)
            && analysis.needs_selector(self.context.program, self.home, id);
        let name = module.item_of("write", id.0.to_string(), path, |module| {
            let mut body = Writer::default();
            self.body(id, path, &mut body, module);
            let depth = if deep { ", depth" } else { "" };
            let selector = if remembers { ", selector" } else { "" };
            ("function ", function(&format!("value{depth}{selector}"), body))
        });
        match (deep, remembers) {
            (true, true) => format!("{name}({value}, depth, selector)"),
            (true, false) => format!("{name}({value}, depth)"),
            (false, true) => format!("{name}({value}, selector)"),
            (false, false) => format!("{name}({value})"),
        }
    }

    fn reference(&self, target: DeclarationId, value: &str, module: &mut Module) -> String {
        let declaration = &self.context.program.declarations[target];
        let name = format!("write{}", declaration.name);
        if self.home != target {
            module.value(&format!("./{}", file_name(&declaration.name)), &name);
        }
        if self.counts_depth && self.context.analysis.is_recursive(target) {
            let analysis = self.context.analysis;
            if analysis.passes_selector(target) && analysis.passes_selector(self.home) {
                format!("{name}({value}, depth + 1, selector)")
            } else {
                format!("{name}({value}, depth + 1)")
            }
        } else {
            format!("{name}({value})")
        }
    }

    fn array_body(&self, element: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let refuse = module.helper("refuse");
        body.line(format_args!("if (!Array.isArray(value)) {refuse}(value);"));
        body.line("let text = \"[\";");
        body.block(
            "for (let index = 0; index < value.length; index++) {",
            "}",
            |body| {
                body.line("const item = value[index];");
                let item = self.expression(element, "item", &path.step("Item"), module);
                body.line(format_args!("text += index === 0 ? {item} : `,${{{item}}}`;"));
            },
        );
        body.line("return `${text}]`;");
    }

    fn tuple_body(&self, elements: &[TupleElement], path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let refuse = module.helper("refuse");
        let rest = elements.iter().position(|element| element.rest);
        let least = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        let mut bounds = vec![format!("value.length < {least}")];
        if rest.is_none() {
            bounds.push(format!("value.length > {}", elements.len()));
        }
        let bounds = bounds.join(" || ");
        body.line(format_args!(
            "if (!Array.isArray(value) || {bounds}) {refuse}(value);"
        ));
        body.line("const parts = [];");
        for (position, element) in elements.iter().enumerate() {
            let step = format!("Item{position}");
            let path = path.step(&step);
            if element.rest {
                let after = elements.len() - position - 1;
                let opening =
                    format!("for (let index = {position}; index < value.length - {after}; index++) {{");
                body.block(opening, "}", |body| {
                    body.line("const item = value[index];");
                    let item = self.expression(element.r#type, "item", &path, module);
                    body.line(format_args!("parts.push({item});"));
                });
                continue;
            }
            let at = if rest.is_some_and(|rest| position > rest) {
                format!("value.length - {}", elements.len() - position)
            } else {
                position.to_string()
            };
            let name = format!("item{position}");
            body.line(format_args!("const {name} = value[{at}];"));
            let item = self.expression(element.r#type, &name, &path, module);
            let absent = if element.optional {
                format!("if (value.length > {position}) ")
            } else {
                String::new()
            };
            body.line(format_args!("{absent}parts.push({item});"));
        }
        body.line("return `[${parts.join()}]`;");
    }

    fn reaches_recursive(&self, id: TypeId) -> bool {
        let mut found = Vec::new();
        collect_references(self.context.program, id, &mut found);
        found
            .into_iter()
            .any(|target| self.context.analysis.is_recursive(target))
    }
}

/// Returns the JSON of a literal as a string literal in TypeScript.
fn literal_text(value: &LiteralValue) -> String {
    literal::string(&kit_analysis::literal_value(value).to_string())
}
