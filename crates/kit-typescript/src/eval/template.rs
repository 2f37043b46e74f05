//! Template literal types: evaluation, and comparison of strings with them.

use std::rc::Rc;

use kit_analysis::numbers::is_number_text;
use oxc_ast::ast::{TSTemplateLiteralType, TemplateElement};
use oxc_span::GetSpan;

use super::types::Literal;
use super::{Evaluator, ScopeId, Segment, Ty, TyId};

/// Maximum number of members of the union that a template with unions expands to. TypeScript's limit is
/// 100,000.
const MAX_COMBINATIONS: usize = 20_000;

/// Maximum size of a template, in which long parts count more. Without a limit, a template that contains
/// itself twice would double in size each time.
const MAX_PARTS: usize = 500_000;

/// Returns true if a text of a template has half of a surrogate pair, which the parser replaces by other characters.
pub(super) fn has_half_pair(texts: &[TemplateElement<'_>]) -> bool {
    texts.iter().any(|text| text.lone_surrogates)
}

impl<'a> Evaluator<'a> {
    /// Evaluates a template literal type. A template with a union becomes a union of templates, and a
    /// template with only literals becomes a literal: `${"a" | "b"}-1` becomes `"a-1" | "b-1"`.
    pub(super) fn template(&mut self, template: &'a TSTemplateLiteralType<'a>, scope: ScopeId) -> TyId {
        if has_half_pair(&template.quasis) {
            let location = self.location(scope, template.span);
            return self.half_pair(location);
        }
        let mut variants: Vec<Vec<Segment>> = vec![Vec::new()];
        let mut placeholders = Vec::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().map_or("", |text| text.as_str());
            for parts in &mut variants {
                push_text(parts, text);
            }
            let Some(placeholder) = template.types.get(index) else {
                continue;
            };
            let location = self.location(scope, placeholder.span());
            let ty = self.evaluate(placeholder, scope);
            placeholders.push(ty);
            let fillings = match self.fillings(ty) {
                Ok(fillings) => fillings,
                Err(Some(invalid)) => return invalid,
                Err(None) => {
                    return self.unsupported(
                        location,
                        "a template may contain only strings, numbers, booleans and literals",
                        "use only these types",
                    );
                }
            };
            if variants.len() * fillings.len() > MAX_COMBINATIONS {
                return self.unsupported(
                    location,
                    "the unions of this template have too many combinations",
                    "write `${string}` instead of one of the unions",
                );
            }
            let weight = |parts: &[Segment]| -> usize {
                let weights = parts.iter().map(|part| match part {
                    Segment::Text(text) => 1 + text.len() / 16,
                    Segment::Placeholder(_) => 1,
                });
                weights.sum()
            };
            let own: usize = variants.iter().map(|parts| weight(parts)).sum();
            let added: usize = fillings.iter().map(|parts| weight(parts)).sum();
            if own * fillings.len() + added * variants.len() > MAX_PARTS {
                return self.unsupported(
                    location,
                    "the texts of this template are too long",
                    "write `${string}` instead of one of the types in the template",
                );
            }
            variants = variants
                .iter()
                .flat_map(|parts| {
                    fillings.iter().map(move |filling| {
                        let mut parts = parts.clone();
                        for part in filling {
                            match part {
                                Segment::Text(text) => push_text(&mut parts, text),
                                Segment::Placeholder(_) => parts.push(part.clone()),
                            }
                        }
                        parts
                    })
                })
                .collect();
        }
        let members = variants
            .into_iter()
            .map(|parts| self.template_of(parts))
            .collect();
        let template = self.union(members);
        self.with_ruled_placeholders(template, &placeholders)
    }

    /// Returns the text and placeholders by which a placeholder of the given type is replaced: one list for
    /// each member of a union.
    fn fillings(&mut self, ty: TyId) -> Result<Vec<Vec<Segment>>, Option<TyId>> {
        let shape = self.shape(ty);
        let text = |text: Rc<str>| Ok(vec![vec![Segment::Text(text)]]);
        match self.store.get(shape).clone() {
            Ty::Literal(literal) => text(literal.name()),
            Ty::EnumMember(member) => text(member.value.name()),
            Ty::Null => text("null".into()),
            Ty::Undefined => text("undefined".into()),
            Ty::Boolean => Ok(["true", "false"]
                .map(|value| vec![Segment::Text(value.into())])
                .to_vec()),
            Ty::Template(parts) => Ok(vec![parts.to_vec()]),
            Ty::String | Ty::Number | Ty::BigInt | Ty::Cased(..) | Ty::Infer(_) | Ty::Parameter(_) => {
                Ok(vec![vec![Segment::Placeholder(shape)]])
            }
            // An `infer` without a type is `unknown`. In a template it could only be a string.
            Ty::Any | Ty::Unknown => Ok(vec![vec![Segment::Placeholder(self.store.add(Ty::String))]]),
            Ty::Never => Ok(Vec::new()),
            Ty::Branded(_, brand) if self.digits_of_brand(brand).is_some() => {
                Err(Some(self.decimal_part("a part of a template literal type")))
            }
            Ty::Branded(_, brand) if self.has_type_tags(brand) => Err(Some(self.tagged_part())),
            Ty::Branded(base, _) => self.fillings(base),
            Ty::Union(members) => {
                let mut all = Vec::with_capacity(members.len());
                for member in members.iter() {
                    all.extend(self.fillings(*member)?);
                }
                Ok(all)
            }
            Ty::Invalid(_) => Err(Some(shape)),
            _ => Err(None),
        }
    }

    /// Returns the simplest type of a template. A template without placeholders is a literal. A template of
    /// only `${string}` is `string`.
    pub(super) fn template_of(&mut self, mut parts: Vec<Segment>) -> TyId {
        parts.retain(|part| !matches!(part, Segment::Text(text) if text.is_empty()));
        match parts.as_slice() {
            [] => self.store.text(""),
            [Segment::Text(text)] => {
                let literal = Literal::String(Rc::clone(text));
                self.store.add(Ty::Literal(literal))
            }
            [Segment::Placeholder(placeholder)]
                if matches!(self.store.get(*placeholder), Ty::String | Ty::Cased(..)) =>
            {
                *placeholder
            }
            _ => self.store.add(Ty::Template(parts.into())),
        }
    }

    /// Returns true if a string fits a template.
    pub(super) fn text_fits(&mut self, text: &str, parts: &[Segment]) -> bool {
        let source = self.store.text(text);
        self.template_fits(source, parts)
    }

    /// Returns true if every string of a type fits a template. The type is a literal type or another
    /// template.
    pub(super) fn template_fits(&mut self, source: TyId, parts: &[Segment]) -> bool {
        let Some(found) = self.split_by_template(source, parts) else {
            return false;
        };
        let placeholders: Vec<TyId> = parts
            .iter()
            .filter_map(|part| match part {
                Segment::Placeholder(placeholder) => Some(*placeholder),
                Segment::Text(_) => None,
            })
            .collect();
        found
            .into_iter()
            .zip(placeholders)
            .all(|(own, placeholder)| self.fits_placeholder(own, placeholder))
    }

    /// Returns true if `own`, a part of a string, fits the type of a placeholder.
    fn fits_placeholder(&mut self, own: TyId, placeholder: TyId) -> bool {
        if self.assignable(own, placeholder) {
            return true;
        }
        let (own, placeholder) = (self.shape_of(own), self.shape_of(placeholder));
        let text = match own {
            Ty::Literal(Literal::String(text)) => text,
            // `` `${number}` `` fits the placeholder `${number}`.
            Ty::Template(parts) => {
                return match parts.as_ref() {
                    [Segment::Placeholder(only)] => {
                        let only = self.shape_of(*only);
                        only == placeholder
                    }
                    _ => false,
                };
            }
            _ => return false,
        };
        match placeholder {
            Ty::Any => true,
            Ty::Number => is_number_text(&text),
            Ty::BigInt => {
                let digits = text.strip_prefix('-').unwrap_or(&text);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            Ty::Boolean => matches!(&*text, "true" | "false"),
            Ty::Literal(literal) => literal.name() == text,
            Ty::Null => &*text == "null",
            Ty::Undefined => &*text == "undefined",
            _ => false,
        }
    }

    /// Splits a string or a template at the constant texts of another template. Returns one part for each
    /// placeholder: `"a"` and `"b"` for `a-b` and the template `${X}-${Y}`. Of two adjacent placeholders, the
    /// first gets one character. Returns `None` if the constant texts do not occur.
    pub(super) fn split_by_template(&mut self, source: TyId, parts: &[Segment]) -> Option<Vec<TyId>> {
        let own: Vec<Segment> = match self.shape_of(source) {
            Ty::Literal(Literal::String(text)) => vec![Segment::Text(text)],
            Ty::EnumMember(member) => vec![Segment::Text(member.value.name())],
            Ty::Template(parts) => parts.to_vec(),
            Ty::String | Ty::Cased(..) => vec![Segment::Placeholder(self.shape(source))],
            _ => return None,
        };
        let mut pieces = SegmentCursor::new(own);
        let fixed = |part: Option<&Segment>| match part {
            Some(Segment::Text(text)) => Rc::clone(text),
            _ => "".into(),
        };
        let (front, back) = (fixed(parts.first()), fixed(parts.last()));
        if matches!(parts, [Segment::Text(_)]) {
            return None;
        }
        pieces.cut_front(&front)?;
        pieces.cut_back(&back)?;
        let mut found = Vec::new();
        let placeholders: Vec<usize> = (0..parts.len())
            .filter(|index| matches!(parts[*index], Segment::Placeholder(_)))
            .collect();
        for (order, index) in placeholders.iter().enumerate() {
            if order + 1 == placeholders.len() {
                found.push(std::mem::take(&mut pieces.parts));
                break;
            }
            let piece = match parts.get(index + 1) {
                Some(Segment::Text(text)) => pieces.take_until(text)?,
                _ => pieces.take_one()?,
            };
            found.push(piece);
        }
        Some(found.into_iter().map(|parts| self.template_of(parts)).collect())
    }
}

/// Rest of a string that is being split. The rest may contain placeholders, whose text is not known.
struct SegmentCursor {
    parts: Vec<Segment>,
}

impl SegmentCursor {
    fn new(parts: Vec<Segment>) -> Self {
        Self { parts }
    }

    fn cut_front(&mut self, text: &str) -> Option<()> {
        if text.is_empty() {
            return Some(());
        }
        let Some(Segment::Text(own)) = self.parts.first_mut() else {
            return None;
        };
        let rest: Rc<str> = own.strip_prefix(text)?.into();
        *own = rest;
        Some(())
    }

    fn cut_back(&mut self, text: &str) -> Option<()> {
        if text.is_empty() {
            return Some(());
        }
        let Some(Segment::Text(own)) = self.parts.last_mut() else {
            return None;
        };
        let rest: Rc<str> = own.strip_suffix(text)?.into();
        *own = rest;
        Some(())
    }

    /// Removes the text up to and including the first occurrence of `text`. Returns the part before `text`.
    fn take_until(&mut self, text: &str) -> Option<Vec<Segment>> {
        for index in 0..self.parts.len() {
            let Segment::Text(own) = &self.parts[index] else {
                continue;
            };
            if let Some((before, after)) = own.split_once(text) {
                let (before, after): (Rc<str>, Rc<str>) = (before.into(), after.into());
                let mut taken: Vec<Segment> = self.parts.drain(..index).collect();
                taken.push(Segment::Text(before));
                self.parts[0] = Segment::Text(after);
                return Some(taken);
            }
        }
        None
    }

    /// Removes and returns one character, or one placeholder.
    fn take_one(&mut self) -> Option<Vec<Segment>> {
        while matches!(self.parts.first(), Some(Segment::Text(text)) if text.is_empty()) {
            self.parts.remove(0);
        }
        match self.parts.first_mut()? {
            Segment::Placeholder(_) => Some(vec![self.parts.remove(0)]),
            Segment::Text(text) => {
                let first = text.chars().next()?;
                let rest: Rc<str> = text[first.len_utf8()..].into();
                *text = rest;
                Some(vec![Segment::Text(first.to_string().into())])
            }
        }
    }
}

fn push_text(parts: &mut Vec<Segment>, text: &str) {
    if text.is_empty() {
        return;
    }
    match parts.last_mut() {
        Some(Segment::Text(last)) => *last = format!("{last}{text}").into(),
        _ => parts.push(Segment::Text(text.into())),
    }
}
