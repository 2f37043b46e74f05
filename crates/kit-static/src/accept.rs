//! The headers `accept` and `accept-encoding`.

/// Coding of a compressed file (RFC 9110, 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Brotli,
    Zstd,
    Gzip,
}

impl Coding {
    /// All codings, the preferred one first.
    pub(crate) const ALL: [Self; 3] = [Self::Brotli, Self::Zstd, Self::Gzip];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// Returns the end of the names of files with this coding.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Zstd => ".zst",
            Self::Gzip => ".gz",
        }
    }
}

/// Weights of the codings that a server of kit may send, in thousandths. `None` for a coding that the header does not name.
///
/// Clients choose the number of members of a header. Only the first weight of each of these codings is kept, so that the time
/// for a header depends only on its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weights {
    brotli: Option<u16>,
    zstd: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    any: Option<u16>,
}

impl Weights {
    /// Reads the header `accept-encoding` (RFC 9110, 12.5.3). Invalid members and unknown codings are ignored, and the first
    /// weight of a coding counts.
    pub(crate) fn of(header: &str) -> Self {
        let mut weights = Self::default();
        for member in header.split(',') {
            let (name, parameter) = match member.split_once(';') {
                None => (member, None),
                Some((name, parameter)) => (name, Some(parameter)),
            };
            let Some(kept) = weights.place_of(name.trim()).filter(|kept| kept.is_none()) else {
                continue;
            };
            *kept = match parameter {
                None => Some(1000),
                Some(parameter) => weight_of(parameter.trim()),
            };
        }
        weights
    }

    /// Returns the place for the weight of a coding. Returns `None` for an unknown coding.
    fn place_of(&mut self, name: &str) -> Option<&mut Option<u16>> {
        let is = |known: &str| {
            #[cfg(test)]
            tests::COMPARISONS.set(tests::COMPARISONS.get() + 1);
            name.eq_ignore_ascii_case(known)
        };
        if is("gzip") {
            Some(&mut self.gzip)
        } else if is("br") {
            Some(&mut self.brotli)
        } else if is("zstd") {
            Some(&mut self.zstd)
        } else if is("identity") {
            Some(&mut self.identity)
        } else if is("*") {
            Some(&mut self.any)
        } else if is("x-gzip") {
            // RFC 9110, 8.4.1.3: another name of `gzip`.
            Some(&mut self.gzip)
        } else {
            None
        }
    }

    /// Returns the coding with the highest weight, the first of them in `codings`. Returns `None` if the client accepts none, or
    /// prefers no coding.
    pub(crate) fn choose(&self, codings: &[Coding]) -> Option<Coding> {
        let mut chosen = None;
        let mut best = 0;
        for coding in codings {
            let own = match coding {
                Coding::Brotli => self.brotli,
                Coding::Zstd => self.zstd,
                Coding::Gzip => self.gzip,
            };
            let weight = own.or(self.any).unwrap_or(0);
            if weight > best {
                (chosen, best) = (Some(*coding), weight);
            }
        }
        let identity = self.identity.or(self.any).unwrap_or(0);
        chosen.filter(|_| identity <= best)
    }
}

/// Returns true if the header `accept-encoding` accepts gzip. A client without the header may not support gzip.
///
/// ```
/// assert!(kit_static::accepts_gzip(Some("br, gzip;q=0.5")));
/// assert!(kit_static::accepts_gzip(Some("identity, *;q=0.5")));
/// assert!(!kit_static::accepts_gzip(Some("gzip;q=0, *")));
/// assert!(!kit_static::accepts_gzip(None));
/// ```
pub fn accepts_gzip(header: Option<&str>) -> bool {
    let weights = header.map_or_else(Weights::default, Weights::of);
    weights.gzip.or(weights.any).is_some_and(|weight| weight > 0)
}

/// Returns the weight in a parameter such as `q=0.5`, in thousandths (RFC 9110, 12.4.2).
fn weight_of(parameter: &str) -> Option<u16> {
    let text = parameter
        .strip_prefix("q=")
        .or_else(|| parameter.strip_prefix("Q="))?;
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part: u16 = format!("{part:0<3}").parse().ok()?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1000),
        _ => None,
    }
}

/// Returns true if the header `accept` names `text/html`, as browsers do for pages but not for scripts or `fetch`.
pub(crate) fn accepts_html(header: Option<&str>) -> bool {
    header.unwrap_or_default().split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_html = parts
            .next()
            .is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"));
        is_html && !parts.any(|parameter| weight_of(parameter) == Some(0))
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Coding, Weights, accepts_gzip};

    thread_local! {
        /// Number of comparisons of names on this thread.
        pub(super) static COMPARISONS: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn work_for_a_header_grows_only_with_its_length() {
        let characters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'+-.^_`|~";
        let names = characters
            .iter()
            .flat_map(|first| characters.iter().map(|second| [*first, *second]));
        let mut header = String::new();
        for name in names.filter(|name| !name.eq_ignore_ascii_case(b"br")).take(5_000) {
            header.push_str(std::str::from_utf8(&name).unwrap());
            header.push(',');
        }
        header.push_str("gzip");
        assert!((15_000..16_000).contains(&header.len()));
        COMPARISONS.set(0);
        assert_eq!(Weights::of(&header).choose(&Coding::ALL), Some(Coding::Gzip));
        let comparisons = COMPARISONS.get();
        assert!((5_000..=6 * 5_001).contains(&comparisons), "{comparisons}");
    }

    #[test]
    fn first_valid_weight_of_a_coding_counts_under_each_of_its_names() {
        let of = |header| Weights::of(header).gzip;
        for (header, expected) in [
            ("gzip;q=0.5, gzip", Some(500)),
            ("GZIP ; q=0.25", Some(250)),
            ("x-gzip;q=0.5, gzip;q=1", Some(500)),
            ("gzip;q=2, X-GZip;q=0", Some(0)),
            ("gzip;level=1", None),
            ("gzip br, \"gzip\"", None),
            ("", None),
        ] {
            assert_eq!(of(header), expected, "{header}");
        }
        assert!(!accepts_gzip(Some("")));
    }
}
