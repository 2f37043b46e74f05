//! Forms of bodies on the wire: JSON, forms, text, bytes, lines and events.

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation};

/// Form of the body of a request or of a response on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum BodyFormat {
    /// JSON. The slot has the type of the value.
    #[default]
    Json,
    /// `application/x-www-form-urlencoded`, from `Form<T>`. The slot has an object type whose properties are
    /// read from text, as in a query. Only in requests.
    Form,
    /// `multipart/form-data`, from `Multipart<T>`. The slot has an object type with all properties of `T` but
    /// the files, or no type if all properties are files. Only in requests.
    #[serde(rename_all = "camelCase")]
    Multipart {
        /// Properties of `T` that are files, in the order of the source.
        files: Vec<FilePart>,
    },
    /// Bytes of a request, unchanged, from `Raw<MediaType>`. The slot has no type. Only in requests.
    #[serde(rename_all = "camelCase")]
    Raw {
        /// Media types or ranges that the request may have, such as `application/json` and `image/*`.
        media_types: Vec<String>,
    },
    /// Bytes of a request, unchanged, which the handler reads while they arrive, from `Chunks<MediaType>`. The slot has no
    /// type. Only in requests.
    #[serde(rename_all = "camelCase")]
    Chunks {
        /// Media types or ranges that the request may have, such as `video/*`.
        media_types: Vec<String>,
    },
    /// UTF-8 text, from `Text<MediaType>`. The slot has no type.
    #[serde(rename_all = "camelCase")]
    Text {
        /// Media types or ranges that a request may have, or the only media type of a response.
        media_types: Vec<String>,
    },
    /// Bytes, from `Bytes<MediaType>` or `Download<MediaType>`. The slot has no type.
    #[serde(rename_all = "camelCase")]
    Bytes {
        /// Media types or ranges that a request may have, or the only media type of a response.
        media_types: Vec<String>,
        /// True for `Download`: the server knows the number of bytes and sends the ranges that clients ask for. Only as the
        /// whole response of a GET route, with the status 200.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ranges: bool,
    },
    /// JSON Lines (`application/jsonl`), from `Lines<T>`. The slot has the type of one line.
    Lines,
    /// Messages of a WebSocket, from `Socket<{ in; out }>`. The slot has the type of one JSON message: the body of messages
    /// that the server receives, the response of messages that it sends. The slot has no type if no message is JSON. Only
    /// routes with the key `WS …` have this format, for request and response.
    #[serde(rename_all = "camelCase")]
    Socket {
        /// True if text messages are plain text, from `Text`. The slot then has no type, because JSON is text too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        text: bool,
        /// True if messages may be binary, from `Bytes`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bytes: bool,
    },
    /// Server-Sent Events (`text/event-stream`), from `Events<T>`. The slot has no type. Only in responses.
    #[serde(rename_all = "camelCase")]
    Events {
        /// Events by name, in the order of the source.
        events: Vec<DeclaredEvent>,
    },
    /// One of several formats, from a union such as `Json<T> | Text<"text/csv">`. The slot has no type. The content type of
    /// a request or the header `accept` chooses the format.
    #[serde(rename_all = "camelCase")]
    OneOf {
        /// Formats with distinct media types, in the order of the source. None of them is a union, a body that the handler
        /// reads while the body arrives, or a socket.
        choices: Vec<FormatChoice>,
    },
}

impl BodyFormat {
    /// Messages of a WebSocket that are all JSON.
    pub const JSON_SOCKET: Self = Self::Socket {
        text: false,
        bytes: false,
    };

    /// Returns true for the messages of a WebSocket.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert!(BodyFormat::JSON_SOCKET.is_socket());
    /// assert!(!BodyFormat::Json.is_socket());
    /// ```
    pub fn is_socket(&self) -> bool {
        matches!(self, Self::Socket { .. })
    }

    /// Returns true for a response of which clients can ask for ranges, from `Download<MediaType>`.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// let download = BodyFormat::Bytes { media_types: vec!["video/mp4".to_owned()], ranges: true };
    /// assert!(download.is_download());
    /// assert!(!BodyFormat::Lines.is_download());
    /// ```
    pub fn is_download(&self) -> bool {
        matches!(self, Self::Bytes { ranges: true, .. })
    }

