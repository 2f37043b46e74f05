//! Sets of code points.

/// A set of code points as sorted ranges that neither touch nor overlap. Surrogates can be members: with the flag `u` a lone
/// surrogate matches as a character.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Set {
    ranges: Vec<(u32, u32)>,
}

/// The greatest code point.
pub(crate) const LAST: u32 = 0x10_ffff;

impl Set {
    pub(crate) fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().collect();
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Self { ranges: merged }
    }

    pub(crate) fn one(character: u32) -> Self {
        Self::of([(character, character)])
    }

    pub(crate) fn digits() -> Self {
        Self::of([(0x30, 0x39)])
    }

    /// Returns the set of `\w` without the flag `i`.
    pub(crate) fn word() -> Self {
        Self::of([(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)])
    }

    /// Returns the set of `\s`: the `WhiteSpace` and `LineTerminator` characters of ECMA-262.
    pub(crate) fn space() -> Self {
        Self::of([
            (0x09, 0x0d),
            (0x20, 0x20),
            (0xa0, 0xa0),
            (0x1680, 0x1680),
            (0x2000, 0x200a),
            (0x2028, 0x2029),
            (0x202f, 0x202f),
            (0x205f, 0x205f),
            (0x3000, 0x3000),
            (0xfeff, 0xfeff),
        ])
    }

    /// Returns the set of `.` without the flag `s`.
    pub(crate) fn no_line_end() -> Self {
        Self::of([(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)]).negated()
    }

    pub(crate) fn negated(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for (first, last) in &self.ranges {
            if *first > next {
                ranges.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Self { ranges }
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Self::of(self.ranges.into_iter().chain(other.ranges))
    }

    /// Returns the code points that are in both sets.
    pub(crate) fn common(&self, other: &Self) -> Self {
        self.negated().with(other.negated()).negated()
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    pub(crate) fn contains(&self, character: u32) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= character);
        after > 0 && self.ranges[after - 1].1 >= character
    }
}

#[cfg(test)]
mod tests {
    use super::{LAST, Set};

    #[test]
    fn merges_and_negates_ranges_of_code_points() {
        let set = Set::of([(5, 9), (0, 3), (4, 4), (8, 20)]);
        assert_eq!(set.ranges(), [(0, 20)]);
        assert_eq!(set.negated().ranges(), [(21, LAST)]);
        assert_eq!(Set::default().negated().ranges(), [(0, LAST)]);
        assert_eq!(Set::default().negated().negated(), Set::default());
        assert!(set.contains(20) && !set.contains(21));
    }
}
