//! Codecs of the members of unions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Codec;

/// Id of a codec in [`Members`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct MemberId(usize);

/// Codecs of the members of unions that a property tells apart. Equal codecs have the same id. Each literal of the property
/// refers to the codec of its member: with a copy for each literal, nested unions would take exponential time.
#[derive(Default)]
pub(super) struct Members {
    codecs: Vec<Codec>,
    ids: FxHashMap<Codec, MemberId>,
    /// Members that are printed once, under a name.
    named: FxHashSet<MemberId>,
}

impl Members {
    pub(super) fn add(&mut self, codec: Codec) -> MemberId {
        if let Some(known) = self.ids.get(&codec) {
            return *known;
        }
        let id = MemberId(self.codecs.len());
        self.codecs.push(codec.clone());
        self.ids.insert(codec, id);
        id
    }

    pub(super) fn get(&self, id: MemberId) -> &Codec {
        &self.codecs[id.0]
    }

    /// Gives a name to the members that several literals of one union select. Codecs of declarations already have a name.
    pub(super) fn name_repeated(&mut self, cases: &[(String, MemberId)]) {
        let mut seen = FxHashSet::default();
        for (_, id) in cases {
            if !seen.insert(*id) && !matches!(self.get(*id), Codec::Named(_)) {
                self.named.insert(*id);
            }
        }
    }

    pub(super) fn is_named(&self, id: MemberId) -> bool {
        self.named.contains(&id)
    }
}
