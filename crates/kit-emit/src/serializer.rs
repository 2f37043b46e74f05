//! `serializers/<Type>.serializer.ts`: compiled JSON writers. Only declared properties are written, in their declared order.
//!
//! Writers keep no path and check no rule; they refuse what has no JSON form. Where one did, `unserializable` finds the place
//! by the type's shape.

use kit_ir::{
    Declaration, DeclarationId, LiteralValue, ObjectType, Property, TupleElement, TypeId, TypeKind,
};

use crate::analysis::{collect_references, discriminant, ordered_members, resolve};
use crate::text::{Module, Writer, literal};
use crate::types::origin;
use crate::validator::{Shapes, extend, is_inherited, is_no_index, local};
use crate::{Artifact, Context};

/// Path of a declaration's module, without the directory.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}.serializer.ts")
}

/// Serializers of everything that can be written: all but the params and queries of routes.
pub(crate) fn emit(context: Context<'_>) -> Vec<Artifact> {
    let program = context.program;
    let declarations = program.declarations.iter_ids();
    declarations
        .filter(|(id, _)| !context.analysis.is_only_text(program, *id))
        .map(|(id, declaration)| {
            Artifact::new(
                format!("serializers/{}", file_name(&declaration.name)),
                emit_module(context, id, declaration),
            )
        })
        .collect()
}

fn emit_module(context: Context<'_>, id: DeclarationId, declaration: &Declaration) -> String {
    let name = &declaration.name;
    let mut module = Module::new(
        origin(context.program, declaration),
        context.analysis.generated_names(),
    );
    let serializer = module.r#type("@kit/types", "Serializer");
    let this = module.program_type("../types.ts", name);
    let shape = module.value(
        &format!("../validators/{name}.validator.ts"),
        &format!("{name}Shape"),
    );
    Serializers::new(context, id).declare(declaration, &mut module);
    let (explain, unserializable) = (module.helper("explain"), module.helper("unserializable"));
    let mut writer = Writer::default();
    writer.doc(&format!("Writes `{name}` as JSON."));
    writer.block(
        format!("export const {name}Serializer: {serializer}<{this}> = {{"),
        "};",
        |writer| {
            writer.line(format!("name: \"{name}\","));
            writer.block("serialize: (value) => {", "},", |writer| {
                writer.block("try {", "} catch (error) {", |writer| {
                    writer.line(format!("return write{name}(value);"));
                });
                writer.line(format!(
                    "  throw {unserializable}(\"{name}\", {shape}, value, error);"
                ));
                writer.line("}");
            });
            writer.line(format!(
                "failures: (value, limit) => {explain}({shape}, value, \"value\", limit),"
            ));
        },
    );
    module.push(writer);
    module.finish()
}

struct Serializers<'a> {
    context: Context<'a>,
    home: DeclarationId,
    /// Whether the functions that are written count how deep they are: a handler's value may be a cycle.
    counted: bool,
}

impl<'a> Serializers<'a> {
    fn new(context: Context<'a>, home: DeclarationId) -> Self {
        let counted = context.analysis.is_recursive(home);
        Self {
            context,
            home,
            counted,
        }
    }

