//! Generates unions: enums of strings, and enums with one variant per member.

use std::fmt::Write as _;

use kit_analysis::UnionPlan;
use kit_ir::{LiteralValue, TypeId, TypeKind};

use super::{Models, Place, number};
use crate::names;
use crate::print::{Expression, in_comment};
use crate::shapes;
use crate::types::{Definition, Variant};

impl Models<'_, '_> {
    pub(super) fn bare_union(
        &mut self,
        id: TypeId,
        members: &[TypeId],
        at: &Place<'_>,
        inside: bool,
    ) -> String {
        let rest = self.without_null(members);
        let nullable = rest.len() < members.len();
        let inner = match rest.as_slice() {
            [] => "()".to_owned(),
            [only] => self.bare(*only, at, inside),
            several => match (self.texts(several), self.common(several)) {
                (Some(texts), _) => self.named_text_enum(at, &texts),
                (None, Some(common)) => self.bare(common, at, inside),
                (None, None) => self.named_union(id, several, at),
            },
        };
        if nullable && inner != "()" {
            format!("Option<{inner}>")
        } else {
            inner
        }
    }

    /// Returns an enum of all members of a union except null, which an `Option` around the enum represents.
    fn named_union(&mut self, id: TypeId, members: &[TypeId], at: &Place<'_>) -> String {
        if let Some(name) = self.made(id) {
            return name;
        }
        let name = self.types.name_anonymous(self.home, at.name);
        let comment = format!("/// `{}`.\n", in_comment(&at.shown));
        self.union(&name, &comment, members, at, true);
        self.keep_made(id, &name);
        name
    }

    pub(super) fn without_null(&self, members: &[TypeId]) -> Vec<TypeId> {
        let program = self.types.program;
        let is_null = |id: &&TypeId| !matches!(program.types[**id].kind, TypeKind::Null);
        members.iter().filter(is_null).copied().collect()
    }

    /// Returns true if all members except null share one Rust type.
    pub(super) fn is_one(&self, members: &[TypeId]) -> bool {
        let rest = self.without_null(members);
        rest.len() < 2 || self.texts(&rest).is_some() || self.common(&rest).is_some()
    }

    /// Returns the member whose Rust type can represent all members, if they are all numbers, booleans or bigints.
    fn common(&self, members: &[TypeId]) -> Option<TypeId> {
        let program = self.types.program;
        let kind = |id: &TypeId| &program.types[*id].kind;
        let numbers: Option<Vec<&str>> = members
            .iter()
            .map(|id| number(kind(id), &program.types[*id].constraints))
            .collect();
        if let Some(numbers) = numbers {
            let fraction = numbers.iter().position(|number| *number == "f64");
            return Some(members[fraction.unwrap_or(0)]);
        }
        let are = |is: fn(&TypeKind) -> bool| members.iter().all(|id| is(kind(id)));
        (are(is_boolean) || are(is_bigint)).then(|| members[0])
    }

    /// Returns the texts of a union that consists of string literals only.
    pub(super) fn texts(&self, members: &[TypeId]) -> Option<Vec<String>> {
        let program = self.types.program;
        members
            .iter()
            .map(|id| match &program.types[*id].kind {
                TypeKind::Literal {
                    value: LiteralValue::String(text),
                } => Some(text.clone()),
                _ => None,
            })
            .collect()
    }

    pub(super) fn named_text_enum(&mut self, at: &Place<'_>, texts: &[String]) -> String {
        if let Some((module, name)) = self.types.made_texts(at.span, texts).cloned() {
            return self.imported(&module, name);
        }
        let name = self.types.name_anonymous(self.home, at.name);
        self.text_enum(&name, &format!("/// `{}`.\n", in_comment(&at.shown)), texts);
        self.types
            .keep_made_texts(at.span, texts, &self.module.name, &name);
        name
    }

