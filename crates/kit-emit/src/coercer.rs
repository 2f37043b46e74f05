//! Emits modules with coercers, which convert strings from paths, queries, headers, cookies and forms to the values that the
//! slot's validator expects.
//!
//! A coercer does not validate: a value that it cannot convert stays a string, and the validator reports it. Therefore a
//! coercer depends on types such as `number`, and not on rules such as `@min`.

use kit_ir::{
    Declaration, DeclarationId, LiteralValue, ObjectType, Program, Property, Slot, TypeId, TypeKind,
};

use crate::context::Context;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::Job;
use crate::text::{Exported, Module, Path, Writer, Written, literal};
use crate::validator::key_condition;
use kit_analysis::{is_json_part, resolve};

/// Returns the file name of a declaration's module.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}.coercer.js")
}

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = (DeclarationId, Job<'_>)> {
    context
        .changed()
        .filter(move |(id, _)| context.analysis.is_text(*id) || context.analysis.is_environment(*id))
        .map(move |(id, declaration)| {
            let job = Job::new(file_name(&declaration.name), move || {
                emit_module(context, id, declaration)
            });
            (id, job.keyed(key(context, id)))
        })
}

/// Returns the path parameters in the order in which the coercer expects their values: the order in the path
/// of the first route that uses the type. Other routes reorder their values.
pub(crate) fn parameter_order(context: Context<'_>, declaration: DeclarationId) -> &[String] {
    context
        .analysis
        .first_use(declaration, Slot::Params)
        .map_or(&[], |route| context.program.routes[route].parameters.as_slice())
}

/// Returns the fingerprint of a coercer's inputs: of the type, the slots that use the type, and the order of
/// the path parameters.
fn key(context: Context<'_>, id: DeclarationId) -> Fingerprint {
    let analysis = context.analysis;
    let used = Slot::INPUTS.map(|slot| analysis.first_use(id, slot).is_some());
    let others = (
        analysis.is_form(id),
        analysis.is_multipart(id),
        analysis.is_environment(id),
    );
    fingerprint((context.module_key(id), used, others, parameter_order(context, id)))
}

fn emit_module(context: Context<'_>, id: DeclarationId, declaration: &Declaration) -> Written {
    let program = context.program;
    let mut module = context.module("coerce", declaration);
    let object = match &program.types[declaration.r#type].kind {
        TypeKind::Object(object) => object.clone(),
        // Only objects have parameters. If the type is not an object, the compiler has reported an error.
        _ => ObjectType::default(),
    };
    let mut slots = Vec::new();
    let mut body = Writer::default();
    if context.analysis.first_use(id, Slot::Params).is_some() {
        slots.push("\"params\"");
        params(context, id, &object, &mut body, &mut module);
    }
    if context.analysis.first_use(id, Slot::Query).is_some() || context.analysis.is_form(id) {
        slots.extend(["\"query\"", "\"keys\""]);
        query(program, &object, &mut body, &mut module);
    }
    // Environment variables are read by name like headers, and their lists are separated in the same way.
    let is_environment = context.analysis.is_environment(id);
    if context.analysis.first_use(id, Slot::Headers).is_some() || is_environment {
        slots.push("\"headers\"");
        headers(program, &object, &mut body, &mut module);
    }
    if context.analysis.first_use(id, Slot::Cookies).is_some() {
        slots.push("\"cookies\"");
        cookies(program, &object, &mut body, &mut module);
    }
    if context.analysis.is_multipart(id) {
        slots.push("\"multipart\"");
        multipart(program, &object, &mut body, &mut module);
    }
    let name = &declaration.name;
    let mut writer = Writer::default();
    writer.block(format_args!("export const {name}Coercer = {{"), "};", |writer| {
        writer.line(body.inner());
    });
    module.push(writer);
    module.export(Exported::coercer(name, &slots));
    module.finish()
}

