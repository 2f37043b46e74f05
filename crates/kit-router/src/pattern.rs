//! What a route's path may be, and its segments.

use std::fmt;
use std::sync::Arc;

use kit_guard::normal_path;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The greatest number of segments in a route's path. It keeps the compiled document within the nesting that JSON parsers
/// accept by default, and every walk over the tree within a small stack.
pub const MAX_SEGMENTS: usize = 50;

/// One segment of a route's path. Routes share their text, so that copying one allocates nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Text in the normal form of paths.
    Static(Arc<str>),
    /// `:name`
    Parameter(Arc<str>),
    /// `*name`
    Wildcard(Arc<str>),
}

/// What is wrong with a route's path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// `users`
    #[error("a path begins with `/`")]
    NoLeadingSlash,
    /// `/users//posts`
    #[error("a path has no empty segments")]
    EmptySegment,
    /// `/files/*rest/size`
    #[error("`{segment}` takes the rest of the path, so nothing can follow it")]
    WildcardNotLast {
        /// The wildcard as written.
        segment: String,
    },
    /// `/users/:` or `/files/*`
    #[error("`{segment}` has no name: write `{segment}name`")]
    Unnamed {
        /// `:` or `*`
        segment: String,
    },
    /// `/users/:user-id`
    #[error(
        "`{name}` in `{segment}` is not a name: use letters, digits and `_`, with one parameter in a segment"
    )]
    InvalidName {
        /// The segment as written.
        segment: String,
        /// What follows its first character.
        name: String,
    },
    /// `/users/:id/posts/:id`
    #[error("the name `{name}` stands twice in the path")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// `/a b`, `/a?b`
    #[error("`{segment}` holds {found}, which a path cannot have: write `{escaped}` in its place")]
    InvalidCharacter {
        /// The segment as written.
        segment: String,
        /// The character in words.
        found: String,
        /// Its percent-escape.
        escaped: String,
    },
    /// `/a%zz`
    #[error("`{segment}` holds an invalid percent-escape: a literal `%` is written `%25`")]
    InvalidEscape {
        /// The segment as written.
        segment: String,
    },
    /// More than [`MAX_SEGMENTS`].
    #[error("a path of {count} segments is too deep: the greatest number is {MAX_SEGMENTS}")]
    TooDeep {
        /// How many there are.
        count: usize,
    },
}

impl Segment {
    /// Splits and checks a path. One trailing slash is ignored, as it is in requests.
    pub(crate) fn parse_path(path: &str) -> Result<Vec<Self>, InvalidPath> {
        let body = path.strip_prefix('/').ok_or(InvalidPath::NoLeadingSlash)?;
        if body.is_empty() {
            return Ok(Vec::new());
        }
        let body = body.strip_suffix('/').unwrap_or(body);
        let segments = body.split('/').map(Self::parse).collect::<Result<Vec<_>, _>>()?;
        check(&segments, true)?;
        Ok(segments)
    }

    fn parse(text: &str) -> Result<Self, InvalidPath> {
        match text.chars().next() {
            None => return Err(InvalidPath::EmptySegment),
            Some(':') => return Ok(Self::Parameter(parse_name(text)?.into())),
            Some('*') => return Ok(Self::Wildcard(parse_name(text)?.into())),
            Some(_) => {}
        }
        if let Some(found) = text.chars().find(|&c| is_reserved(c)) {
            return Err(InvalidPath::InvalidCharacter {
                segment: text.to_owned(),
                found: if found.is_whitespace() || found.is_control() {
                    format!("U+{:04X}", u32::from(found))
                } else {
                    format!("`{found}`")
                },
                escaped: utf8_percent_encode(found.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC).to_string(),
            });
        }
        match normal_path(text) {
            Some(normal) => Ok(Self::Static(normal.into())),
            None => Err(InvalidPath::InvalidEscape {
                segment: text.to_owned(),
            }),
        }
    }

    /// The name of a parameter or wildcard.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Static(_) => None,
            Self::Parameter(name) | Self::Wildcard(name) => Some(name),
        }
    }
}

/// As a route's path shows it, for messages.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static(text) => f.write_str(text),
            Self::Parameter(name) => write!(f, ":{name}"),
            Self::Wildcard(name) => write!(f, "*{name}"),
        }
    }
}

/// Rules between the segments of one path. In a document, names are those of the first route through a place, and two of
/// different routes may meet on one path.
pub(crate) fn check(segments: &[Segment], distinct_names: bool) -> Result<(), InvalidPath> {
    if segments.len() > MAX_SEGMENTS {
        return Err(InvalidPath::TooDeep {
            count: segments.len(),
        });
    }
    for (index, segment) in segments.iter().enumerate() {
        if matches!(segment, Segment::Wildcard(_)) && index + 1 < segments.len() {
            return Err(InvalidPath::WildcardNotLast {
                segment: segment.to_string(),
            });
        }
        if distinct_names
            && let Some(name) = segment.name()
            && segments[..index]
                .iter()
                .any(|earlier| earlier.name() == Some(name))
        {
            return Err(InvalidPath::RepeatedName {
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

/// Whether a parameter can have the name.
pub(crate) fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn parse_name(segment: &str) -> Result<String, InvalidPath> {
    let name = &segment[1..];
    if name.is_empty() {
        Err(InvalidPath::Unnamed {
            segment: segment.to_owned(),
        })
    } else if is_name(name) {
        Ok(name.to_owned())
    } else {
        Err(InvalidPath::InvalidName {
            segment: segment.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// Characters that end a path in a URL, that no client sends unescaped, or that would read as a parameter inside of a
/// segment (`/files/:name.json`, `/v1/notes:archive`).
fn is_reserved(c: char) -> bool {
    matches!(c, '?' | '#' | '\\' | ':' | '*') || c.is_whitespace() || c.is_control()
}
