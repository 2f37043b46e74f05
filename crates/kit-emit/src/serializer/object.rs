//! Serializers of objects: one expression if all properties are required, else a string to which properties are
//! appended.

use std::ops::Range;

use kit_analysis::resolve;
use kit_ir::{ObjectType, Property, TypeId, TypeKind};

use super::Serializers;
use crate::text::{Module, Path, Writer, function, literal};
use crate::validator::{key_condition, local, not_an_index_key, read_property, value_step};

/// State of the comma before a property in the JSON of an object.
#[derive(Clone, Copy)]
enum Comma {
    None,
    Before,
    IfNeeded,
}

/// Maximum number of properties in one template literal. A longer one would be a line that nobody can read.
const PROPERTIES: usize = 8;

/// Code that builds the variable `text`. Properties that an object always has are written together in one template literal,
/// which takes less time than one for each.
struct Text {
    /// Content of a template literal that is not yet appended.
    pending: String,
    /// Number of properties in `pending`.
    properties: usize,
    /// True if the variable is declared.
    is_declared: bool,
}

impl Default for Text {
    fn default() -> Self {
        Self {
            pending: "{".to_owned(),
            properties: 0,
            is_declared: false,
        }
    }
}

impl Text {
    /// Adds the content of a template literal for a property.
    fn add(&mut self, content: &str, body: &mut Writer) {
        if self.properties == PROPERTIES {
            self.append(body);
        }
        self.pending.push_str(content);
        self.properties += 1;
    }

    /// Emits the statement that appends the pending content.
    fn append(&mut self, body: &mut Writer) {
        if !self.is_declared && self.properties == 0 {
            body.line("let text = \"{\";");
        } else if !self.is_declared {
            body.line(format_args!("let text = `{}`;", self.pending));
        } else if !self.pending.is_empty() {
            body.line(format_args!("text += `{}`;", self.pending));
        }
        *self = Self {
            pending: String::new(),
            properties: 0,
            is_declared: true,
        };
    }
}

