//! Parser of doc comments: separates the text from the tags.

use oxc_span::Span;

use super::tags::{Style, TagName};
use crate::modules::{Location, ModuleId};

/// Content of a doc comment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Doc {
    /// Text outside of tags, as Markdown.
    pub(crate) text: Option<String>,
    /// Tags of kit in the comment, in order.
    pub(crate) tags: Vec<Tag>,
    /// Tags that look like misspelt tags of kit.
    pub(crate) misspelt: Vec<MisspeltTag>,
}

/// A tag of kit with its argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: TagName,
    /// Argument without surrounding whitespace; empty if the tag has no argument.
    pub(crate) argument: String,
    /// Location of the tag: its name, and its argument on the same line.
    pub(crate) location: Location,
    /// True if the comment belongs to a type in a placeholder of a template literal type. Rules are an error
    /// there, because no validator checks a part of a string.
    pub(crate) in_template: bool,
}

/// A tag that looks like a misspelt tag of kit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MisspeltTag {
    pub(crate) written: String,
    pub(crate) meant: TagName,
    pub(crate) location: Location,
}

/// Part of the comment to which the text of the current line belongs.
enum Destination {
    Description,
    /// Argument of the last tag.
    Tag(Style),
    /// Argument of a tag that kit ignores, because the tag belongs to another tool.
    Ignored,
}

impl Doc {
    /// Returns true if the comment has a tag with the given name.
    pub(crate) fn has(&self, name: TagName) -> bool {
        self.tags.iter().any(|tag| tag.name == name)
    }

    /// Returns true if a tag defines a rule for the type, such as `@maxLength 10`.
    pub(crate) fn limits(&self) -> bool {
        self.tags.iter().any(|tag| tag.name.is_constraint())
    }

    /// Returns the tags with the given name.
    pub(crate) fn all(&self, name: TagName) -> impl Iterator<Item = &Tag> {
        self.tags.iter().filter(move |tag| tag.name == name)
    }

    /// Parses the comment at `span`, which starts with `/**`.
    pub(crate) fn parse(module: ModuleId, text: &str, span: Span) -> Self {
        let (start, end) = (span.start as usize + 3, (span.end as usize).saturating_sub(2));
        let Some(body) = text.get(start..end) else {
            return Self::default();
        };
        let mut doc = Self::default();
        let mut description = String::new();
        let mut sink = Destination::Description;
        let mut offset = start;
        for line in body.split_inclusive('\n') {
            let content = line.trim_end();
            let mut indent = content.len() - content.trim_start().len();
            if let Some(rest) = content[indent..].strip_prefix('*') {
                indent += 1 + usize::from(rest.starts_with(' '));
            }
            let content = content.get(indent..).unwrap_or_default();
            sink = doc.line(module, content, offset + indent, sink, &mut description);
            offset += line.len();
        }
        for tag in &mut doc.tags {
            tag.argument = tag.argument.trim().to_owned();
        }
        let description = description.trim();
        doc.text = (!description.is_empty()).then(|| description.to_owned());
        doc
    }

    /// Reads one line of the comment. Returns the part of the comment to which the next line belongs.
    fn line(
        &mut self,
        module: ModuleId,
        line: &str,
        offset: usize,
        mut sink: Destination,
        description: &mut String,
    ) -> Destination {
        let location = |from: usize, to: usize| {
            let at = |index: usize| u32::try_from(offset + index).unwrap_or(u32::MAX);
            Location {
                module,
                span: Span::new(at(from), at(to)),
            }
        };
        let mut rest = 0;
        while let Some(found) = next_tag(line, rest, matches!(sink, Destination::Tag(Style::Block))) {
            self.write(&sink, &line[rest..found.at], description);
            let name = &line[found.at + 1..found.end];
            let behind = &line[found.end..];
            let mut known = TagName::from_name(name).or_else(|| TagName::number_type(name, behind));
            if let Some([least, greatest]) = TagName::exact_number(name, behind) {
                self.tags.push(Tag {
                    name: least,
                    argument: behind.trim().to_owned(),
                    location: location(found.at, line.trim_end().len()),
                    in_template: false,
                });
                known = Some(greatest);
            }
            if let Some(known) = known {
                let stop = next_tag(line, found.end, known.style() == Style::Block)
                    .map_or(line.len(), |next| next.at);
                let stop = found.end + line[found.end..stop].trim_end().len();
                self.tags.push(Tag {
                    name: known,
                    argument: String::new(),
                    location: location(found.at, stop),
                    in_template: false,
                });
                sink = Destination::Tag(known.style());
            } else {
                if let Some(meant) = TagName::meant_by(name) {
                    let location = location(found.at, found.end);
                    self.misspelt.push(MisspeltTag {
                        written: name.to_owned(),
                        meant,
                        location,
                    });
                }
                sink = Destination::Ignored;
            }
            rest = found.end;
        }
        let remainder = &line[rest..];
        self.write(&sink, remainder, description);
        self.write(&sink, "\n", description);
        match sink {
            Destination::Tag(Style::Line) => Destination::Description,
            Destination::Tag(Style::Paragraph) | Destination::Ignored if line.trim().is_empty() => {
                Destination::Description
            }
            sink => sink,
        }
    }

    fn write(&mut self, sink: &Destination, text: &str, description: &mut String) {
        match sink {
            Destination::Description => description.push_str(text),
            Destination::Tag(_) => {
                if let Some(tag) = self.tags.last_mut() {
                    tag.argument.push_str(text);
                }
            }
            Destination::Ignored => {}
        }
    }
}

struct TagPosition {
    /// Offset of the `@` in the line.
    at: usize,
    /// Offset after the name in the line.
    end: usize,
}

/// Returns the position of the next tag in a line. At the start of a line, every tag counts. Inside of a
/// line, only tags of kit and misspelt tags of kit count, because texts often contain `@`. If `block` is
/// true, only the start of the line can have a tag.
fn next_tag(line: &str, from: usize, block: bool) -> Option<TagPosition> {
    for (index, _) in line[from..].match_indices('@') {
        let at = from + index;
        let before = &line[..at];
        let first = before.trim().is_empty();
        if !first && (block || !before.ends_with(char::is_whitespace)) {
            continue;
        }
        let length = line[at + 1..]
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '-')
            .unwrap_or(line.len() - at - 1);
        let (name, end) = (&line[at + 1..at + 1 + length], at + 1 + length);
        let ends = line[end..]
            .chars()
            .next()
            .is_none_or(|next| next.is_whitespace() || next == '*');
        if name.is_empty() || !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            continue;
        }
        let known = TagName::from_name(name).is_some()
            || TagName::exact_number(name, &line[end..]).is_some()
            || TagName::meant_by(name).is_some();
        if first || (known && ends) {
            return Some(TagPosition { at, end });
        }
    }
    None
}
