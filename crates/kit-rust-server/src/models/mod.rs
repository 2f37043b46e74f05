//! Generates models: a struct for each object and an enum for each union, with the rules that requests must satisfy.

mod defaults;
mod module;
mod structs;
mod tuples;
mod unions;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kit_ir::{
    Constraints, Declaration, DeclarationId, IndexKey, LiteralValue, ObjectType, Span, TypeId, TypeKind,
};

use crate::print::{doc, in_comment, reexport};
use crate::shapes::shape;
use crate::types::{Definition, Form, Types};
use crate::{File, names};

use defaults::Pending;
pub(crate) use module::Module;

/// Returns the files below `models/`.
pub(crate) fn files(types: &mut Types<'_>) -> Vec<File> {
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    let mut pending: Vec<Pending> = Vec::new();
    for id in types.needed() {
        let name = types.module(id).to_owned();
        let mut module = modules.remove(&name).unwrap_or_default();
        module.name.clone_from(&name);
        for form in types.forms(id) {
            Models {
                types,
                module: &mut module,
                pending: &mut pending,
                home: id,
                form: *form,
            }
            .declare();
        }
        modules.insert(name, module);
    }
    defaults::write(types, &mut modules, pending);
    let mut index = String::from("//! The types of requests, answers and rows.\n\n");
    for name in modules.keys() {
        let _ = writeln!(index, "mod {name};");
    }
    index.push('\n');
    for (name, module) in &modules {
        index.push_str(&reexport(name, &module.declared));
    }
    let mut files = vec![File::output("models/mod.rs", &index)];
    for (name, module) in modules {
        let file = name.trim_start_matches("r#");
        files.push(File::output(format!("models/{file}.rs"), &module.text(types)));
    }
    files
}

/// Writer of the types of one declaration, in one of its forms.
struct Models<'a, 'p> {
    types: &'a mut Types<'p>,
    module: &'a mut Module,
    /// Defaults that are written after all types are known.
    pending: &'a mut Vec<Pending>,
    home: DeclarationId,
    form: Form,
}

/// Location of a type in the program.
struct Place<'a> {
    /// Name of the generated type if the type has none.
    name: &'a str,
    /// Name in messages: `Note.title`.
    shown: String,
    span: Span,
}