impl Serializers<'_> {
    pub(super) fn object_body(
        &self,
        object: &ObjectType,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let always = object.properties.iter().position(|property| !property.optional);
        let analysis = self.context.analysis;
        let count = analysis.common_properties(self.context.program, self.home, object);
        if count > 0 && always == Some(0) {
            self.body_with_common_text(object, count, path, body, module);
            return;
        }
        let (is_object, refuse) = (module.helper("isObject"), module.helper("refuse"));
        body.line(format_args!("if (!{is_object}(value)) {refuse}(value);"));
        if let Some(0) = always
            && object.index.is_empty()
            && object.properties.iter().all(|property| !property.optional)
        {
            self.fixed_object(object, path, body, module);
            return;
        }
        if object.properties.is_empty() && object.index.is_empty() {
            body.line("return \"{}\";");
            return;
        }
        let mut text = Text::default();
        self.properties(object, 0..object.properties.len(), &mut text, path, body, module);
        if !object.index.is_empty() {
            text.append(body);
            self.append_index(object, path, body, module);
        }
        body.line(format_args!("return `${{text}}{}}}`;", text.pending));
    }

    /// Emits the code that adds properties to the text.
    fn properties(
        &self,
        object: &ObjectType,
        places: Range<usize>,
        text: &mut Text,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let always = object.properties.iter().position(|property| !property.optional);
        for (position, property) in object
            .properties
            .iter()
            .enumerate()
            .take(places.end)
            .skip(places.start)
        {
            // A property after the first required one always needs a comma.
            let comma = match always {
                Some(first) if position > first => Comma::Before,
                Some(first) if position == first && first == 0 => Comma::None,
                _ => Comma::IfNeeded,
            };
            let before = match comma {
                Comma::None => Some(""),
                Comma::Before => Some(","),
                Comma::IfNeeded => None,
            };
            if let Some(before) = before
                && !property.optional
            {
                let placeholder = self.property_placeholder(property, position, path, body, module);
                let content = format!("{before}{}:{placeholder}", json_key(&property.name));
                text.add(&content, body);
            } else {
                text.append(body);
                self.append(property, position, comma, path, body, module);
            }
        }
    }

    /// Emits the body for an object whose first properties several types have in common: these types share a function that writes
    /// the properties, without the brace at the end.
    fn body_with_common_text(
        &self,
        object: &ObjectType,
        count: usize,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let mut shared = Writer::default();
        let (is_object, refuse) = (module.helper("isObject"), module.helper("refuse"));
        shared.line(format_args!("if (!{is_object}(value)) {refuse}(value);"));
        let mut text = Text::default();
        self.properties(object, 0..count, &mut text, path, &mut shared, module);
        shared.line(match (text.is_declared, text.pending.as_str()) {
            (true, "") => "return text;".to_owned(),
            (true, pending) => format!("return `${{text}}{pending}`;"),
            (false, pending) => format!("return `{pending}`;"),
        });
        let name = module.item("text", "function ", &function("value", shared), path);
        if count == object.properties.len() {
            body.line(format_args!("return `${{{name}(value)}}}}`;"));
            return;
        }
        body.line(format_args!("let text = {name}(value);"));
        let mut text = Text {
            pending: String::new(),
            properties: 0,
            is_declared: true,
        };
        self.properties(
            object,
            count..object.properties.len(),
            &mut text,
            path,
            body,
            module,
        );
        body.line(format_args!("return `${{text}}{}}}`;", text.pending));
    }

    /// Emits the code for an object without optional properties: one expression.
    fn fixed_object(&self, object: &ObjectType, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let mut contents = Vec::new();
        for (position, property) in object.properties.iter().enumerate() {
            let placeholder = self.property_placeholder(property, position, path, body, module);
            let before = if position == 0 { "{" } else { "," };
            let after = if position + 1 == object.properties.len() {
                "}"
            } else {
                ""
            };
            contents.push(format!(
                "{before}{}:{placeholder}{after}",
                json_key(&property.name)
            ));
        }
        let parts: Vec<String> = contents
            .chunks(PROPERTIES)
            .map(|contents| format!("`{}`", contents.concat()))
            .collect();
        if let [only] = parts.as_slice() {
            body.line(format_args!("return {only};"));
        } else {
            body.block("return (", ");", |body| body.line(parts.join(" +\n")));
        }
    }

    /// Returns the code for a property of `value` inside of a template literal. Adds a local variable if the code needs the
    /// property twice.
    fn property_placeholder(
        &self,
        property: &Property,
        position: usize,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) -> String {
        let read = read_property(&property.name, module);
        let path = path.step(&property.name);
        let placeholder = self.value_placeholder(property.r#type, &read, &path, module);
        if placeholder.matches(read.as_str()).count() < 2 {
            return placeholder;
        }
        let name = local(&property.name, position);
        body.line(format_args!("const {name} = {read};"));
        self.value_placeholder(property.r#type, &name, &path, module)
    }

    /// Returns the code for a value inside of a template literal. The template literal contains the quotes
    /// around a string, because a string with quotes added would be one more allocation.
    fn value_placeholder(&self, id: TypeId, value: &str, path: &Path<'_>, module: &mut Module) -> String {
        let resolved = resolve(self.context.program, id);
        let helpers = match &self.context.program.types[resolved].kind {
            TypeKind::Union { members } => self.uniform(members),
            _ => self.uniform(&[id]),
        };
        let content = match helpers.as_slice() {
            ["writeString"] => "stringContent",
            ["writeDate"] => "dateContent",
            _ => return format!("${{{}}}", self.expression(id, value, path, module)),
        };
        format!("\"${{{}({value})}}\"", module.helper(content))
    }

    fn append(
        &self,
        property: &Property,
        position: usize,
        comma: Comma,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let key = json_key(&property.name);
        let before = match comma {
            Comma::None => "",
            Comma::Before => ",",
            Comma::IfNeeded if position == 0 => "",
            Comma::IfNeeded => "${text.length > 1 ? \",\" : \"\"}",
        };
        if property.optional {
            let name = local(&property.name, position);
            body.line(format_args!(
                "const {name} = {};",
                read_property(&property.name, module)
            ));
            let placeholder =
                self.value_placeholder(property.r#type, &name, &path.step(&property.name), module);
            body.line(format_args!(
                "if ({name} !== undefined) text += `{before}{key}:{placeholder}`;"
            ));
        } else {
            let placeholder = self.property_placeholder(property, position, path, body, module);
            body.line(format_args!("text += `{before}{key}:{placeholder}`;"));
        }
    }

    fn append_index(&self, object: &ObjectType, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let write_string = module.helper("writeString");
        body.block("for (const key of Object.keys(value)) {", "}", |body| {
            let skip = not_an_index_key(object);
            body.line(format_args!("if ({skip}) continue;"));
            body.line("const item = value[key];");
            body.line("if (item === undefined) continue;");
            let mut branch = "if";
            for (position, signature) in object.signatures().into_iter().enumerate() {
                let step = value_step(position);
                let path = path.step(&step);
                let item = self.expression(signature.value, "item", &path, module);
                let append = format!(
                    "text += `${{text.length > 1 ? \",\" : \"\"}}${{{write_string}(key)}}:${{{item}}}`;"
                );
                match key_condition(self.context.program, &signature.key, &path, module) {
                    None if branch == "if" => body.line(append),
                    None => body.line(format_args!("else {append}")),
                    Some(taken) => body.line(format_args!("{branch} ({taken}) {append}")),
                }
                branch = "else if";
            }
        });
    }
}

/// Returns a key as JSON, escaped for a template literal.
fn json_key(name: &str) -> String {
    literal::template(&serde_json::Value::from(name).to_string())
}
