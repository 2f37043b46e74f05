//! Models: a struct for each object, an enum for each union, with what requests must keep of them.

mod module;
mod unions;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kit_analysis::resolve;
use kit_ir::{
    Declaration, DeclarationId, DefaultValue, IndexKey, LiteralValue, ObjectType, Property, Span, TypeId,
    TypeKind,
};

use crate::print::{doc, import};
use crate::shapes::shape;
use crate::types::{Field, Types};
use crate::{File, names};

pub(crate) use module::Module;

/// The files below `models/`.
pub(crate) fn files(types: &mut Types<'_>) -> Vec<File> {
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    for id in types.needed() {
        let name = types.module(id).to_owned();
        let mut module = modules.remove(&name).unwrap_or_default();
        module.name.clone_from(&name);
        Models {
            types,
            module: &mut module,
            home: id,
        }
        .declare();
        modules.insert(name, module);
    }
    let mut index = String::from("//! The types of requests, answers and rows.\n\n");
    for name in modules.keys() {
        let _ = writeln!(index, "mod {name};");
    }
    index.push('\n');
    for (name, module) in &modules {
        index.push_str(&format!("pub {}", import(name, &module.declared)));
    }
    let mut files = vec![File::output("models/mod.rs", &index)];
    for (name, module) in &modules {
        let file = name.trim_start_matches("r#");
        files.push(File::output(format!("models/{file}.rs"), &module.text()));
    }
    files
}

/// Writes the types of one declaration.
struct Models<'a, 'p> {
    types: &'a mut Types<'p>,
    module: &'a mut Module,
    home: DeclarationId,
}

/// What fills in a default.
enum Filled {
    /// The default of the type itself.
    OfType,
    /// This expression.
    Value(String),
}

/// Where a type stands.
struct Place<'a> {
    /// Which name it gets, where it has none.
    name: &'a str,
    /// As a message calls it: `Note.title`.
    shown: String,
    span: Span,
}

