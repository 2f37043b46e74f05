//! Generates the models: a Rust type for each type of the contracts, with the rules that requests must satisfy.

mod defaults;
mod module;
mod renames;
mod structs;
mod tagged;
mod texts;
mod tuples;
mod unions;
mod variant_names;

use std::collections::BTreeMap;

use kit_ir::{
    Constraints, Declaration, DeclarationId, IndexKey, LiteralValue, ObjectType, Span, TypeId, TypeKind,
};
use proc_macro2::TokenStream;
use quote::quote;

use crate::File;
use crate::shapes::shape;
use crate::source::{self, Imports, allow_lints, doc, file_doc, ident, order, string_literal};
use crate::types::{Definition, Form, ObjectId, RuntimeItem, RustType, Types, is_decimal, is_integer};

use defaults::Pending;
pub(crate) use module::Module;

/// Returns the files in `models/`.
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
    let mut names: Vec<&String> = modules.keys().collect();
    names.sort_by_key(|name| order(name));
    let mut index = file_doc("Types of requests, responses and rows.");
    index.extend(allow_lints(
        "The declarations of the types decide comments, names, optional defaults, lengths and sizes.",
        &[
            "doc_link_with_quotes",
            "doc_markdown",
            "large_enum_variant",
            "pub_underscore_fields",
            "struct_excessive_bools",
            "too_many_lines",
            "type_complexity",
            "unnecessary_wraps",
            "used_underscore_binding",
        ],
    ));
    for name in &names {
        index.extend(source::declare_module(&TokenStream::new(), "models", name));
    }
    for (name, module) in names.into_iter().filter_map(|name| modules.get_key_value(name)) {
        let mut imports = Imports::default();
        for declared in &module.declared {
            imports.add(name, declared);
        }
        index.extend(imports.reexported());
    }
    let mut files = vec![File::output("models/mod.rs", &index)];
    for (name, module) in modules {
        let file = name.trim_start_matches("r#");
        files.push(File::output(format!("models/{file}.rs"), &module.finish(types)));
    }
    files
}

/// Generates the Rust types for one declaration of the contracts, either as in requests or as in responses.
struct Models<'a, 'p> {
    types: &'a mut Types<'p>,
    module: &'a mut Module,
    /// Defaults whose functions are generated after all types.
    pending: &'a mut Vec<Pending>,
    home: DeclarationId,
    form: Form,
}

/// A location in the contracts at which a type is used.
struct UseSite<'a> {
    /// Name for the generated Rust type, if the TypeScript type has no name.
    name: &'a str,
    /// Name in messages: `Note.title`.
    display_name: String,
    span: Span,
}

impl UseSite<'_> {
    /// Returns the doc comment for a type without a name: its location.
    fn comment(&self) -> TokenStream {
        doc(&format!("Type without a name in `{}`.", self.display_name))
    }
}