fn params(
    context: Context<'_>,
    id: DeclarationId,
    object: &ObjectType,
    body: &mut Writer,
    module: &mut Module,
) {
    let fields: Vec<_> = parameter_order(context, id)
        .iter()
        .enumerate()
        .map(|(position, name)| {
            let text = format!("values[{position}]");
            let value = match object.property(name) {
                Some(property) => coerce(context.program, property.r#type, &text, module),
                None => text,
            };
            (literal::key(name), value)
        })
        .collect();
    body.line(format_args!("params: (values) => ({}),", literal::object(fields)));
}

fn query(program: &Program, object: &ObjectType, body: &mut Writer, module: &mut Module) {
    let properties = &object.properties;
    let names = literal::strings(properties.iter().map(|property| &property.name));
    if !object.index.is_empty() {
        body.line(format_args!("keys: {names},"));
        whole_query(program, object, body, module);
        return;
    }
    if properties.is_empty() {
        body.line("keys: [],");
        body.line("query: () => ({}),");
        return;
    }
    let read = module.helper("readQuery");
    let mut writer = Writer::default();
    let keys = module.private("keys");
    writer.line(format_args!("const {keys} = {names};"));
    module.push(writer);
    body.line(format_args!("keys: {keys},"));
    body.block("query: (query) => {", "},", |body| {
        body.line("const result = {};");
        body.line(format_args!("const values = {read}(query, {keys});"));
        assign_values(program, properties, body, module);
        body.line("return result;");
    });
}

/// Writes the coercer of headers. A header whose type has arrays is a list (RFC 9110, section 5.6.1).
fn headers(program: &Program, object: &ObjectType, body: &mut Writer, module: &mut Module) {
    if object.properties.is_empty() {
        body.line("headers: () => ({}),");
        return;
    }
    body.block("headers: (read) => {", "},", |body| {
        body.line("const result = {};");
        for (position, property) in object.properties.iter().enumerate() {
            let local = format!("value{position}");
            let name = literal::string(&property.name);
            body.line(format_args!("const {local} = read({name});"));
            let value = match Conversion::for_type(program, property.r#type) {
                Conversion::Array(scalars) => {
                    let list = format!("{}({local})", module.helper("readList"));
                    coerce_each(&scalars, &list, module)
                }
                _ => coerce(program, property.r#type, &local, module),
            };
            body.line(format_args!(
                "if ({local} !== undefined) {}",
                assign(property, &value)
            ));
        }
        body.line("return result;");
    });
}

/// Writes the coercer of cookies.
fn cookies(program: &Program, object: &ObjectType, body: &mut Writer, module: &mut Module) {
    let properties = &object.properties;
    if properties.is_empty() {
        body.line("cookies: () => ({}),");
        return;
    }
    let read = module.helper("readCookies");
    let mut writer = Writer::default();
    let names = module.private("names");
    writer.line(format_args!(
        "const {names} = {};",
        literal::strings(properties.iter().map(|property| &property.name))
    ));
    module.push(writer);
    body.block("cookies: (header) => {", "},", |body| {
        body.line("const result = {};");
        body.line(format_args!("const values = {read}(header, {names});"));
        assign_values(program, properties, body, module);
        body.line("return result;");
    });
}

/// Writes the coercer of the parts of a multipart body. A part whose type is neither a scalar nor a list of scalars is
/// JSON.
fn multipart(program: &Program, object: &ObjectType, body: &mut Writer, module: &mut Module) {
    body.block("multipart: (read) => {", "},", |body| {
        body.line("const result = {};");
        for (position, property) in object.properties.iter().enumerate() {
            let local = format!("value{position}");
            let name = literal::string(&property.name);
            body.line(format_args!("const {local} = read({name});"));
            let value = if is_json_part(program, property.r#type) {
                format!("{}({local})", module.helper("readJsonPart"))
            } else {
                coerce(program, property.r#type, &local, module)
            };
            body.line(format_args!(
                "if ({local} !== undefined) {}",
                assign(property, &value)
            ));
        }
        body.line("return result;");
    });
}

/// Writes the assignments of properties from the array `values`: the first property gets `values[0]`, and so on.
fn assign_values(program: &Program, properties: &[Property], body: &mut Writer, module: &mut Module) {
    for (position, property) in properties.iter().enumerate() {
        let local = format!("value{position}");
        body.line(format_args!("const {local} = values[{position}];"));
        let value = coerce(program, property.r#type, &local, module);
        body.line(format_args!(
            "if ({local} !== undefined) {}",
            assign(property, &value)
        ));
    }
}

/// Writes the coercer of a query whose type has an index signature. The coercer also converts keys that the
/// type does not declare by name.
fn whole_query(program: &Program, object: &ObjectType, body: &mut Writer, module: &mut Module) {
    let read = module.helper("readWholeQuery");
    body.block("query: (query) => {", "},", |body| {
        body.line("const result = {};");
        body.block(
            format_args!("for (const [key, text] of {read}(query)) {{"),
            "}",
            |body| {
                if !object.properties.is_empty() {
                    body.block("switch (key) {", "}", |body| {
                        for property in &object.properties {
                            let value = coerce(program, property.r#type, "text", module);
                            body.line(format_args!("case {}:", literal::string(&property.name)));
                            body.line(format_args!("  {}", assign(property, &value)));
                            body.line("  continue;");
                        }
                    });
                }
                body.line("if (key === \"__proto__\") continue;");
                for signature in object.signatures() {
                    let value = coerce(program, signature.value, "text", module);
                    match key_condition(program, &signature.key, &Path::root("Key"), module) {
                        None => body.line(format_args!("result[key] = {value};")),
                        Some(taken) => body.block(format_args!("if ({taken}) {{"), "}", |body| {
                            body.line(format_args!("result[key] = {value};"));
                            body.line("continue;");
                        }),
                    }
                }
            },
        );
        body.line("return result;");
    });
}

fn assign(property: &Property, value: &str) -> String {
    let key = literal::string(&property.name);
    if property.name == "__proto__" {
        // An assignment to `__proto__` would set the prototype.
        return format!("Object.defineProperty(result, {key}, {{ value: {value}, enumerable: true }});");
    }
    format!("result{} = {value};", literal::member(&property.name))
}

/// Returns the code that coerces an expression.
fn coerce(program: &Program, id: TypeId, text: &str, module: &mut Module) -> String {
    match Conversion::for_type(program, id) {
        Conversion::Text => text.to_owned(),
        Conversion::Scalar(scalars) => scalars.apply(text, module),
        Conversion::Array(scalars) => {
            let each = module.helper("coerceEach");
            let item = scalars.apply("item", module);
            format!("{each}({text}, (item) => {item})")
        }
    }
}

/// Returns the code that coerces each item of a list. `list` is the expression of the list.
fn coerce_each(scalars: &ScalarConversions, list: &str, module: &mut Module) -> String {
    if scalars.is_empty() {
        return list.to_owned();
    }
    let item = scalars.apply("item", module);
    format!("{list}.map((item) => {item})")
}

/// Conversion of a string to a type.
enum Conversion {
    Text,
    Scalar(ScalarConversions),
    Array(ScalarConversions),
}

/// Types to which a string is converted, in the order of the attempts.
#[derive(Default)]
struct ScalarConversions {
    any_number: bool,
    any_boolean: bool,
    literals: Vec<LiteralValue>,
}

impl Conversion {
    fn for_type(program: &Program, id: TypeId) -> Self {
        let mut accepted = AcceptedTypes::default();
        accepted.collect(program, id);
        let scalars = ScalarConversions {
            any_number: accepted.number,
            any_boolean: accepted.boolean,
            literals: accepted.literals,
        };
        if accepted.array {
            Self::Array(scalars)
        } else if accepted.text || scalars.is_empty() {
            Self::Text
        } else {
            Self::Scalar(scalars)
        }
    }
}

/// Types of values that a type accepts.
#[derive(Default)]
struct AcceptedTypes {
    array: bool,
    /// True if the type accepts every string. If so, generated code converts no string.
    text: bool,
    number: bool,
    boolean: bool,
    literals: Vec<LiteralValue>,
}

impl AcceptedTypes {
    fn collect(&mut self, program: &Program, id: TypeId) {
        match &program.types[resolve(program, id)].kind {
            TypeKind::Number => self.number = true,
            TypeKind::Boolean => self.boolean = true,
            TypeKind::String => self.text = true,
            TypeKind::Literal { value } => self.literals.push(value.clone()),
            TypeKind::Union { members } => {
                for member in members {
                    self.collect(program, *member);
                }
            }
            TypeKind::Array { element } => {
                self.array = true;
                self.collect(program, *element);
            }
            TypeKind::Tuple { elements } => {
                self.array = true;
                for element in elements {
                    self.collect(program, element.r#type);
                }
            }
            // Types that are strings on the wire, or that no string can represent.
            TypeKind::Unknown
            | TypeKind::Never
            | TypeKind::Null
            | TypeKind::BigInt
            | TypeKind::Date
            | TypeKind::Bytes
            | TypeKind::Template { .. }
            | TypeKind::Object(_)
            | TypeKind::Reference { .. } => {}
        }
    }
}

impl ScalarConversions {
    fn is_empty(&self) -> bool {
        !self.any_number && !self.any_boolean && self.coercible().is_empty()
    }

    /// Returns the literals that are not strings and must be converted from strings, such as `1` and `true`.
    fn coercible(&self) -> Vec<String> {
        self.literals
            .iter()
            .filter(|literal| match literal {
                LiteralValue::Number(_) => !self.any_number,
                LiteralValue::Boolean(_) => !self.any_boolean,
                LiteralValue::String(_) | LiteralValue::BigInt(_) => false,
            })
            .map(literal::value)
            .collect()
    }

    fn apply(&self, text: &str, module: &mut Module) -> String {
        let mut value = text.to_owned();
        if self.any_number {
            value = format!("{}({value})", module.helper("coerceNumber"));
        }
        let literals = self.coercible();
        if !literals.is_empty() {
            let literals = literal::list("[", literals, "]");
            value = format!("{}({value}, {literals})", module.helper("coerceLiteral"));
        }
        if self.any_boolean {
            value = format!("{}({value})", module.helper("coerceBoolean"));
        }
        // A string that equals a string literal, such as "1", must not become a number.
        for literal in &self.literals {
            if let LiteralValue::String(expected) = literal
                && (self.any_number || self.any_boolean || !self.coercible().is_empty())
            {
                value = format!("{text} === {} ? {text} : {value}", literal::string(expected));
            }
        }
        value
    }
}
