//! Emits `decode`, which converts a valid JSON value to the value for the handler. It copies objects property by property, so
//! undeclared properties are dropped. A value that is the same in both forms is returned without a copy.

use kit_ir::{
    Declaration, DeclarationId, DefaultValue, LiteralValue, ObjectType, Property, TupleElement, TypeId,
    TypeKind,
};
use rustc_hash::FxHashSet;

use super::names::{key_condition, local, not_an_index_key, read_property, value_step};
use crate::context::Context;
use crate::text::{Module, Path, Writer, function, literal};

/// Writes the decoders of a declaration's module.
pub(crate) struct Decoder<'a> {
    pub(super) context: Context<'a>,
    pub(super) home: DeclarationId,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(context: Context<'a>, home: DeclarationId) -> Self {
        Self { context, home }
    }

    /// Emits `export function decodeNote`.
    pub(crate) fn declare(&self, declaration: &Declaration, module: &mut Module) {
        let name = &declaration.name;
        let mut body = Writer::default();
        self.body(declaration.r#type, &Path::root(name), &mut body, module);
        let mut writer = Writer::default();
        let parameter = if self.context.analysis.passes_selector(self.home) {
            let selector = module.helper("MemberSelector");
            format!(", selector = new {selector}(\"wire\")")
        } else {
            String::new()
        };
        writer.block(
            format_args!("export function decode{name}(value{parameter}) {{"),
            "}",
            |writer| {
                writer.line(body.inner());
            },
        );
        module.push(writer);
    }

    /// Returns true if a JSON value of the type already is the value for the handler, so that decoding
    /// returns it unchanged.
    pub(super) fn is_identity(&self, id: TypeId) -> bool {
        let program = self.context.program;
        let mut entered = FxHashSet::default();
        let mut pending = vec![id];
        while let Some(next) = pending.pop() {
            match &program.types[next].kind {
                TypeKind::Never
                | TypeKind::Null
                | TypeKind::Boolean
                | TypeKind::Number
                | TypeKind::String
                | TypeKind::Template { .. } => {}
                TypeKind::Literal { value } if !matches!(value, LiteralValue::BigInt(_)) => {}
                TypeKind::Literal { .. }
                | TypeKind::Unknown
                | TypeKind::BigInt
                | TypeKind::Date
                | TypeKind::Bytes
                | TypeKind::Object(_) => return false,
                TypeKind::Array { element } => pending.push(*element),
                TypeKind::Tuple { elements } => {
                    pending.extend(elements.iter().map(|element| element.r#type));
                }
                TypeKind::Union { members } => pending.extend(members),
                TypeKind::Reference { declaration } => {
                    // A reference to a type around it adds nothing new. Only its other properties and items decide.
                    if entered.insert(*declaration) {
                        pending.push(program.declarations[*declaration].r#type);
                    }
                }
            }
        }
        true
    }

    /// Returns code that decodes `value`. The code may evaluate `value` twice, so `value` must be cheap.
    pub(super) fn expression(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        if self.is_identity(id) {
            return value.to_owned();
        }
        match &self.context.program.types[id].kind {
            TypeKind::Unknown => format!("{}({value})", module.helper("decodeUnknown")),
            TypeKind::BigInt => format!("{}({value})", module.helper("toBigInt")),
            TypeKind::Date => format!("{}({value})", module.helper("decodeDate")),
            TypeKind::Bytes => format!("{}({value})", module.helper("decodeBytes")),
            TypeKind::Literal { value } => literal::value(value),
            TypeKind::Reference { declaration } => self.reference(*declaration, value, module),
            TypeKind::Union { members } if self.nullable(members).is_some() => {
                let inner = self.nullable(members).unwrap_or(id);
                let inner = self.expression(inner, value, path, module);
                format!("{value} === null ? null : {inner}")
            }
            _ => self.private_function(id, value, path, module),
        }
    }

    /// Returns `T` for the union `T | null`; `None` for all other unions.
    fn nullable(&self, members: &[TypeId]) -> Option<TypeId> {
        let is_null = |id: &TypeId| matches!(self.context.program.types[*id].kind, TypeKind::Null);
        match members {
            [null, other] if is_null(null) => Some(*other),
            [other, null] if is_null(null) => Some(*other),
            _ => None,
        }
    }

    /// Emits the body of a function with the parameter `value`.
    fn body(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        if self.is_identity(id) {
            body.line("return value;");
            return;
        }
        match &self.context.program.types[id].kind {
            TypeKind::Object(object) => self.object_body(object, path, body, module),
            TypeKind::Array { element } => self.array_body(*element, path, body, module),
            TypeKind::Tuple { elements } => self.tuple_body(elements, path, body, module),
            TypeKind::Union { members } if self.nullable(members).is_none() => {
                self.union_body(id, path, body, module);
            }
            _ => {
                let value = self.expression(id, "value", path, module);
                body.line(format_args!("return {value};"));
            }
        }
    }

    fn private_function(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        let passes_selector = self.passes_selector(id);
        let name = module.item_of("decode", id.0.to_string(), path, |module| {
            let mut body = Writer::default();
            self.body(id, path, &mut body, module);
            let selector = if passes_selector { ", selector" } else { "" };
            ("function ", function(&format!("value{selector}"), body))
        });
        if passes_selector {
            format!("{name}({value}, selector)")
        } else {
            format!("{name}({value})")
        }
    }

    fn reference(&self, target: DeclarationId, value: &str, module: &mut Module) -> String {
        let declaration = &self.context.program.declarations[target];
        let name = format!("decode{}", declaration.name);
        if self.home != target {
            module.value(&super::import_path(&declaration.name), &name);
        }
        let remembering = |id| self.context.analysis.passes_selector(id);
        if remembering(target) && remembering(self.home) {
            format!("{name}({value}, selector)")
        } else {
            format!("{name}({value})")
        }
    }

    /// Returns true if the code for the type must know which members of unions matched.
    fn passes_selector(&self, id: TypeId) -> bool {
        let analysis = self.context.analysis;
        analysis.passes_selector(self.home) && analysis.needs_selector(self.context.program, self.home, id)
    }

    fn object_body(&self, object: &ObjectType, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        // The object literal contains the properties before the first one that may be absent. The others are assigned
        // afterwards, in order.
        let first_absent = object.properties.iter().position(stays_absent);
        let in_literal = if object.index.is_empty() {
            first_absent.unwrap_or(object.properties.len())
        } else {
            0
        };
        let common = self.common_properties(object, path, module);
        if let Some((count, call)) = &common {
            if *count == object.properties.len() {
                body.line(format_args!("return {call};"));
                return;
            }
            body.line(format_args!("const result = {call};"));
            self.assign_properties(object, *count, path, body, module);
            body.line("return result;");
            return;
        }
        let mut fields = Vec::new();
        for (position, property) in object.properties.iter().enumerate().take(in_literal) {
            let value = self.required(property, position, path, body, module);
            fields.push(format!("{}: {value},", literal::key(&property.name)));
        }
        if in_literal == object.properties.len() && object.index.is_empty() {
            if fields.is_empty() {
                body.line("return {};");
            } else {
                body.block("return {", "};", |body| {
                    body.line(fields.join("\n"));
                });
            }
            return;
        }
        if let [last] = &object.properties.as_slice()[in_literal..]
            && object.index.is_empty()
            && !fields.is_empty()
            && last.name != "__proto__"
        {
            self.with_or_without(last, in_literal, &fields, path, body, module);
            return;
        }
        if fields.is_empty() {
            body.line("const result = {};");
        } else {
            body.block("const result = {", "};", |body| {
                body.line(fields.join("\n"));
            });
        }
        self.assign_properties(object, in_literal, path, body, module);
        if !object.index.is_empty() {
            self.index_body(object, path, body, module);
        }
        body.line("return result;");
    }

    /// Returns a call that decodes the first properties, if several types have them in common, and their number. These types
    /// share the function.
    fn common_properties(
        &self,
        object: &ObjectType,
        path: &Path<'_>,
        module: &mut Module,
    ) -> Option<(usize, String)> {
        let analysis = self.context.analysis;
        let count = analysis.common_properties(self.context.program, self.home, object);
        if count == 0 {
            return None;
        }
        let start = ObjectType {
            properties: object.properties[..count].to_vec(),
            index: Vec::new(),
        };
        let mut body = Writer::default();
        self.object_body(&start, path, &mut body, module);
        let name = module.item("decode", "function ", &function("value", body), path);
        Some((count, format!("{name}(value)")))
    }

    /// Emits assignments of the properties from a position on to the variable `result`.
    fn assign_properties(
        &self,
        object: &ObjectType,
        first: usize,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        for (position, property) in object.properties.iter().enumerate().skip(first) {
            if stays_absent(property) {
                let name = local(&property.name, position);
                body.line(format_args!(
                    "const {name} = {};",
                    read_property(&property.name, module)
                ));
                let value = self.expression(property.r#type, &name, &path.step(&property.name), module);
                let assign = assign(&property.name, &value);
                body.line(format_args!("if ({name} !== undefined) {assign}"));
            } else {
                let value = self.required(property, position, path, body, module);
                body.line(assign(&property.name, &value));
            }
        }
    }

    /// Emits two object literals if only the last property may be absent, one with and one without this
    /// property. This is faster than an assignment.
    #[allow(
        clippy::too_many_arguments,
        reason = "the state of an object that is half written"
    )]
    fn with_or_without(
        &self,
        property: &Property,
        position: usize,
        fields: &[String],
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let name = local(&property.name, position);
        body.line(format_args!(
            "const {name} = {};",
            read_property(&property.name, module)
        ));
        let value = self.expression(property.r#type, &name, &path.step(&property.name), module);
        let without = format!("{{ {} }}", fields.join(" ").trim_end_matches(','));
        body.line(format_args!("if ({name} === undefined) return {without};"));
        body.block("return {", "};", |body| {
            body.line(fields.join("\n"));
            body.line(format_args!("{}: {value},", literal::key(&property.name)));
        });
    }

    fn index_body(&self, object: &ObjectType, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        body.block("for (const key of Object.keys(value)) {", "}", |body| {
            let skip = not_an_index_key(object);
            body.line(format_args!("if ({skip}) continue;"));
            body.line("const item = value[key];");
            let mut branch = "if";
            for (position, signature) in object.signatures().into_iter().enumerate() {
                let step = value_step(position);
                let path = path.step(&step);
                let value = self.expression(signature.value, "item", &path, module);
                match key_condition(self.context.program, &signature.key, &path, module) {
                    None if branch == "if" => body.line(format_args!("result[key] = {value};")),
                    None => body.line(format_args!("else result[key] = {value};")),
                    Some(taken) => body.line(format_args!("{branch} ({taken}) result[key] = {value};")),
                }
                branch = "else if";
            }
        });
    }

    /// Returns the expression that decodes a property which is never absent. Stores the property in a
    /// local variable first if the expression would read the property twice.
    fn required(
        &self,
        property: &Property,
        position: usize,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) -> String {
        let path = path.step(&property.name);
        let read = read_property(&property.name, module);
        let identity = self.is_identity(property.r#type);
        if identity && property.tags.default.is_none() {
            return read;
        }
        let name = local(&property.name, position);
        let value = match &property.tags.default {
            None => {
                let value = self.expression(property.r#type, &read, &path, module);
                if value.matches(read.as_str()).count() < 2 {
                    return value;
                }
                self.expression(property.r#type, &name, &path, module)
            }
            Some(default) => {
                let value = self.expression(property.r#type, &name, &path, module);
                let default = self.default_value(property.r#type, default, &path, module);
                format!("{name} === undefined ? {default} : {value}")
            }
        };
        body.line(format_args!("const {name} = {read};"));
        value
    }

    /// Returns code for a default. The default is written as JSON and decoded like a value of a client, each time it is used.
    fn default_value(
        &self,
        id: TypeId,
        default: &DefaultValue,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        let wire = match default {
            DefaultValue::Null => return "null".to_owned(),
            DefaultValue::Now => return "new Date()".to_owned(),
            DefaultValue::Literal(LiteralValue::BigInt(digits)) => return format!("{digits}n"),
            DefaultValue::Literal(value) => literal::value(value),
            DefaultValue::Json(text) => match serde_json::from_str(text) {
                Ok(value) => literal::json(&value),
                // The IR guarantees that defaults are JSON. Otherwise, `JSON.parse` fails in the generated code.
                Err(_) => format!("JSON.parse({})", literal::string(text)),
            },
        };
        self.expression(id, &wire, path, module)
    }

    fn array_body(&self, element: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        // `map` allocates the list with its final length. In measurements, it was faster than other loops.
        let item = self.expression(element, "item", &path.step("Item"), module);
        body.line(format_args!("return value.map((item) => {item});"));
    }

    fn tuple_body(&self, elements: &[TupleElement], path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let rest = elements.iter().position(|element| element.rest);
        body.line("const result = [];");
        for (position, element) in elements.iter().enumerate() {
            let step = format!("Item{position}");
            let path = path.step(&step);
            if element.rest {
                let after = elements.len() - position - 1;
                body.block(
                    format_args!("for (let index = {position}; index < value.length - {after}; index++) {{"),
                    "}",
                    |body| {
                        body.line("const item = value[index];");
                        let item = self.expression(element.r#type, "item", &path, module);
                        body.line(format_args!("result.push({item});"));
                    },
                );
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
            body.line(format_args!("{absent}result.push({item});"));
        }
        body.line("return result;");
    }
}

/// Returns true if a property that a request omits stays absent in the decoded value. This applies to
/// generated properties, which the server sets later, and to optional properties even with a default: an
/// update must not reset properties that it omits.
fn stays_absent(property: &Property) -> bool {
    property.optional || (property.tags.generated.is_some() && property.tags.default.is_none())
}

/// Returns code that sets a property of the variable `result`. `__proto__` must be defined, because an assignment would set the
/// prototype.
fn assign(name: &str, value: &str) -> String {
    if name == "__proto__" {
        format!(
            "Object.defineProperty(result, \"__proto__\", {{ value: {value}, enumerable: true, writable: true, configurable: true }});"
        )
    } else {
        format!("result{} = {value};", literal::member(name))
    }
}