    pub(super) fn text_enum(&mut self, name: &str, comment: &str, texts: &[String]) {
        let mut variants: Vec<String> = Vec::new();
        let mut body = String::new();
        let mut arms = String::new();
        for text in texts {
            let variant = unique(names::variant(text), &variants);
            let quoted = names::text(text);
            let _ = writeln!(body, "    /// `{}`", in_comment(&text.escape_debug().to_string()));
            if variant != *text {
                let _ = writeln!(body, "    #[serde(rename = {quoted})]");
            }
            let _ = writeln!(body, "    {variant},");
            let _ = writeln!(arms, "            Self::{variant} => {quoted},");
            variants.push(variant);
        }
        let (reads, writes) = self.derives();
        self.module.items.push(format!(
            "{comment}#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, {reads}, {writes})]\npub enum {name} {{\n{body}}}\n"
        ));
        self.module.items.push(format!(
            "impl {name} {{\n    /// Every value.\n    pub const ALL: &[Self] = {};\n\n    /// The text on the wire.\n    pub const fn as_str(self) -> &'static str {{\n        match self {{\n{arms}        }}\n    }}\n}}\n",
            Expression::List(variants.iter().map(|variant| Expression::plain(format!("Self::{variant}"))).collect())
                .print(4, "pub const ALL: &[Self] = ".len(), 1)
        ));
        self.module.declared.push(name.to_owned());
        let texts = texts.iter().cloned().zip(variants).collect();
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Texts(texts));
    }

    /// Writes an enum with one variant per member. A value is read as the member that keeps most of it, as everywhere
    /// in kit.
    pub(super) fn union(
        &mut self,
        name: &str,
        comment: &str,
        members: &[TypeId],
        at: &Place<'_>,
        anonymous: bool,
    ) {
        let program = self.types.program;
        let plan = UnionPlan::new(program, members);
        let mut variants: Vec<Variant> = Vec::new();
        for (number, member) in plan.members.iter().enumerate() {
            let wanted = self.variant(member.r#type, number);
            let known: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
            let variant = unique(wanted, &known);
            let inner = match &program.types[member.r#type].kind {
                TypeKind::Null | TypeKind::Literal { .. } => None,
                _ => {
                    let place = Place {
                        name: &format!("{name}{variant}"),
                        shown: at.shown.clone(),
                        span: at.span,
                    };
                    Some(self.bare(member.r#type, &place, false))
                }
            };
            variants.push(Variant {
                member: member.r#type,
                name: variant,
                inner,
            });
        }
        self.union_type(name, comment, &variants);
        self.union_reader(name, members, &variants, anonymous);
        self.module.declared.push(name.to_owned());
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Union(variants));
    }

    /// Writes the enum and its serialization: each variant is serialized as its value or as the literal that it
    /// represents.
    fn union_type(&mut self, name: &str, comment: &str, variants: &[Variant]) {
        let program = self.types.program;
        let mut body = String::new();
        let mut arms = String::new();
        let mut serde_knows = true;
        for Variant { member, name, inner } in variants {
            let kind = &program.types[*member].kind;
            match (inner, kind) {
                (Some(inner), _) => {
                    let about = kit_analysis::describe(program, *member);
                    let _ = write!(
                        body,
                        "    /// `{}`\n    {name}({inner}),\n",
                        in_comment(&about.escape_debug().to_string())
                    );
                    let _ = writeln!(
                        arms,
                        "            Self::{name}(value) => value.serialize(serializer),"
                    );
                }
                (None, TypeKind::Literal { value }) => {
                    serde_knows = false;
                    let (shown, call) = written(value);
                    let _ = write!(body, "    /// `{shown}`\n    {name},\n");
                    let _ = writeln!(arms, "            Self::{name} => serializer.{call},");
                }
                (None, _) => {
                    let _ = write!(body, "    /// `null`\n    {name},\n");
                    let _ = writeln!(arms, "            Self::{name} => serializer.serialize_unit(),");
                }
            }
        }
        let serialize = self.module.serde(self.types, "Serialize");
        let is_flat = variants.iter().all(|variant| variant.inner.is_none());
        let more = if is_flat {
            "Clone, Copy, PartialEq, Eq, Hash"
        } else {
            "Clone, PartialEq"
        };
        if serde_knows {
            self.module.items.push(format!(
                "{comment}#[derive(Debug, {more}, {serialize})]\n#[serde(untagged)]\npub enum {name} {{\n{body}}}\n"
            ));
            return;
        }
        let serializer = self.module.serde(self.types, "Serializer");
        self.module.items.push(format!(
            "{comment}#[derive(Debug, {more})]\npub enum {name} {{\n{body}}}\n"
        ));
        self.module.items.push(format!(
            "impl {serialize} for {name} {{\n    fn serialize<S: {serializer}>(&self, serializer: S) -> Result<S::Ok, S::Error> {{\n        match self {{\n{arms}        }}\n    }}\n}}\n"
        ));
    }

    fn union_reader(&mut self, name: &str, members: &[TypeId], variants: &[Variant], anonymous: bool) {
        let pick = self.runtime("check::pick");
        let deserialize = self.module.serde(self.types, "Deserialize");
        let deserializer = self.module.serde(self.types, "Deserializer");
        self.module.serde.insert("de".to_owned());
        let (constant, shape_of) = if anonymous {
            let kind = self.runtime("shape::Shape");
            let target = format!("static SHAPE: {kind}");
            let constant = shapes::union(self.types, members, self.module).assigned(8, &target);
            (constant, "&SHAPE".to_owned())
        } else {
            (String::new(), self.shape_of("Self"))
        };
        let mut arms = String::new();
        let is_flat = variants.iter().all(|variant| variant.inner.is_none());
        for (number, variant) in variants.iter().enumerate() {
            let made = if variant.inner.is_some() {
                let from_json = self.runtime("json::from_json");
                format!("{from_json}(&json).map(Self::{})", variant.name)
            } else {
                format!("Ok(Self::{})", variant.name)
            };
            let _ = writeln!(arms, "            Some({number}) => {made},");
        }
        let _ = writeln!(
            arms,
            "            _ => Err(de::Error::custom(\"no member of `{name}`\")),"
        );
        let picked = format!("match {pick}({shape_of}, &json) {{\n{arms}        }}");
        let answer = if is_flat {
            format!("        {picked}\n")
        } else {
            format!("        let read = {picked};\n        read.map_err(de::Error::custom)\n")
        };
        self.module.items.push(format!(
            "impl<'de> {deserialize}<'de> for {name} {{\n    fn deserialize<D: {deserializer}<'de>>(deserializer: D) -> Result<Self, D::Error> {{\n{constant}        let json = kit_runtime::json::Json::deserialize(deserializer)?;\n{answer}    }}\n}}\n"
        ));
    }

    /// Returns the variant name for a member of a union.
    fn variant(&self, id: TypeId, number: usize) -> String {
        let program = self.types.program;
        match &program.types[id].kind {
            TypeKind::Reference { declaration } => self.types.name(*declaration).to_owned(),
            TypeKind::Unknown => "Any".to_owned(),
            TypeKind::Null => "Null".to_owned(),
            TypeKind::Boolean => "Boolean".to_owned(),
            TypeKind::Number => "Number".to_owned(),
            TypeKind::String | TypeKind::Template { .. } => "Text".to_owned(),
            TypeKind::BigInt => "BigInt".to_owned(),
            TypeKind::Date => "Date".to_owned(),
            TypeKind::Bytes => "Bytes".to_owned(),
            TypeKind::Array { .. } => "List".to_owned(),
            TypeKind::Tuple { .. } => "Tuple".to_owned(),
            TypeKind::Literal { value } => names::variant(&match value {
                LiteralValue::String(text) | LiteralValue::BigInt(text) => text.clone(),
                LiteralValue::Number(number) => number.to_string().replace('-', "minus "),
                LiteralValue::Boolean(value) => value.to_string(),
            }),
            TypeKind::Object(object) if super::is_map(object) => "Map".to_owned(),
            TypeKind::Object(object) => {
                let tag = object.properties.iter().find_map(|property| {
                    match &program.types[property.r#type].kind {
                        TypeKind::Literal {
                            value: LiteralValue::String(text),
                        } => Some(names::variant(text)),
                        _ => None,
                    }
                });
                tag.unwrap_or_else(|| format!("Variant{}", number + 1))
            }
            TypeKind::Never | TypeKind::Union { .. } => format!("Variant{}", number + 1),
        }
    }
}

/// Returns the name, with a number appended if another variant has the same name.
fn unique(wanted: String, variants: &[String]) -> String {
    names::unique(wanted, |name| variants.iter().any(|known| known == name))
}

/// Returns a literal in TypeScript syntax, and the call that serializes it.
fn written(value: &LiteralValue) -> (String, String) {
    match value {
        LiteralValue::String(text) => {
            let call = format!("serialize_str({})", names::text(text));
            (in_comment(&text.escape_debug().to_string()), call)
        }
        LiteralValue::BigInt(digits) => (format!("{digits}n"), format!("serialize_str(\"{digits}\")")),
        LiteralValue::Boolean(value) => (value.to_string(), format!("serialize_bool({value})")),
        LiteralValue::Number(number) => {
            let call = match shapes::whole_literal(*number) {
                Some(whole) => format!("serialize_i64({whole})"),
                None => format!("serialize_f64({})", shapes::decimal(*number)),
            };
            (number.to_string(), call)
        }
    }
}

fn is_boolean(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::Boolean
            | TypeKind::Literal {
                value: LiteralValue::Boolean(_)
            }
    )
}

fn is_bigint(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::BigInt
            | TypeKind::Literal {
                value: LiteralValue::BigInt(_)
            }
    )
}
