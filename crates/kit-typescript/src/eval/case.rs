//! The string types `Uppercase`, `Lowercase`, `Capitalize` and `Uncapitalize`.

use std::rc::Rc;

use super::types::{Case, Literal};
use super::{Evaluator, Segment, Ty, TyId};

impl Case {
    fn apply(self, text: &str) -> String {
        let first = |change: fn(char) -> String| {
            let mut letters = text.chars();
            letters
                .next()
                .map_or_else(String::new, |letter| change(letter) + letters.as_str())
        };
        match self {
            Self::Upper => text.to_uppercase(),
            Self::Lower => text.to_lowercase(),
            Self::Capital => first(|letter| letter.to_uppercase().collect()),
            Self::Uncapital => first(|letter| letter.to_lowercase().collect()),
        }
    }

    /// Returns the name of the type in TypeScript, such as `Uppercase`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Upper => "Uppercase",
            Self::Lower => "Lowercase",
            Self::Capital => "Capitalize",
            Self::Uncapital => "Uncapitalize",
        }
    }
}

impl Evaluator<'_> {
    /// Applies `Uppercase` or a similar type to a string type: `"a"` becomes `"A"`.
    pub(super) fn cased(&mut self, case: Case, ty: TyId) -> TyId {
        let shape = self.shape(ty);
        match self.store.get(shape).clone() {
            Ty::Literal(Literal::String(text)) => {
                let text = case.apply(&text);
                self.store.text(&text)
            }
            Ty::EnumMember(member) => {
                let text = case.apply(&member.value.name());
                self.store.text(&text)
            }
            Ty::Union(members) => {
                let members = members.iter().map(|member| self.cased(case, *member)).collect();
                self.union(members)
            }
            Ty::Template(parts) => {
                let only_first = matches!(case, Case::Capital | Case::Uncapital);
                let parts = parts
                    .iter()
                    .enumerate()
                    .map(|(index, part)| match part {
                        _ if only_first && index > 0 => part.clone(),
                        Segment::Text(text) => Segment::Text(Rc::from(case.apply(text))),
                        Segment::Placeholder(placeholder) => {
                            Segment::Placeholder(self.cased(case, *placeholder))
                        }
                    })
                    .collect();
                self.template_of(parts)
            }
            Ty::Cased(inner, _) if inner == case => shape,
            Ty::Any => {
                let string = self.store.add(Ty::String);
                self.store.add(Ty::Cased(case, string))
            }
            Ty::String | Ty::Cased(..) | Ty::Infer(_) | Ty::Parameter(_) => {
                self.store.add(Ty::Cased(case, shape))
            }
            Ty::Branded(base, _) => self.cased(case, base),
            // Types without letters stay unchanged.
            _ => shape,
        }
    }
}