impl Models<'_, '_> {
    fn declare(&mut self) {
        let program = self.types.program;
        let declaration = &program.declarations[self.home];
        let name = &self.types.name_in(self.home, self.form).to_owned();
        let at = Place {
            name,
            shown: declaration.name.clone(),
            span: declaration.span,
        };
        let comment = self.comment(declaration);
        match &program.types[declaration.r#type].kind {
            TypeKind::Object(object) if !is_map(object) => self.structure(name, &comment, object, &at),
            TypeKind::Tuple { elements } => self.tuple_struct(name, &comment, elements, &at),
            TypeKind::Union { members } => match self.texts(members) {
                Some(texts) => self.text_enum(name, &comment, &texts),
                None if self.is_one(members) => {
                    self.newtype(name, &comment, declaration.r#type, &at);
                }
                None => self.union(name, &comment, members, &at, false),
            },
            _ => self.newtype(name, &comment, declaration.r#type, &at),
        }
        self.contract(declaration, name);
    }

    /// Returns the doc comment of a declaration.
    fn comment(&self, declaration: &Declaration) -> String {
        let described = doc(0, declaration.documentation.description.as_deref());
        let mut comment = if described.is_empty() {
            format!(
                "/// `{}` of the contracts.\n",
                in_comment(expression_of(declaration))
            )
        } else {
            described
        };
        if self.form == Form::Request && self.types.has_two_forms(self.home) {
            comment.push_str("///\n/// As requests hold it: what the system makes may be left out.\n");
        }
        comment
    }

    /// Writes a newtype, so that the inner type has a separate name and shape.
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
        let (reads, writes) = self.derives();
        self.module.declared.push(name.to_owned());
        self.module.items.push(format!(
            "{comment}#[derive(Debug, Clone, PartialEq, {reads}, {writes})]\n#[serde(transparent)]\npub struct {name}(pub {inner});\n"
        ));
        let definition = Definition::Newtype(inner);
        self.types.definitions.insert(name.to_owned(), definition);
    }

    /// Returns the names of serde's derives.
    fn derives(&mut self) -> (String, String) {
        let reads = self.module.serde(self.types, "Deserialize");
        (reads, self.module.serde(self.types, "Serialize"))
    }

    /// Imports an item of the runtime. Returns its name in this module.
    fn runtime(&mut self, item: &str) -> String {
        self.module.runtime(self.types, item)
    }

    /// Returns the call that returns the shape of a type. If the application declares a type `Contract`, the runtime's
    /// trait is not in scope.
    fn shape_of(&self, name: &str) -> String {
        if self.types.declares("Contract") {
            format!("<{name} as kit_runtime::Contract>::shape()")
        } else {
            format!("{name}::shape()")
        }
    }

    fn contract(&mut self, declaration: &Declaration, name: &str) {
        let contract = self.runtime("Contract");
        let kind = self.runtime("shape::Shape");
        let head = format!(
            "impl {contract} for {name} {{\n    const NAME: &'static str = {};\n\n    fn shape() -> &'static {kind} {{\n",
            names::text(&declaration.name)
        );
        let body = if self.form == Form::Request && self.types.has_two_forms(self.home) {
            let whole = self.types.name(self.home).to_owned();
            format!("        {}\n", self.shape_of(&whole))
        } else {
            let expression = shape(
                self.types,
                declaration.r#type,
                Some(&declaration.name),
                self.module,
            );
            let constant = expression.assigned(8, &format!("static SHAPE: {kind}"));
            let answer = if self.types.is_recursive(self.home) {
                format!("&{kind}::Recursive(|| &SHAPE)")
            } else {
                "&SHAPE".to_owned()
            };
            format!("{constant}        {answer}\n")
        };
        self.module.items.push(format!("{head}{body}    }}\n}}\n"));
    }

    /// Returns the Rust type for a type that is used within another one. `inside` is true if the type is already behind
    /// a pointer.
    fn bare(&mut self, id: TypeId, at: &Place<'_>, inside: bool) -> String {
        let program = self.types.program;
        let r#type = &program.types[id];
        match &r#type.kind {
            TypeKind::Unknown => self.runtime("Value"),
            TypeKind::Never => self.runtime("Never"),
            TypeKind::Null => "()".to_owned(),
            TypeKind::Boolean
            | TypeKind::Literal {
                value: LiteralValue::Boolean(_),
            } => "bool".to_owned(),
            TypeKind::Number
            | TypeKind::Literal {
                value: LiteralValue::Number(_),
            } => number(&r#type.kind, &r#type.constraints)
                .unwrap_or("f64")
                .to_owned(),
            // Template literals and formats are rules that the request is checked against; the Rust type is a string.
            TypeKind::String | TypeKind::Template { .. } => "String".to_owned(),
            TypeKind::BigInt
            | TypeKind::Literal {
                value: LiteralValue::BigInt(_),
            } => self.runtime("BigInt"),
            TypeKind::Date => self.runtime("Timestamp"),
            TypeKind::Bytes => self.runtime("Bytes"),
            TypeKind::Literal {
                value: LiteralValue::String(text),
            } => self.named_text_enum(at, std::slice::from_ref(text)),
            TypeKind::Array { element } => format!("Vec<{}>", self.bare(*element, &item(at), true)),
            TypeKind::Tuple { elements } => self.bare_tuple(id, elements, at),
            TypeKind::Object(object) if is_map(object) => {
                let value = object.index[0].value;
                let map = self.runtime("IndexMap");
                format!("{map}<String, {}>", self.bare(value, &item(at), true))
            }
            TypeKind::Object(object) => {
                if let Some(name) = self.made(id) {
                    return name;
                }
                let name = self.types.name_anonymous(self.home, at.name);
                let comment = format!("/// `{}`.\n", in_comment(&at.shown));
                self.structure(&name, &comment, object, at);
                self.keep_made(id, &name);
                name
            }
            TypeKind::Union { members } => self.bare_union(id, members, at, inside),
            TypeKind::Reference { declaration } => {
                let name = self.module.model(self.types, *declaration, self.form);
                if !inside && self.types.leads_back(self.home, *declaration) {
                    format!("Box<{name}>")
                } else {
                    name
                }
            }
        }
    }

    /// Returns the name of an anonymous type that was already generated. Imports it if it is in another module.
    fn made(&mut self, id: TypeId) -> Option<String> {
        let (module, name) = self.types.made(id, self.form)?.clone();
        Some(self.imported(&module, name))
    }

    /// Returns the name, and imports it if it is in another module.
    fn imported(&mut self, module: &str, name: String) -> String {
        if module != self.module.name {
            self.module.models.insert(name.clone());
        }
        name
    }

    fn keep_made(&mut self, id: TypeId, name: &str) {
        self.types.keep_made(id, self.form, &self.module.name, name);
    }
}

/// Returns the Rust type for numbers of a type, or `None` if the type is not a number.
fn number(kind: &TypeKind, rules: &Constraints) -> Option<&'static str> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    let is_whole = match kind {
        TypeKind::Number => rules.integer,
        TypeKind::Literal {
            value: LiteralValue::Number(number),
        } => number.fract() == 0.0 && number.abs() <= MAX_SAFE,
        _ => return None,
    };
    Some(if is_whole { "i64" } else { "f64" })
}

fn item<'a>(at: &Place<'a>) -> Place<'a> {
    Place {
        name: at.name,
        shown: format!("{}[]", at.shown),
        span: at.span,
    }
}

/// Returns true if an object is only a map with string keys.
pub(crate) fn is_map(object: &ObjectType) -> bool {
    object.properties.is_empty() && matches!(object.index.as_slice(), [only] if only.key == IndexKey::String)
}

/// Returns the declaration in TypeScript syntax.
fn expression_of(declaration: &Declaration) -> &str {
    match &declaration.origin {
        kit_ir::DeclarationOrigin::Instance { expression } => expression,
        _ => &declaration.name,
    }
}