    /// Returns the kinds of the messages of a WebSocket: `json`, `text` and `bytes`. `body` is the type of the slot. Returns
    /// `None` if all messages are JSON, and for other formats.
    ///
    /// ```
    /// use kit_ir::{BodyFormat, DeclarationId};
    ///
    /// let format = BodyFormat::Socket { text: false, bytes: true };
    /// assert_eq!(format.message_kinds(Some(DeclarationId(0))), Some(vec!["json", "bytes"]));
    /// assert_eq!(format.message_kinds(None), Some(vec!["bytes"]));
    /// assert_eq!(BodyFormat::JSON_SOCKET.message_kinds(Some(DeclarationId(0))), None);
    /// ```
    pub fn message_kinds(&self, body: Option<DeclarationId>) -> Option<Vec<&'static str>> {
        let Self::Socket { text, bytes } = *self else {
            return None;
        };
        let kinds = [("json", body.is_some()), ("text", text), ("bytes", bytes)];
        let kinds = kinds
            .into_iter()
            .filter_map(|(name, is_there)| is_there.then_some(name));
        (text || bytes).then(|| kinds.collect())
    }

    /// Returns the events of a stream of events, also in a union of formats. Returns `None` for any other format.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert_eq!(BodyFormat::Events { events: vec![] }.events(), Some(&[][..]));
    /// assert_eq!(BodyFormat::Json.events(), None);
    /// ```
    pub fn events(&self) -> Option<&[DeclaredEvent]> {
        match self {
            Self::Events { events } => Some(events),
            Self::OneOf { choices } => choices.iter().find_map(|choice| choice.format.events()),
            _ => None,
        }
    }

    /// Returns true for JSON, the format of a slot with a plain type.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert!(BodyFormat::default().is_json());
    /// assert!(!BodyFormat::Lines.is_json());
    /// ```
    pub fn is_json(&self) -> bool {
        *self == Self::Json
    }

    /// Returns true if a body of this format exists without a type of the slot.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert!(BodyFormat::Multipart { files: Vec::new() }.exists_without_type());
    /// assert!(!BodyFormat::Form.exists_without_type());
    /// ```
    pub fn exists_without_type(&self) -> bool {
        !matches!(self, Self::Json | Self::Form | Self::Lines) && *self != Self::JSON_SOCKET
    }

    /// Returns true if properties of the slot's type are read from text: in forms and in multipart bodies.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert!(BodyFormat::Form.is_text());
    /// assert!(!BodyFormat::Json.is_text());
    /// ```
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Form | Self::Multipart { .. })
    }

    /// Returns the name of the type in a contract, such as `Multipart`; `Json` for a plain type.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert_eq!(BodyFormat::Form.name(), "Form");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Self::Json => "Json",
            Self::Form => "Form",
            Self::Multipart { .. } => "Multipart",
            Self::Raw { .. } => "Raw",
            Self::Chunks { .. } => "Chunks",
            Self::Text { .. } => "Text",
            Self::Bytes { ranges: true, .. } => "Download",
            Self::Bytes { .. } => "Bytes",
            Self::Lines => "Lines",
            Self::Socket { .. } => "Socket",
            Self::Events { .. } => "Events",
            Self::OneOf { .. } => "OneOf",
        }
    }

    /// Returns the names of the types in a contract: `Json | Text` for a union of formats.
    ///
    /// ```
    /// use kit_ir::{BodyFormat, FormatChoice};
    ///
    /// let choices = [BodyFormat::Json, BodyFormat::Lines].map(|format| FormatChoice { format, body: None });
    /// let union = BodyFormat::OneOf { choices: choices.into() };
    /// assert_eq!(union.names(), "Json | Lines");
    /// ```
    pub fn names(&self) -> String {
        let choices = self.choices(None);
        let names: Vec<_> = choices.iter().map(|choice| choice.format.name()).collect();
        names.join(" | ")
    }

    /// Returns the formats that a body may have: the formats of a union with their types, or this format with the
    /// type `body`.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert_eq!(BodyFormat::Lines.choices(None)[0].format, BodyFormat::Lines);
    /// ```
    pub fn choices(&self, body: Option<DeclarationId>) -> Vec<FormatChoice> {
        match self {
            Self::OneOf { choices } => choices.clone(),
            format => vec![FormatChoice {
                format: format.clone(),
                body,
            }],
        }
    }

    /// Returns true for a union of formats.
    pub fn is_union(&self) -> bool {
        matches!(self, Self::OneOf { .. })
    }

    /// Returns the media types of bodies with this format, without parameters. Media types of a request may be
    /// ranges, such as `image/*`.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert_eq!(BodyFormat::Lines.media_types(), ["application/jsonl"]);
    /// ```
    pub fn media_types(&self) -> Vec<&str> {
        match self {
            // Messages of WebSockets have no media type.
            Self::Json | Self::Socket { .. } => vec!["application/json"],
            Self::Form => vec!["application/x-www-form-urlencoded"],
            Self::Multipart { .. } => vec!["multipart/form-data"],
            Self::Raw { media_types }
            | Self::Chunks { media_types }
            | Self::Text { media_types }
            | Self::Bytes { media_types, .. } => media_types.iter().map(String::as_str).collect(),
            Self::Lines => vec!["application/jsonl"],
            Self::Events { .. } => vec!["text/event-stream"],
            Self::OneOf { choices } => choices
                .iter()
                .flat_map(|choice| choice.format.media_types())
                .collect(),
        }
    }

    /// Returns the files that the handler reads while they arrive, from `Upload` or `Uploads`; `None` if there are none.
    pub fn upload(&self) -> Option<&FilePart> {
        match self {
            Self::Multipart { files } => files.iter().find(|file| file.streamed),
            _ => None,
        }
    }

    /// Returns true if the handler reads the body of a request while the body arrives.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert!(BodyFormat::Lines.is_streamed());
    /// assert!(!BodyFormat::Json.is_streamed());
    /// ```
    pub fn is_streamed(&self) -> bool {
        matches!(self, Self::Lines | Self::Chunks { .. }) || self.upload().is_some()
    }

    /// Returns the media types or ranges that a server accepts in requests: the results of [`Self::media_types`],
    /// and for JSON Lines, which has no registered type, the other names that clients use.
    ///
    /// ```
    /// use kit_ir::BodyFormat;
    ///
    /// assert_eq!(BodyFormat::Form.accepted_media_types(), BodyFormat::Form.media_types());
    /// assert!(BodyFormat::Lines.accepted_media_types().contains(&"application/x-ndjson"));
    /// ```
    pub fn accepted_media_types(&self) -> Vec<&str> {
        let mut types = self.media_types();
        if *self == Self::Lines {
            types.extend(["application/x-ndjson", "application/x-jsonlines"]);
        }
        types
    }

    /// Returns the types that the format itself contains: data of events, and bodies of a union of formats. Empty for other
    /// formats, because the slot has their type.
    pub fn inner_types(&self) -> Vec<DeclarationId> {
        match self {
            Self::Events { events } => events.iter().filter_map(|event| event.data).collect(),
            Self::OneOf { choices } => choices
                .iter()
                .flat_map(|choice| choice.body.into_iter().chain(choice.format.inner_types()))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the types of [`Self::inner_types`], to set them.
    pub fn inner_types_mut(&mut self) -> Vec<&mut DeclarationId> {
        match self {
            Self::Events { events } => events
                .iter_mut()
                .filter_map(|event| event.data.as_mut())
                .collect(),
            Self::OneOf { choices } => choices
                .iter_mut()
                .flat_map(|choice| choice.body.iter_mut().chain(choice.format.inner_types_mut()))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// A member of a union of formats.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormatChoice {
    /// Format of the body.
    pub format: BodyFormat,
    /// Type of the body, as in a slot with the format; `None` if the format has no type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<DeclarationId>,
}

/// A property of `Multipart<T>` with the type `File`, `File[]`, `Upload` or `Uploads`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilePart {
    /// Name of the property and of the part.
    pub name: String,
    /// True if the property may be absent (`?`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// True for `File[]` and `Uploads`: the body may have several parts with this name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub many: bool,
    /// True for `Upload` and `Uploads`: the handler reads the files while they arrive, after all other parts. At
    /// most one part of a body.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub streamed: bool,
    /// Minimum number of files, from `@minItems`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// Maximum number of files, from `@maxItems`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// Maximum size of each file in bytes, from `@maxBytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Media types or ranges that the file may have, from `@mime`; empty if the file may have any type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media_types: Vec<String>,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
}

impl FilePart {
    /// Returns the type of the property in the contract, such as `File[]`.
    pub fn type_name(&self) -> &'static str {
        match (self.streamed, self.many) {
            (false, false) => "File",
            (false, true) => "File[]",
            (true, false) => "Upload",
            (true, true) => "Uploads",
        }
    }
}

/// An event of `Events<T>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredEvent {
    /// Name of the event, which the field `event` has on the wire.
    pub name: String,
    /// Type of the data, which is JSON on the wire; `None` for `void`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DeclarationId>,
}