    /// `export function writeNote`.
    fn declare(&self, declaration: &Declaration, module: &mut Module) {
        let name = &declaration.name;
        let parameter = if self.counted { ", depth = 0" } else { "" };
        let mut body = Writer::default();
        if self.counted {
            let (enter, refuse) = (module.helper("enter"), module.helper("refuse"));
            body.line(format!("if (!{enter}(depth)) {refuse}(value);"));
        }
        self.body(declaration.r#type, std::slice::from_ref(name), &mut body, module);
        let mut writer = Writer::default();
        writer.doc(&format!("The JSON text of a `{name}`; throws where it has none."));
        let opening = format!("export function write{name}(value: unknown{parameter}): string {{");
        writer.block(opening, "}", |writer| writer.line(body.finish().trim_end()));
        module.push(writer);
    }

    /// JSON text of an expression that costs nothing to repeat.
    fn expression(&self, id: TypeId, value: &str, path: &[String], module: &mut Module) -> String {
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
            TypeKind::String | TypeKind::Template { .. } => "writeString",
            TypeKind::BigInt => "writeBigInt",
            TypeKind::Date => "writeDate",
            TypeKind::Bytes => "writeBytes",
            TypeKind::Literal { value } => literal_writer(value),
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

    fn body(&self, id: TypeId, path: &[String], body: &mut Writer, module: &mut Module) {
        match &self.context.program.types[id].kind {
            TypeKind::Object(object) => self.object_body(object, path, body, module),
            TypeKind::Array { element } => self.array_body(*element, path, body, module),
            TypeKind::Tuple { elements } => self.tuple_body(elements, path, body, module),
            TypeKind::Union { members } if !matches!(self.uniform(members).len(), 1 | 2) => {
                self.union_body(members, path, body, module);
            }
            TypeKind::Union { members } => match self.uniform(members).as_slice() {
                [_] | ["null", _] | [_, "null"] => {
                    let text = self.expression(id, "value", path, module);
                    body.line(format!("return {text};"));
                }
                _ => self.union_body(members, path, body, module),
            },
            _ => {
                let text = self.expression(id, "value", path, module);
                body.line(format!("return {text};"));
            }
        }
    }

    /// The distinct helpers that write the members of a union; empty where a member is no scalar.
    fn uniform(&self, members: &[TypeId]) -> Vec<&'static str> {
        let mut helpers = Vec::new();
        for member in members {
            let helper = match &self.context.program.types[resolve(self.context.program, *member)].kind {
                TypeKind::Null => "null",
                TypeKind::Boolean => "writeBoolean",
                TypeKind::Number => "writeNumber",
                TypeKind::String | TypeKind::Template { .. } => "writeString",
                TypeKind::BigInt => "writeBigInt",
                TypeKind::Date => "writeDate",
                TypeKind::Bytes => "writeBytes",
                TypeKind::Literal { value } => literal_writer(value),
                _ => return Vec::new(),
            };
            if !helpers.contains(&helper) {
                helpers.push(helper);
            }
        }
        helpers
    }

    fn private_function(&self, id: TypeId, value: &str, path: &[String], module: &mut Module) -> String {
        let deep = self.counted && self.reaches_recursive(id);
        let name = module.once("write", id.0.to_string(), path, |module, name| {
            let mut body = Writer::default();
            self.body(id, path, &mut body, module);
            let parameter = if deep { ", depth: number" } else { "" };
            let mut writer = Writer::default();
            let opening = format!("function {name}(value: unknown{parameter}): string {{");
            writer.block(opening, "}", |writer| writer.line(body.finish().trim_end()));
            module.push(writer);
        });
        if deep {
            format!("{name}({value}, depth)")
        } else {
            format!("{name}({value})")
        }
    }

    fn reference(&self, target: DeclarationId, value: &str, module: &mut Module) -> String {
        let declaration = &self.context.program.declarations[target];
        let name = format!("write{}", declaration.name);
        if self.home != target {
            module.value(&format!("./{}", file_name(&declaration.name)), &name);
        }
        if self.counted && self.context.analysis.is_recursive(target) {
            format!("{name}({value}, depth + 1)")
        } else {
            format!("{name}({value})")
        }
    }

    fn object_body(&self, object: &ObjectType, path: &[String], body: &mut Writer, module: &mut Module) {
        let (is_object, refuse) = (module.helper("isObject"), module.helper("refuse"));
        body.line(format!("if (!{is_object}(value)) {refuse}(value);"));
        let always = object.properties.iter().position(|property| !property.optional);
        if let Some(0) = always
            && object.index.is_none()
            && object.properties.iter().all(|property| !property.optional)
        {
            self.fixed_object(object, path, body, module);
            return;
        }
        if object.properties.is_empty() && object.index.is_none() {
            body.line("return \"{}\";");
            return;
        }
        body.line("let text = \"{\";");
        for (position, property) in object.properties.iter().enumerate() {
            // Behind the first property that is always there, every other one has a comma before it.
            let comma = match always {
                Some(first) if position > first => Comma::Before,
                Some(first) if position == first && first == 0 => Comma::None,
                _ => Comma::WhereNeeded,
            };
            self.append(property, position, comma, path, body, module);
        }
        if let Some(index) = object.index {
            self.append_index(object, index, path, body, module);
        }
        body.line("return `${text}}`;");
    }

    /// An object without optional properties is one template.
    fn fixed_object(&self, object: &ObjectType, path: &[String], body: &mut Writer, module: &mut Module) {
        let mut parts = Vec::new();
        for (position, property) in object.properties.iter().enumerate() {
            let value = self.property(property, position, path, body, module);
            let before = if position == 0 { "{" } else { "," };
            let after = if position + 1 == object.properties.len() {
                "}"
            } else {
                ""
            };
            parts.push(format!(
                "`{before}{}:${{{value}}}{after}`",
                json_key(&property.name)
            ));
        }
        if let [only] = parts.as_slice() {
            body.line(format!("return {only};"));
        } else {
            body.block("return (", ");", |body| body.line(parts.join(" +\n")));
        }
    }

    /// JSON text of a property of `value`. Adds a local where the value is needed twice.
    fn property(
        &self,
        property: &Property,
        position: usize,
        path: &[String],
        body: &mut Writer,
        module: &mut Module,
    ) -> String {
        let read = read(&property.name, module);
        let path = extend(path, &property.name);
        let text = self.expression(property.r#type, &read, &path, module);
        if text.matches(read.as_str()).count() < 2 {
            return text;
        }
        let name = local(&property.name, position);
        body.line(format!("const {name} = {read};"));
        self.expression(property.r#type, &name, &path, module)
    }

    fn append(
        &self,
        property: &Property,
        position: usize,
        comma: Comma,
        path: &[String],
        body: &mut Writer,
        module: &mut Module,
    ) {
        let key = json_key(&property.name);
        let before = match comma {
            Comma::None => "",
            Comma::Before => ",",
            Comma::WhereNeeded if position == 0 => "",
            Comma::WhereNeeded => "${text.length > 1 ? \",\" : \"\"}",
        };
        if property.optional {
            let name = local(&property.name, position);
            body.line(format!("const {name} = {};", read(&property.name, module)));
            let value = self.expression(property.r#type, &name, &extend(path, &property.name), module);
            body.line(format!(
                "if ({name} !== undefined) text += `{before}{key}:${{{value}}}`;"
            ));
        } else {
            let value = self.property(property, position, path, body, module);
            body.line(format!("text += `{before}{key}:${{{value}}}`;"));
        }
    }

    fn append_index(
        &self,
        object: &ObjectType,
        index: TypeId,
        path: &[String],
        body: &mut Writer,
        module: &mut Module,
    ) {
        let write_string = module.helper("writeString");
        body.block("for (const key of Object.keys(value)) {", "}", |body| {
            let skip = is_no_index(object);
            body.line(format!("if ({skip}) continue;"));
            body.line("const item = value[key];");
            let item = self.expression(index, "item", &extend(path, "Value"), module);
            body.line(format!(
                "if (item !== undefined) text += `${{text.length > 1 ? \",\" : \"\"}}${{{write_string}(key)}}:${{{item}}}`;"
            ));
        });
    }

    fn array_body(&self, element: TypeId, path: &[String], body: &mut Writer, module: &mut Module) {
        let refuse = module.helper("refuse");
        body.line(format!("if (!Array.isArray(value)) {refuse}(value);"));
        body.line("let text = \"[\";");
        body.block(
            "for (let index = 0; index < value.length; index++) {",
            "}",
            |body| {
                body.line("const item: unknown = value[index];");
                let item = self.expression(element, "item", &extend(path, "Item"), module);
                body.line(format!("text += index === 0 ? {item} : `,${{{item}}}`;"));
            },
        );
        body.line("return `${text}]`;");
    }

    fn tuple_body(&self, elements: &[TupleElement], path: &[String], body: &mut Writer, module: &mut Module) {
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
        body.line(format!("if (!Array.isArray(value) || {bounds}) {refuse}(value);"));
        body.line("const parts: string[] = [];");
        for (position, element) in elements.iter().enumerate() {
            let path = extend(path, &format!("Item{position}"));
            if element.rest {
                let after = elements.len() - position - 1;
                let opening =
                    format!("for (let index = {position}; index < value.length - {after}; index++) {{");
                body.block(opening, "}", |body| {
                    body.line("const item: unknown = value[index];");
                    let item = self.expression(element.r#type, "item", &path, module);
                    body.line(format!("parts.push({item});"));
                });
                continue;
            }
            let at = if rest.is_some_and(|rest| position > rest) {
                format!("value.length - {}", elements.len() - position)
            } else {
                position.to_string()
            };
            let name = format!("item{position}");
            body.line(format!("const {name}: unknown = value[{at}];"));
            let item = self.expression(element.r#type, &name, &path, module);
            let absent = if element.optional {
                format!("if (value.length > {position}) ")
            } else {
                String::new()
            };
            body.line(format!("{absent}parts.push({item});"));
        }
        body.line("return `[${parts.join()}]`;");
    }

    /// Members by what the value is: scalars by their type, arrays, then objects by discriminant or by fit.
    fn union_body(&self, members: &[TypeId], path: &[String], body: &mut Writer, module: &mut Module) {
        let program = self.context.program;
        let found = discriminant(program, members);
        let ordered = ordered_members(program, members);
        let mut tested: Vec<&str> = Vec::new();
        let mut containers = Vec::new();
        for (position, member) in ordered.iter().enumerate() {
            let resolved = resolve(program, *member);
            let test = match &program.types[resolved].kind {
                TypeKind::Null => "value === null",
                TypeKind::Boolean => "typeof value === \"boolean\"",
                TypeKind::Number => "typeof value === \"number\"",
                TypeKind::String | TypeKind::Template { .. } => "typeof value === \"string\"",
                TypeKind::BigInt => "typeof value === \"bigint\"",
                TypeKind::Date => "value instanceof Date",
                TypeKind::Bytes => "value instanceof Uint8Array",
                TypeKind::Literal { value } => match value {
                    LiteralValue::String(_) => "typeof value === \"string\"",
                    LiteralValue::Number(_) => "typeof value === \"number\"",
                    LiteralValue::Boolean(_) => "typeof value === \"boolean\"",
                    LiteralValue::BigInt(_) => "typeof value === \"bigint\"",
                },
                TypeKind::Never => continue,
                TypeKind::Unknown
                | TypeKind::Array { .. }
                | TypeKind::Tuple { .. }
                | TypeKind::Object(_)
                | TypeKind::Union { .. }
                | TypeKind::Reference { .. } => {
                    containers.push((position, *member));
                    continue;
                }
            };
            if tested.contains(&test) {
                continue;
            }
            tested.push(test);
            let text = self.expression(resolved, "value", path, module);
            body.line(format!("if ({test}) return {text};"));
        }
        self.container_members(&containers, found.as_ref(), path, body, module);
    }

    fn container_members(
        &self,
        containers: &[(usize, TypeId)],
        found: Option<&crate::analysis::Discriminant>,
        path: &[String],
        body: &mut Writer,
        module: &mut Module,
    ) {
        let refuse = module.helper("refuse");
        if let [(position, only)] = containers {
            let text = self.expression(
                *only,
                "value",
                &extend(path, &format!("Member{position}")),
                module,
            );
            body.line(format!("return {text};"));
            return;
        }
        let is_case = |id: TypeId| found.is_some_and(|found| found.cases.iter().any(|(case, _)| *case == id));
        for (position, member) in containers.iter().filter(|(_, member)| !is_case(*member)) {
            let path = extend(path, &format!("Member{position}"));
            let (shape, fits) = (self.hoisted_shape(*member, &path, module), module.helper("fits"));
            let text = self.expression(*member, "value", &path, module);
            body.line(format!("if ({fits}({shape}, value, \"value\")) return {text};"));
        }
        let Some(found) = found else {
            body.line(format!("return {refuse}(value);"));
            return;
        };
        let is_object = module.helper("isObject");
        body.line(format!("if (!{is_object}(value)) {refuse}(value);"));
        let tag = read(&found.property, module);
        body.block(format!("switch ({tag}) {{"), "}", |body| {
            for (position, (member, literals)) in found.cases.iter().enumerate() {
                for literal in literals {
                    body.line(format!("case {}:", literal::value(literal)));
                }
                let text = self.expression(
                    *member,
                    "value",
                    &extend(path, &format!("Case{position}")),
                    module,
                );
                body.line(format!("  return {text};"));
            }
            body.line("default:");
            body.line(format!("  return {refuse}(value);"));
        });
    }

    fn hoisted_shape(&self, id: TypeId, path: &[String], module: &mut Module) -> String {
        module.once("shape", id.0.to_string(), path, |module, name| {
            let shape = module.codec_type("Shape");
            let text = Shapes::new(self.context, None).shape(id, None, path, module);
            let mut writer = Writer::default();
            writer.line(format!("const {name}: {shape} = {text};"));
            module.push(writer);
        })
    }

    fn reaches_recursive(&self, id: TypeId) -> bool {
        let mut found = Vec::new();
        collect_references(self.context.program, id, &mut found);
        found
            .into_iter()
            .any(|target| self.context.analysis.is_recursive(target))
    }
}

/// Whether a comma stands before a property.
#[derive(Clone, Copy)]
enum Comma {
    None,
    Before,
    WhereNeeded,
}

fn literal_writer(value: &LiteralValue) -> &'static str {
    match value {
        LiteralValue::String(_) => "writeString",
        LiteralValue::Number(_) => "writeNumber",
        LiteralValue::Boolean(_) => "writeBoolean",
        LiteralValue::BigInt(_) => "writeBigInt",
    }
}

/// Reads a property of `value`.
fn read(name: &str, module: &mut Module) -> String {
    let key = literal::string(name);
    if is_inherited(name) {
        format!("{}(value, {key})", module.helper("own"))
    } else {
        format!("value[{key}]")
    }
}

/// A key in JSON, for the inside of a template literal.
fn json_key(name: &str) -> String {
    literal::template(&serde_json::Value::from(name).to_string())
}
