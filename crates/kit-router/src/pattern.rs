//! Parses and checks the path patterns of routes.

use std::fmt;
use std::sync::Arc;

use kit_guard::normal_path;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Maximum number of segments of a route's path. The limit keeps the compiled document within the default nesting limit
/// of JSON parsers, and the recursion over the tree within a small stack.
pub const MAX_SEGMENTS: usize = 50;

/// A segment of a route's path. Clones share the text, so cloning does not allocate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Static text in the normal form of paths.
    Static(Arc<str>),
    /// Parameter: `:name`
    Parameter(Arc<str>),
    /// Wildcard: `*name`
    Wildcard(Arc<str>),
}

/// Error for a route's path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// The path does not begin with a slash: `users`
    #[error("a path begins with `/`")]
    NoLeadingSlash,
    /// A segment is empty: `/users//posts`
    #[error("a path has no empty segments")]
    EmptySegment,
    /// A wildcard is not the last segment: `/files/*rest/size`
    #[error("`{segment}` takes the rest of the path, so nothing can follow it")]
    WildcardNotLast {
        /// The wildcard as declared.
        segment: String,
    },
    /// A parameter or wildcard has no name: `/users/:` or `/files/*`
    #[error("`{segment}` has no name: write `{segment}name`")]
    Unnamed {
        /// `:` or `*`
        segment: String,
    },
    /// The name of a parameter or wildcard is invalid: `/users/:user-id`
    #[error(
        "`{name}` in `{segment}` is not a name: use letters, digits and `_`, with one parameter in a segment"
    )]
    InvalidName {
        /// The segment as declared.
        segment: String,
        /// The name after the first character of the segment.
        name: String,
    },
    /// Two parameters have the same name: `/users/:id/posts/:id`
    #[error("the name `{name}` stands twice in the path")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A character must be percent-encoded: `/a b`, `/a?b`
    #[error("`{segment}` holds {found}, which a path cannot have: write `{escaped}` in its place")]
    InvalidCharacter {
        /// The segment as declared.
        segment: String,
        /// Description of the character.
        found: String,
        /// Percent-escape of the character.
        escaped: String,
    },
    /// A percent-escape is invalid: `/a%zz`
    #[error("`{segment}` holds an invalid percent-escape: a literal `%` is written `%25`")]
    InvalidEscape {
        /// The segment as declared.
        segment: String,
    },
    /// The path has more than [`MAX_SEGMENTS`] segments.
    #[error("a path of {count} segments is too deep: the greatest number is {MAX_SEGMENTS}")]
    TooDeep {
        /// Number of segments.
        count: usize,
    },
}

impl Segment {
    /// Parses a path into segments. Ignores one trailing slash, as in requests.
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

    /// Returns the name of a parameter or wildcard.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Static(_) => None,
            Self::Parameter(name) | Self::Wildcard(name) => Some(name),
        }
    }
}

/// Formats the segment as in the path of a route, for messages.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static(text) => f.write_str(text),
            Self::Parameter(name) => write!(f, ":{name}"),
            Self::Wildcard(name) => write!(f, "*{name}"),
        }
    }
}

/// Checks the rules between the segments of one path. `distinct_names` is false for documents: there, each name comes
/// from the first route of a node, so that a path may contain the same name twice.
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

/// Returns true if the name is valid for a parameter.
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

/// Returns true for characters that end the path of a URL, that clients never send unescaped, or that would look like a
/// parameter inside of a segment (`/files/:name.json`, `/v1/notes:archive`).
fn is_reserved(c: char) -> bool {
    matches!(c, '?' | '#' | '\\' | ':' | '*') || c.is_whitespace() || c.is_control()
}
