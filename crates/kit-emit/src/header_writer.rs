//! Emits modules with functions that write the headers of replies. They write only declared headers, in
//! the order of their declarations.
//!
//! The functions check types and characters, but no rules. After a refusal, `unwritable` of the runtime finds the header.

use kit_analysis::resolve;
use kit_ir::{Declaration, DeclarationId, LiteralValue, Program, Property, TypeId, TypeKind};

use crate::context::Context;
use crate::job::Job;
use crate::text::{Exported, Module, Writer, Written, literal};
use crate::validator::{self, read_property};

/// Header of which a reply sends one line for each item of a list, because its values may contain commas (RFC
/// 9110, section 5.3).
const SET_COOKIE: &str = "set-cookie";

/// Returns the file name of a declaration's module.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}.headers.js")
}

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = (DeclarationId, Job<'_>)> {
    context
        .changed()
        .filter(move |(id, _)| context.analysis.is_reply_headers(*id))
        .map(move |(id, declaration)| {
            let job = Job::new(file_name(&declaration.name), move || {
                emit_module(context, declaration)
            });
            (id, job.keyed(context.module_key(id)))
        })
}

fn emit_module(context: Context<'_>, declaration: &Declaration) -> Written {
    let program = context.program;
    let name = &declaration.name;
    let mut module = context.module("headers", declaration);
    let shape = module.value(&validator::import_path(name), &format!("{name}Shape"));
    let properties = program.properties(declaration.r#type);
    let mut body = Writer::default();
    for (position, property) in properties.iter().enumerate() {
        write_property(program, property, position, &mut body, &mut module);
    }
    let (explain, unwritable) = (module.helper("explain"), module.helper("unwritable"));
    let mut writer = Writer::default();
    writer.block(
        format_args!("export const {name}HeaderWriter = {{"),
        "};",
        |writer| {
            writer.line(format_args!("name: \"{name}\","));
            writer.block("write: (value) => {", "},", |writer| {
                writer.line("const lines = [];");
                writer.block("try {", "} catch (error) {", |writer| {
                    writer.line(body.inner());
                });
                writer.line(format_args!(
                    "  throw {unwritable}(\"{name}\", {shape}, value, error);"
                ));
                writer.line("}");
                writer.line("return lines;");
            });
            writer.line(format_args!(
                "failures: (value, limit) => {explain}({shape}, value, \"value\", limit),"
            ));
        },
    );
    module.push(writer);
    module.export(Exported::of_type(name, "HeaderWriter"));
    module.finish()
}

fn write_property(
    program: &Program,
    property: &Property,
    position: usize,
    body: &mut Writer,
    module: &mut Module,
) {
    let kinds = Kinds::of(program, property.r#type);
    let key = literal::string(&property.name);
    let read = read_property(&property.name, module);
    let local = format!("value{position}");
    body.line(format_args!("const {local} = {read};"));
    let scalar = module.helper(kinds.helper());
    let one = format!("lines.push({key}, {scalar}({local}));");
    let several = if property.name == SET_COOKIE {
        let items = module.helper("headerItems");
        format!("for (const item of {items}({local})) lines.push({key}, {scalar}(item));")
    } else {
        let list = module.helper("headerList");
        format!("lines.push({key}, {list}({local}, {scalar}));")
    };
    let statement = match (kinds.array, kinds.scalar) {
        (false, _) => one,
        (true, false) => several,
        (true, true) => format!("if (Array.isArray({local})) {several}\nelse {one}"),
    };
    if property.optional {
        body.block(format_args!("if ({local} !== undefined) {{"), "}", |body| {
            body.line(statement);
        });
    } else {
        body.line(statement);
    }
}

/// Kinds of values of a header.
#[derive(Default)]
struct Kinds {
    array: bool,
    /// True if the value may be a single value and not only an array.
    scalar: bool,
    helpers: Vec<&'static str>,
}

impl Kinds {
    fn of(program: &Program, id: TypeId) -> Self {
        let mut kinds = Self::default();
        kinds.collect(program, id, false);
        kinds
    }

    fn collect(&mut self, program: &Program, id: TypeId, in_array: bool) {
        let helper = match &program.types[resolve(program, id)].kind {
            TypeKind::Array { element } => {
                self.array = true;
                return self.collect(program, *element, true);
            }
            TypeKind::Tuple { elements } => {
                self.array = true;
                for element in elements {
                    self.collect(program, element.r#type, true);
                }
                return;
            }
            TypeKind::Union { members } => {
                for member in members {
                    self.collect(program, *member, in_array);
                }
                return;
            }
            TypeKind::String | TypeKind::Template { .. } => "headerString",
            TypeKind::Number => "headerNumber",
            TypeKind::Boolean => "headerBoolean",
            TypeKind::BigInt => "headerBigInt",
            TypeKind::Date => "headerDate",
            TypeKind::Bytes => "headerBytes",
            TypeKind::Literal { value } => match value {
                LiteralValue::String(_) => "headerString",
                LiteralValue::Number(_) => "headerNumber",
                LiteralValue::Boolean(_) => "headerBoolean",
                LiteralValue::BigInt(_) => "headerBigInt",
            },
            // The compiler refuses these types of headers, and `headerScalar` refuses their values.
            TypeKind::Unknown
            | TypeKind::Never
            | TypeKind::Null
            | TypeKind::Object(_)
            | TypeKind::Reference { .. } => "headerScalar",
        };
        self.scalar |= !in_array;
        if !self.helpers.contains(&helper) {
            self.helpers.push(helper);
        }
    }

    /// Returns the name of the function that writes a scalar.
    fn helper(&self) -> &'static str {
        match self.helpers.as_slice() {
            [helper] => helper,
            _ => "headerScalar",
        }
    }
}
