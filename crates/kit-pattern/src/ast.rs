//! Syntax tree of a pattern, without details that the analysis does not need: groups do not capture here.

use crate::set::Set;

/// A node of the syntax tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// One character that is in the set.
    Set(Set),
    /// `^`, which matches at the start of the text.
    Start,
    /// `$`, which matches at the end of the text.
    End,
    /// `\b`, `\B` or a lookbehind. The condition may fail, and its check takes at most one step for each character that
    /// it looks at.
    Condition,
    /// A lookahead, positive or negative.
    Look(Box<Node>),
    /// Nodes one after another. An empty list matches the empty string.
    Sequence(Vec<Node>),
    /// Alternatives, as in `a|b`.
    Choice(Vec<Node>),
    /// A repeated node. Without a maximum the number of repetitions is unlimited. Greedy and lazy repetitions need the same
    /// amount of work.
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
}

impl Node {
    /// Returns the minimum and the maximum number of characters that the node matches. A number above the
    /// maximum of `u64` becomes this maximum.
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

    /// Returns the number of character positions in the node. The body of a repetition counts once.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Set(_) => 1,
            Self::Start | Self::End | Self::Condition => 0,
            Self::Look(body) | Self::Repeat { body, .. } => body.size(),
            Self::Sequence(parts) | Self::Choice(parts) => parts.iter().map(Self::size).sum(),
        }
    }
}
