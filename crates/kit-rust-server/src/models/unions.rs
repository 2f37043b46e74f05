//! Unions: enums of texts, and enums of a variant for each member.

use std::fmt::Write as _;

use kit_analysis::UnionPlan;
use kit_ir::{LiteralValue, TypeId, TypeKind};

use super::{Models, Place};
use crate::names;
use crate::print::Expression;
use crate::shapes::shape;

impl Models<'_, '_> {
    pub(super) fn bare_union(
        &mut self,
        id: TypeId,
        members: &[TypeId],
        at: &Place<'_>,
        inside: bool,
    ) -> String {
        let program = self.types.program;
        let rest = self.without_null(members);
        let nullable = rest.len() < members.len();
        let inner = match rest.as_slice() {
            [] => "()".to_owned(),
            [only] => self.bare(*only, at, inside),
            several => match self.texts(several) {
                Some(texts) => self.named_text_enum(id, at, &texts),
                None if several.iter().all(|id| is_number(&program.types[*id].kind)) => "f64".to_owned(),
                None if several.iter().all(|id| is_boolean(&program.types[*id].kind)) => "bool".to_owned(),
                None => {
                    if let Some(name) = self.made(id) {
                        return name;
                    }
                    let name = self.types.name_anonymous(self.home, at.name);
                    let comment = format!("/// `{}`.\n", at.shown);
                    self.union(&name, &comment, id, at, true);
                    self.types.keep_made(id, &self.module.name, &name);
                    // Null is one of its members.
                    return name;
                }
            },
        };
        if nullable && inner != "()" {
            format!("Option<{inner}>")
        } else {
            inner
        }
    }

    pub(super) fn without_null(&self, members: &[TypeId]) -> Vec<TypeId> {
        let program = self.types.program;
        let is_null = |id: &&TypeId| !matches!(program.types[**id].kind, TypeKind::Null);
        members.iter().filter(is_null).copied().collect()
    }

    /// The texts of a union of nothing else.
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

    pub(super) fn named_text_enum(&mut self, id: TypeId, at: &Place<'_>, texts: &[String]) -> String {
        if let Some(name) = self.made(id) {
            return name;
        }
        let name = self.types.name_anonymous(self.home, at.name);
        self.text_enum(&name, &format!("/// `{}`.\n", at.shown), texts);
        self.types.keep_made(id, &self.module.name, &name);
        name
    }

    pub(super) fn text_enum(&mut self, name: &str, comment: &str, texts: &[String]) {
        let mut variants: Vec<String> = Vec::new();
        let mut body = String::new();
        let mut arms = String::new();
        for text in texts {
            let variant = names::unique(names::variant(text), |taken| {
                variants.iter().any(|known| known == taken)
            });
            let quoted = names::text(text);
            let _ = writeln!(body, "    /// `{}`", text.escape_debug());
            if variant != *text {
                let _ = writeln!(body, "    #[serde(rename = {quoted})]");
            }
            let _ = writeln!(body, "    {variant},");
            let _ = writeln!(arms, "            Self::{variant} => {quoted},");
            variants.push(variant);
        }
        self.module.serde(&["Deserialize", "Serialize"]);
        self.module.items.push(format!(
            "{comment}#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]\npub enum {name} {{\n{body}}}\n"
        ));
        self.module.items.push(format!(
            "impl {name} {{\n    /// Every value.\n    pub const ALL: &[Self] = {};\n\n    /// The text on the wire.\n    pub const fn as_str(self) -> &'static str {{\n        match self {{\n{arms}        }}\n    }}\n}}\n",
            Expression::List(variants.iter().map(|variant| Expression::plain(format!("Self::{variant}"))).collect())
                .print(4, "pub const ALL: &[Self] = ".len(), 1)
        ));
        self.module.declared.push(name.to_owned());
        self.types.text_enums.insert(name.to_owned());
    }

    /// An enum of a variant for each member. Which one a value is, is found as everywhere in kit: the one that keeps most of it.
    pub(super) fn union(&mut self, name: &str, comment: &str, id: TypeId, at: &Place<'_>, anonymous: bool) {
        let program = self.types.program;
        let TypeKind::Union { members } = &program.types[id].kind else {
            return;
        };
        let plan = UnionPlan::new(program, members);
        let mut variants: Vec<String> = Vec::new();
        let (mut body, mut arms) = (String::new(), String::new());
        for (number, member) in plan.members.iter().enumerate() {
            let wanted = self.variant(member.r#type, number);
            let variant = names::unique(wanted, |taken| variants.iter().any(|known| known == taken));
            let place = Place {
                name: &format!("{name}{variant}"),
                shown: at.shown.clone(),
                span: at.span,
            };
            let inner = self.bare(member.r#type, &place, false);
            let _ = write!(body, "    /// One of them.\n    {variant}({inner}),\n");
            let _ = writeln!(
                arms,
                "            Some({number}) => from_json(&json).map(Self::{variant}),"
            );
            variants.push(variant);
        }
        self.module
            .serde(&["Deserialize", "Deserializer", "Serialize", "de"]);
        for item in ["check::pick", "json::from_json"] {
            self.module.runtime(item);
        }
        self.module.items.push(format!(
            "{comment}#[derive(Debug, Clone, PartialEq, Serialize)]\n#[serde(untagged)]\npub enum {name} {{\n{body}}}\n"
        ));
        let (constant, shape_of) = if anonymous {
            let constant = shape(self.types, id, None, self.module).assigned(8, "static SHAPE: Shape");
            (constant, "&SHAPE")
        } else {
            (String::new(), "Self::shape()")
        };
        self.module.items.push(format!(
            "impl<'de> Deserialize<'de> for {name} {{\n    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {{\n{constant}        let json = kit_runtime::json::Json::deserialize(deserializer)?;\n        let read = match pick({shape_of}, &json) {{\n{arms}            _ => Err(de::Error::custom(\"no member of `{name}`\")),\n        }};\n        read.map_err(de::Error::custom)\n    }}\n}}\n"
        ));
        self.module.declared.push(name.to_owned());
    }

    /// What a member of a union is called.
    fn variant(&self, id: TypeId, number: usize) -> String {
        let program = self.types.program;
        match &program.types[id].kind {
            TypeKind::Reference { declaration } => self.types.name(*declaration).to_owned(),
            TypeKind::Null => "Null".to_owned(),
            TypeKind::Boolean => "Boolean".to_owned(),
            TypeKind::Number => "Number".to_owned(),
            TypeKind::String => "Text".to_owned(),
            TypeKind::Date => "Date".to_owned(),
            TypeKind::Array { .. } => "List".to_owned(),
            TypeKind::Literal {
                value: LiteralValue::String(text),
            } => names::variant(text),
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
            _ => format!("Variant{}", number + 1),
        }
    }
}

fn is_number(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::Number
            | TypeKind::Literal {
                value: LiteralValue::Number(_)
            }
    )
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