impl Models<'_, '_> {
    fn declare(&mut self) {
        let program = self.types.program;
        let declaration = &program.declarations[self.home];
        let name = &self.types.name_in(self.home, self.form).to_owned();
        let site = UseSite {
            name,
            display_name: declaration.name.clone(),
            span: declaration.span,
        };
        let comment = self.comment(declaration);
        match &program.types[declaration.r#type].kind {
            TypeKind::Object(object) if !is_map(object) => {
                self.structure(name, &comment, object, ObjectId::Declared(self.home), &site);
            }
            TypeKind::Tuple { elements } => self.tuple_struct(name, &comment, elements, &site),
            TypeKind::Union { members } => match self.texts(members) {
                Some(texts) => self.text_enum(name, &comment, &texts),
                None if self.is_one(members) => {
                    self.newtype(name, &comment, declaration.r#type, &site);
                }
                None => self.union(name, &comment, members, &site, false),
            },
            _ => self.newtype(name, &comment, declaration.r#type, &site),
        }
        self.contract(declaration, name);
    }

    /// Returns the doc comment for a declared type: its description, otherwise its TypeScript name.
    fn comment(&self, declaration: &Declaration) -> TokenStream {
        let description = declaration
            .documentation
            .description
            .as_deref()
            .unwrap_or_default();
        let mut comment = doc(description);
        if comment.is_empty() {
            comment = doc(&format!("`{}` of the contracts.", expression_of(declaration)));
        }
        if self.form == Form::Request && self.types.has_two_forms(self.home) {
            comment.extend(doc("\nForm in requests, which may omit generated values."));
        }
        comment
    }

    /// Generates a struct around one inner type. The struct has its own name and its own rules.
    fn newtype(&mut self, name: &str, comment: &TokenStream, id: TypeId, site: &UseSite<'_>) {
        let inner = self.rust_type(
            id,
            &UseSite {
                name: &format!("{name}Value"),
                display_name: site.display_name.clone(),
                span: site.span,
            },
            false,
        );
        let (reads, writes) = self.derives();
        let eq = self.equality(&[id]);
        let newtype = ident(name);
        self.module.declared.push(name.to_owned());
        self.module.items.push(quote! {
            #comment
            #[derive(Debug, Clone, #eq, #reads, #writes)]
            #[serde(transparent)]
            pub struct #newtype(pub #inner);
        });
        let definition = Definition::Newtype(inner);
        self.types.definitions.insert(name.to_owned(), definition);
    }

    /// Returns the names of serde's derive macros, `Deserialize` and `Serialize`.
    fn derives(&mut self) -> (TokenStream, TokenStream) {
        let reads = self.module.serde(self.types, "Deserialize");
        (reads, self.module.serde(self.types, "Serialize"))
    }

    /// Returns the traits of equality for a Rust type with values of these types. A `f64` has no `Eq`.
    fn equality(&self, types: &[TypeId]) -> TokenStream {
        if self.types.have_total_equality(types) {
            quote!(PartialEq, Eq)
        } else {
            quote!(PartialEq)
        }
    }

    /// Imports an item of `kit_runtime`. Returns the name to write in this module.
    fn runtime(&mut self, item: &str) -> TokenStream {
        self.module.runtime(self.types, item)
    }

    fn runtime_type(&mut self, item: RuntimeItem) -> RustType {
        RustType::Runtime(self.module.runtime_type(self.types, item))
    }

    /// Returns the expression for the shape of a type: `Note::shape()`. If the application declares a type
    /// `Contract`, the trait `Contract` is not imported, and the expression names it with its path.
    fn shape_of(&self, name: &str) -> TokenStream {
        let name = ident(name);
        if self.types.declares("Contract") {
            quote!(<#name as kit_runtime::Contract>::shape())
        } else {
            quote!(#name::shape())
        }
    }

    fn contract(&mut self, declaration: &Declaration, name: &str) {
        let contract = self.runtime("Contract");
        let kind = self.runtime("shape::Shape");
        let body = if self.form == Form::Request && self.types.has_two_forms(self.home) {
            self.shape_of(self.types.name(self.home))
        } else {
            let expression = shape(
                self.types,
                declaration.r#type,
                Some(&declaration.name),
                self.module,
            );
            let result = if self.types.is_recursive(self.home) {
                quote!(&#kind::Recursive(|| &SHAPE))
            } else {
                quote!(&SHAPE)
            };
            quote! {
                static SHAPE: #kind = #expression;
                #result
            }
        };
        let (model, contract_name) = (ident(name), string_literal(&declaration.name));
        self.module.items.push(quote! {
            impl #contract for #model {
                const NAME: &'static str = #contract_name;

                fn shape() -> &'static #kind {
                    #body
                }
            }
        });
    }

    /// Returns the Rust type for a type that another type contains. `inside` is true if a `Vec` or a map
    /// contains the type: a recursive type then needs no `Box`.
    fn rust_type(&mut self, id: TypeId, site: &UseSite<'_>, inside: bool) -> RustType {
        let program = self.types.program;
        let r#type = &program.types[id];
        match &r#type.kind {
            TypeKind::Unknown => self.runtime_type(RuntimeItem::Value),
            TypeKind::Never => self.runtime_type(RuntimeItem::Never),
            TypeKind::Null => RustType::Unit,
            TypeKind::Boolean
            | TypeKind::Literal {
                value: LiteralValue::Boolean(_),
            } => RustType::Bool,
            TypeKind::Number
            | TypeKind::Literal {
                value: LiteralValue::Number(_),
            } => number(&r#type.kind, &r#type.constraints).unwrap_or(RustType::F64),
            TypeKind::String if is_decimal(&r#type.constraints) => self.runtime_type(RuntimeItem::Decimal),
            // Template literals and formats are only rules of the shape. The Rust type is a string.
            TypeKind::String | TypeKind::Template { .. } => RustType::String,
            TypeKind::BigInt
            | TypeKind::Literal {
                value: LiteralValue::BigInt(_),
            } => self.runtime_type(RuntimeItem::BigInt),
            TypeKind::Date => self.runtime_type(RuntimeItem::Timestamp),
            TypeKind::Bytes => self.runtime_type(RuntimeItem::Bytes),
            TypeKind::Literal {
                value: LiteralValue::String(text),
            } => self.named_text_enum(site, std::slice::from_ref(text)),
            TypeKind::Array { element } => {
                let element = self.rust_type(*element, &item_site(site), true);
                RustType::Vec(Box::new(element))
            }
            TypeKind::Tuple { elements } => self.tuple_rust_type(id, elements, site),
            TypeKind::Object(object) if is_map(object) => {
                let value = object.index[0].value;
                let map = self.module.runtime_type(self.types, RuntimeItem::IndexMap);
                RustType::Map(map, Box::new(self.rust_type(value, &item_site(site), true)))
            }
            TypeKind::Object(object) => {
                if let Some(known) = self.generated(id) {
                    return known;
                }
                let name = self.types.name_anonymous(self.home, site.name);
                self.structure(&name, &site.comment(), object, ObjectId::Anonymous(id), site);
                self.record_type(id, name)
            }
            TypeKind::Union { members } => self.union_rust_type(id, members, site, inside),
            TypeKind::Reference { declaration } => {
                let name = self.module.model(self.types, *declaration, self.form);
                if !inside && self.types.leads_back(self.home, *declaration) {
                    RustType::Box(Box::new(RustType::Model(name)))
                } else {
                    RustType::Model(name)
                }
            }
        }
    }

    /// Returns the Rust type of a type without a name if this Rust type was already generated. If another
    /// module has the Rust type, imports it.
    fn generated(&mut self, id: TypeId) -> Option<RustType> {
        let (module, name) = self.types.generated(id, self.form)?.clone();
        Some(self.imported(&module, name))
    }

    /// Returns the generated Rust type with this name. Imports it if it is in another module.
    fn imported(&mut self, module: &str, name: String) -> RustType {
        if module != self.module.name {
            self.module.models.insert(name.clone());
        }
        RustType::Model(name)
    }

    /// Records the name of a Rust type that this module has just generated for a type without a name. Returns the
    /// Rust type.
    fn record_type(&mut self, id: TypeId, name: String) -> RustType {
        self.types.record_type(id, self.form, &self.module.name, &name);
        RustType::Model(name)
    }
}

/// Returns the Rust type of a number, `i64` or `f64`. Returns `None` if the type is not a number.
fn number(kind: &TypeKind, rules: &Constraints) -> Option<RustType> {
    let is_number = matches!(
        kind,
        TypeKind::Number
            | TypeKind::Literal {
                value: LiteralValue::Number(_)
            }
    );
    is_number.then(|| {
        if is_integer(kind, rules) {
            RustType::I64
        } else {
            RustType::F64
        }
    })
}

fn item_site<'a>(site: &UseSite<'a>) -> UseSite<'a> {
    UseSite {
        name: site.name,
        display_name: format!("{}[]", site.display_name),
        span: site.span,
    }
}

/// Returns true for an object type that becomes a Rust map: it has no declared properties, and the index
/// signature `[key: string]` only.
pub(crate) fn is_map(object: &ObjectType) -> bool {
    object.properties.is_empty() && matches!(object.index.as_slice(), [only] if only.key == IndexKey::String)
}

/// Returns the TypeScript syntax of a declared type: `Note` or `Page<Note>`.
fn expression_of(declaration: &Declaration) -> &str {
    match &declaration.origin {
        kit_ir::DeclarationOrigin::Instance { expression } => expression,
        _ => &declaration.name,
    }
}