impl Models<'_, '_> {
    fn declare(&mut self) {
        let program = self.types.program;
        let declaration = &program.declarations[self.home];
        let name = &declaration.name;
        let at = Place {
            name,
            shown: name.clone(),
            span: declaration.span,
        };
        self.module.runtime("Contract");
        self.module.runtime("shape::Shape");
        let comment = doc(0, declaration.documentation.description.as_deref());
        let comment = if comment.is_empty() {
            format!("/// `{}` of the contracts.\n", described(declaration))
        } else {
            comment
        };
        match &program.types[declaration.r#type].kind {
            TypeKind::Object(object) if !is_map(object) => self.structure(name, &comment, object, &at),
            TypeKind::Union { members } => match self.texts(members) {
                Some(texts) => self.text_enum(name, &comment, &texts),
                None if self.without_null(members).len() < 2 => {
                    self.newtype(name, &comment, declaration.r#type, &at);
                }
                None => self.union(name, &comment, declaration.r#type, &at, false),
            },
            _ => self.newtype(name, &comment, declaration.r#type, &at),
        }
        self.contract(declaration);
    }

    /// A type around another one, so that it has a name and a shape of its own.
    fn newtype(&mut self, name: &str, comment: &str, id: TypeId, at: &Place<'_>) {
        let inner = self.bare(
            id,
            &Place {
                name: &format!("{name}Value"),
                shown: at.shown.clone(),
                span: at.span,
            },
            false,
        );
        self.module.serde(&["Deserialize", "Serialize"]);
        self.module.declared.push(name.to_owned());
        let derives = "Debug, Clone, PartialEq, Deserialize, Serialize";
        self.module.items.push(format!(
            "{comment}#[derive({derives})]\n#[serde(transparent)]\npub struct {name}(pub {inner});\n"
        ));
    }

    fn contract(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        let expression = shape(self.types, declaration.r#type, Some(name), self.module);
        let is_recursive = self.types.is_recursive(self.home);
        let constant = expression.assigned(8, "static SHAPE: Shape");
        let answer = if is_recursive {
            "&Shape::Recursive(|| &SHAPE)"
        } else {
            "&SHAPE"
        };
        self.module.items.push(format!(
            "impl Contract for {name} {{\n    const NAME: &'static str = {};\n\n    fn shape() -> &'static Shape {{\n{constant}        {answer}\n    }}\n}}\n",
            names::text(name)
        ));
    }

    fn structure(&mut self, name: &str, comment: &str, object: &ObjectType, at: &Place<'_>) {
        let mut fields: Vec<Field> = Vec::new();
        let mut texts = Vec::new();
        let mut defaults = String::new();
        for property in &object.properties {
            let plain = names::unique(names::plain_field(&property.name), |taken| {
                fields
                    .iter()
                    .any(|field| field.name.trim_start_matches("r#") == taken)
            });
            let field = Field {
                property: property.name.clone(),
                name: names::field(&plain),
                r#type: self.bare(
                    property.r#type,
                    &Place {
                        name: &format!("{name}{}", names::variant(&property.name)),
                        shown: format!("{}.{}", at.shown, property.name),
                        span: property.span,
                    },
                    false,
                ),
                optional: property.optional,
            };
            texts.push(self.field(name, &field, property, &mut defaults));
            fields.push(field);
        }
        let camel = fields
            .iter()
            .all(|field| names::serde_camel(field.name.trim_start_matches("r#")) == field.property);
        let renamed = fields
            .iter()
            .any(|field| field.name.trim_start_matches("r#") != field.property);
        let mut body = String::new();
        for (field, (comment, attributes, line)) in fields.iter().zip(texts) {
            body.push_str(&comment);
            if !camel && field.name.trim_start_matches("r#") != field.property {
                let _ = writeln!(body, "    #[serde(rename = {})]", names::text(&field.property));
            }
            body.push_str(&attributes);
            body.push_str(&line);
        }
        for signature in &object.index {
            let value = self.bare(signature.value, at, true);
            self.module.runtime("IndexMap");
            let _ = write!(
                body,
                "    /// What other keys hold.\n    #[serde(flatten)]\n    pub others: IndexMap<String, {value}>,\n"
            );
        }
        self.module.serde(&["Deserialize", "Serialize"]);
        let sensitive = object.properties.iter().any(|property| property.tags.sensitive);
        let debug = if sensitive { "" } else { "Debug, " };
        let mut text = format!("{comment}#[derive({debug}Clone, PartialEq, Deserialize, Serialize)]\n");
        if camel && renamed {
            text.push_str("#[serde(rename_all = \"camelCase\")]\n");
        }
        if body.is_empty() {
            let _ = writeln!(text, "pub struct {name} {{}}");
        } else {
            let _ = write!(text, "pub struct {name} {{\n{body}}}\n");
        }
        self.module.items.push(text);
        if sensitive {
            self.module.items.push(hidden_debug(name, &fields, object));
            self.module.others.insert("std::fmt");
        }
        if !defaults.is_empty() {
            self.module.items.push(format!("impl {name} {{\n{defaults}}}\n"));
        }
        self.module.declared.push(name.to_owned());
        self.types.structs.insert(name.to_owned(), fields);
    }

    /// The comment, attributes and line of a field.
    fn field(
        &mut self,
        owner: &str,
        field: &Field,
        property: &Property,
        defaults: &mut String,
    ) -> (String, String, String) {
        let comment = doc(4, property.documentation.description.as_deref());
        let mut attributes = String::new();
        let mut r#type = field.r#type.clone();
        if property.optional {
            self.module.runtime("optional");
            attributes.push_str(
                "    #[serde(default, with = \"optional\", skip_serializing_if = \"Option::is_none\")]\n",
            );
            r#type = format!("Option<{type}>");
        } else if let Some(default) = &property.tags.default {
            match self.default(default, property, &field.r#type) {
                Some(Filled::OfType) => attributes.push_str("    #[serde(default)]\n"),
                Some(Filled::Value(value)) => {
                    let function = format!("default_{}", field.name.trim_start_matches("r#"));
                    let _ = writeln!(attributes, "    #[serde(default = \"{owner}::{function}\")]");
                    if !defaults.is_empty() {
                        defaults.push('\n');
                    }
                    let _ = write!(
                        defaults,
                        "    fn {function}() -> {type} {{\n        {value}\n    }}\n"
                    );
                }
                None => {
                    let message = format!("the default of `{owner}.{}` has no Rust form yet", property.name);
                    self.types.problem(
                        message,
                        property.span,
                        "make the property optional, and let the handler fill it in",
                    );
                }
            }
        }
        (comment, attributes, format!("    pub {}: {type},\n", field.name))
    }

    /// What fills a default in; nothing where that has no Rust form.
    fn default(&mut self, default: &DefaultValue, property: &Property, rust: &str) -> Option<Filled> {
        let program = self.types.program;
        let kind = &program.types[property.r#type].kind;
        Some(match (default, kind) {
            (DefaultValue::Literal(LiteralValue::Boolean(false)), TypeKind::Boolean)
            | (DefaultValue::Null, _) => Filled::OfType,
            (DefaultValue::Literal(LiteralValue::Boolean(value)), TypeKind::Boolean) => {
                Filled::Value(value.to_string())
            }
            (DefaultValue::Literal(LiteralValue::String(text)), TypeKind::String) => {
                Filled::Value(format!("{}.to_owned()", names::text(text)))
            }
            (DefaultValue::Literal(LiteralValue::Number(number)), TypeKind::Number) => {
                let integer = program.types[property.r#type].constraints.integer;
                Filled::Value(if integer {
                    format!("{number:.0}")
                } else {
                    crate::shapes::decimal(*number)
                })
            }
            (DefaultValue::Now, TypeKind::Date) => {
                self.module.runtime("Timestamp");
                Filled::Value("Timestamp::now()".to_owned())
            }
            (DefaultValue::Literal(LiteralValue::String(text)), _) => {
                let target = &program.types[resolve(program, property.r#type)].kind;
                let TypeKind::Union { members } = target else {
                    return None;
                };
                self.texts(members)?;
                Filled::Value(format!("{rust}::{}", names::variant(text)))
            }
            _ => return None,
        })
    }

    /// The Rust type of a type where it stands in another one; `inside` says that it lies behind a pointer already.
    fn bare(&mut self, id: TypeId, at: &Place<'_>, inside: bool) -> String {
        let program = self.types.program;
        let r#type = &program.types[id];
        match &r#type.kind {
            TypeKind::Unknown => {
                self.module.runtime("Value");
                "Value".to_owned()
            }
            TypeKind::Null => "()".to_owned(),
            TypeKind::Boolean
            | TypeKind::Literal {
                value: LiteralValue::Boolean(_),
            } => "bool".to_owned(),
            TypeKind::Number if r#type.constraints.integer => "i64".to_owned(),
            TypeKind::Number
            | TypeKind::Literal {
                value: LiteralValue::Number(_),
            } => "f64".to_owned(),
            TypeKind::String => "String".to_owned(),
            TypeKind::Date => {
                self.module.runtime("Timestamp");
                "Timestamp".to_owned()
            }
            TypeKind::Literal {
                value: LiteralValue::String(text),
            } => self.named_text_enum(id, at, std::slice::from_ref(text)),
            TypeKind::Array { element } => format!("Vec<{}>", self.bare(*element, &item(at), true)),
            TypeKind::Object(object) if is_map(object) => {
                let value = object.index[0].value;
                self.module.runtime("IndexMap");
                format!("IndexMap<String, {}>", self.bare(value, &item(at), true))
            }
            TypeKind::Object(object) => {
                if let Some(name) = self.made(id) {
                    return name;
                }
                self.refuse_index(object, at);
                let name = self.types.name_anonymous(self.home, at.name);
                let comment = format!("/// `{}`.\n", at.shown);
                self.structure(&name, &comment, object, at);
                self.types.keep_made(id, &self.module.name, &name);
                name
            }
            TypeKind::Union { members } => self.bare_union(id, members, at, inside),
            TypeKind::Reference { declaration } => {
                let name = self.module.model(self.types, *declaration);
                if !inside && self.types.leads_back(self.home, *declaration) {
                    format!("Box<{name}>")
                } else {
                    name
                }
            }
            TypeKind::Never => self.refuse(at, "`never`"),
            TypeKind::BigInt
            | TypeKind::Literal {
                value: LiteralValue::BigInt(_),
            } => self.refuse(at, "a bigint"),
            TypeKind::Bytes => self.refuse(at, "bytes"),
            TypeKind::Template { .. } => self.refuse(at, "a template literal"),
            TypeKind::Tuple { .. } => self.refuse(at, "a tuple"),
        }
    }

    /// The name of a type without a name that was made already, imported where it stands in another module.
    fn made(&mut self, id: TypeId) -> Option<String> {
        let (module, name) = self.types.made(id)?;
        if *module != self.module.name {
            self.module.models.insert(name.clone());
        }
        Some(name.clone())
    }

    fn refuse_index(&mut self, object: &ObjectType, at: &Place<'_>) {
        let is_string = object
            .index
            .iter()
            .all(|signature| signature.key == IndexKey::String);
        if object.index.len() > 1 || !is_string {
            self.refuse(at, "an object with index signatures beyond `[key: string]`");
        }
    }

    /// Keeps that a type has no Rust form, and gives one that stands for it.
    fn refuse(&mut self, at: &Place<'_>, what: &str) -> String {
        let message = format!("`{}` is {what}, which has no Rust form yet", at.shown);
        let help =
            "keep it out of contracts and entities of the Rust server, or build without `rustServer()`";
        self.types.problem(message, at.span, help);
        "()".to_owned()
    }
}

fn item<'a>(at: &Place<'a>) -> Place<'a> {
    Place {
        name: at.name,
        shown: format!("{}[]", at.shown),
        span: at.span,
    }
}

/// Whether an object is a map from texts and nothing else.
fn is_map(object: &ObjectType) -> bool {
    object.properties.is_empty() && matches!(object.index.as_slice(), [only] if only.key == IndexKey::String)
}

fn described(declaration: &Declaration) -> &str {
    match &declaration.origin {
        kit_ir::DeclarationOrigin::Instance { expression } => expression,
        _ => &declaration.name,
    }
}

/// A `Debug` that does not show what is sensitive.
fn hidden_debug(name: &str, fields: &[Field], object: &ObjectType) -> String {
    let mut body = String::new();
    for (field, property) in fields.iter().zip(&object.properties) {
        let plain = field.name.trim_start_matches("r#");
        let value = if property.tags.sensitive {
            "&\"[redacted]\"".to_owned()
        } else {
            format!("&self.{}", field.name)
        };
        let _ = writeln!(body, "            .field(\"{plain}\", {value})");
    }
    format!(
        "impl fmt::Debug for {name} {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{\n        f.debug_struct(\"{name}\")\n{body}            .finish()\n    }}\n}}\n"
    )
}
