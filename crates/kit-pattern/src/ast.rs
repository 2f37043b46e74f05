//! What a pattern says, without what the analysis does not need: groups do not capture here.

use crate::set::Set;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// One character.
    Set(Set),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b` or `\B`, or a lookbehind: may fail, and costs no more than its own length.
    Condition,
    /// A lookahead, positive or not.
    Look(Box<Node>),
    /// One after the other; nothing at all where there is none.
    Sequence(Vec<Node>),
    /// One of several.
    Choice(Vec<Node>),
    /// A part several times; without a maximum, any number of times. Greedy or lazy is the same amount of work.
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
}

impl Node {
    /// The least and the greatest number of characters that it takes. Saturates.
    pub(crate) fn width(&self) -> (u64, Option<u64>) {
        match self {
            Self::Set(_) => (1, Some(1)),
            Self::Start | Self::End | Self::Condition | Self::Look(_) => (0, Some(0)),
            Self::Sequence(parts) => parts.iter().fold((0, Some(0)), |(least, most), part| {
                let (low, high) = part.width();
                let most = most.zip(high).map(|(a, b): (u64, u64)| a.saturating_add(b));
                (least.saturating_add(low), most)
            }),
            Self::Choice(parts) => {
                let widths: Vec<_> = parts.iter().map(Self::width).collect();
                let least = widths.iter().map(|(low, _)| *low).min().unwrap_or(0);
                let most = widths
                    .iter()
                    .try_fold(0, |most, (_, high)| high.map(|high| most.max(high)));
                (least, most)
            }
            Self::Repeat { body, min, max } => {
                let (low, high) = body.width();
                let most = match (max, high) {
                    (_, Some(0)) | (Some(0), _) => Some(0),
                    (Some(max), Some(high)) => Some(high.saturating_mul(u64::from(*max))),
                    _ => None,
                };
                (low.saturating_mul(u64::from(*min)), most)
            }
        }
    }

    /// How many characters stand in it, counted parts once.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Set(_) => 1,
            Self::Start | Self::End | Self::Condition => 0,
            Self::Look(body) | Self::Repeat { body, .. } => body.size(),
            Self::Sequence(parts) | Self::Choice(parts) => parts.iter().map(Self::size).sum(),
        }
    }
}
