//! Types of kit that describe routes: contracts, replies, failures, bodies and middleware.

use std::rc::Rc;

use kit_diagnostics::codes;
use kit_ir::Slot;

use super::types::{Element, Function, Generic};
use super::{Evaluator, KeyKind, Object, Property, Ty, TyId};
use crate::known_types::argument_count;
use crate::modules::Location;

/// Name of the type of callers in `@kit/types`.
pub(super) const AUTH_TYPE: &str = "Auth";

/// Types of kit that describe routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KitType {
    /// Contract whose slots are type arguments: `RouteContract<Params, Query, Body, Response>`.
    RouteContract,
    /// Contract whose slots are the properties of an object type: `Route<{ body: NewOrder }>`.
    Route,
    /// Response of one status: `Reply<status, Body, Headers>`.
    Reply,
    /// Error response: `Failure<status, Code, Details>`.
    Failure,
    /// JSON body: `Json<Order>`, equal to the plain type.
    Json,
    /// Body `application/x-www-form-urlencoded`: `Form<Fields>`.
    Form,
    /// Body `multipart/form-data`: `Multipart<Parts>`.
    Multipart,
    /// Unchanged bytes of a request: `Raw<"application/json">`.
    Raw,
    /// Unchanged bytes of a request that the handler reads while they arrive: `Chunks<"video/mp4">`.
    Chunks,
    /// Body of UTF-8 text: `Text<"text/csv">`.
    Text,
    /// Body of bytes: `Bytes<"image/png">`.
    Bytes,
    /// Bytes of a response with ranges: `Download<"application/pdf">`.
    Download,
    /// Body of JSON Lines: `Lines<Line>`.
    Lines,
    /// Body of Server-Sent Events: `Events<{ progress: Progress }>`.
    Events,
    /// File of a multipart body that the handler reads while the file arrives.
    Upload,
    /// Several of these with one name.
    Uploads,
    /// Messages of a WebSocket: `Socket<{ in: ClientMessage; out: ServerMessage }>`.
    Socket,
    /// Scopes that a caller must have: `Scopes<"orders:write">`.
    Scopes,
    /// Middleware around the rest of a request: `Wrapper<{ adds: …; replies: …; errors: … }>`.
    Wrapper,
    /// Middleware with the properties that it adds to `ctx`: `Middleware<Added>`.
    Middleware,
}

impl KitType {
    const ALL: [Self; 20] = [
        Self::RouteContract,
        Self::Route,
        Self::Reply,
        Self::Failure,
        Self::Json,
        Self::Form,
        Self::Multipart,
        Self::Raw,
        Self::Chunks,
        Self::Text,
        Self::Bytes,
        Self::Download,
        Self::Lines,
        Self::Events,
        Self::Upload,
        Self::Uploads,
        Self::Socket,
        Self::Scopes,
        Self::Wrapper,
        Self::Middleware,
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        // The type of any middleware is the type of a middleware that adds nothing known.
        if name == "AnyMiddleware" {
            return Some(Self::Middleware);
        }
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::RouteContract => "RouteContract",
            Self::Route => "Route",
            Self::Reply => "Reply",
            Self::Failure => "Failure",
            Self::Json => "Json",
            Self::Form => "Form",
            Self::Multipart => "Multipart",
            Self::Raw => "Raw",
            Self::Chunks => "Chunks",
            Self::Text => "Text",
            Self::Bytes => "Bytes",
            Self::Download => "Download",
            Self::Lines => "Lines",
            Self::Events => "Events",
            Self::Upload => "Upload",
            Self::Uploads => "Uploads",
            Self::Socket => "Socket",
            Self::Scopes => "Scopes",
            Self::Wrapper => "Wrapper",
            Self::Middleware => "Middleware",
        }
    }

    /// Returns the type as documentation writes it: `Reply<status, Body, Headers>`.
    fn form(self) -> &'static str {
        match self {
            Self::RouteContract => "RouteContract<Params, Query, Body, Response>",
            Self::Route => "Route<{ query: Query; body: Body; response: Response }>",
            Self::Reply => "Reply<201, Body, Headers>",
            Self::Failure => "Failure<409, \"CODE\", Details>",
            Self::Json => "Json<Order>",
            Self::Form => "Form<Fields>",
            Self::Multipart => "Multipart<{ title: string; photo: File }>",
            Self::Raw => "Raw<\"application/json\">",
            Self::Chunks => "Chunks<\"video/mp4\">",
            Self::Text => "Text<\"text/csv\">",
            Self::Bytes => "Bytes<\"image/png\">",
            Self::Download => "Download<\"application/pdf\">",
            Self::Lines => "Lines<Line>",
            Self::Events => "Events<{ progress: Progress; done: Result }>",
            Self::Upload => "Upload",
            Self::Uploads => "Uploads",
            Self::Socket => "Socket<{ in: ClientMessage; out: ServerMessage }>",
            Self::Scopes => "Scopes<\"orders:write\">",
            Self::Wrapper => "Wrapper<{ adds: Added; replies: Reply<304> }>",
            Self::Middleware => "Middleware<Added>",
        }
    }

    /// Returns true for the form of a body, such as `Form`.
    pub(crate) fn is_body(self) -> bool {
        !matches!(
            self,
            Self::RouteContract
                | Self::Route
                | Self::Reply
                | Self::Failure
                | Self::Upload
                | Self::Uploads
                | Self::Socket
                | Self::Scopes
                | Self::Wrapper
                | Self::Middleware
        )
    }

    /// Returns the minimum and the maximum number of type arguments.
    fn arguments(self) -> (usize, usize) {
        match self {
            Self::RouteContract => (0, 4),
            Self::Upload | Self::Uploads => (0, 0),
            Self::Reply => (1, 3),
            Self::Failure => (2, 3),
            Self::Raw
            | Self::Chunks
            | Self::Text
            | Self::Bytes
            | Self::Download
            | Self::Wrapper
            | Self::Middleware => (0, 1),
            Self::Route
            | Self::Json
            | Self::Form
            | Self::Multipart
            | Self::Lines
            | Self::Events
            | Self::Socket
            | Self::Scopes => (1, 1),
        }
    }
}

/// Name of the slot with the failures of a contract. The slot has no values, so it is not a [`Slot`].
pub(crate) const ERRORS: &str = "errors";

/// Name of the slot with the messages of a WebSocket. In the IR, the messages are the body and the response, so the slot is
/// not a [`Slot`].
pub(crate) const SOCKET: &str = "socket";

/// Name of the slot with the scopes that a caller must have. The slot has no values, so it is not a [`Slot`].
pub(crate) const AUTH: &str = "auth";

/// Names of the slots of a contract that are not a [`Slot`].
pub(crate) const OTHER_SLOTS: [&str; 3] = [SOCKET, ERRORS, AUTH];

impl Evaluator<'_> {
    /// Evaluates a type of kit that describes routes. Omitted type arguments of a contract are `void`.
    pub(super) fn kit_type(&mut self, kind: KitType, mut arguments: Vec<TyId>, location: Location) -> TyId {
        let (least, most) = kind.arguments();
        if !(least..=most).contains(&arguments.len()) {
            let takes = match (least, most) {
                (0, 0) => "no type arguments".to_owned(),
                (0, most) => format!("at most {}", argument_count(most)),
                (least, most) if least == most => argument_count(most),
                (least, most) => format!("{least} to {}", argument_count(most)),
            };
            let message = format!("`{}` takes {takes}, not {}", kind.name(), arguments.len());
            let help = format!("write `{}`", kind.form());
            return self.reject(codes::WRONG_TYPE_ARGUMENTS, location, message, &help);
        }
        if kind == KitType::RouteContract {
            let void = self.store.add(Ty::Undefined);
            arguments.resize(most, void);
        }
        self.store.add(Ty::Kit(kind, arguments.into()))
    }

    /// Returns the type arguments of a type of kit; `None` for any other type.
    pub(crate) fn kit_type_arguments(&self, shape: TyId, wanted: KitType) -> Option<Rc<[TyId]>> {
        match self.store.get(shape) {
            Ty::Kit(kind, arguments) if *kind == wanted => Some(Rc::clone(arguments)),
            _ => None,
        }
    }

    /// Returns the object type that TypeScript sees for a type of kit such as `Reply`. Returns any other type
    /// unchanged.
    pub(super) fn without_kit_type(&mut self, shape: TyId) -> TyId {
        let Ty::Kit(kind, arguments) = self.store.get(shape).clone() else {
            return shape;
        };
        let void = self.store.add(Ty::Undefined);
        let argument = |index: usize| arguments.get(index).copied().unwrap_or(void);
        let slots = || Slot::ALL.iter().map(|slot| slot.name()).chain(OTHER_SLOTS);
        let members: Vec<(&str, TyId)> = match kind {
            KitType::RouteContract => {
                let position = |name: &str| Slot::POSITIONAL.iter().position(|slot| slot.name() == name);
                slots()
                    .map(|name| (name, position(name).map_or(void, argument)))
                    .collect()
            }
            KitType::Route => {
                let declared = self.as_object(argument(0));
                let declared = declared.as_deref();
                let of_slot = |name: &str| {
                    declared.and_then(|object| object.property(name).map(|property| property.ty))
                };
                slots()
                    .map(|name| (name, of_slot(name).unwrap_or(void)))
                    .collect()
            }
            KitType::Reply => {
                let headers = match arguments.get(2) {
                    Some(headers) => *headers,
                    None => self.store.object(Object::default()),
                };
                vec![
                    ("status", argument(0)),
                    ("body", argument(1)),
                    ("headers", headers),
                ]
            }
            KitType::Failure => {
                vec![
                    ("status", argument(0)),
                    ("code", argument(1)),
                    ("details", argument(2)),
                ]
            }
            KitType::Raw | KitType::Chunks | KitType::Text | KitType::Bytes | KitType::Download => {
                vec![("mediaType", argument(0))]
            }
            KitType::Json
            | KitType::Form
            | KitType::Multipart
            | KitType::Lines
            | KitType::Events
            | KitType::Socket => {
                vec![("content", argument(0))]
            }
            KitType::Scopes => vec![("names", argument(0))],
            KitType::Upload => {
                let text = self.store.add(Ty::String);
                vec![("name", text), ("type", text)]
            }
            KitType::Uploads | KitType::Wrapper | KitType::Middleware => Vec::new(),
        };
        let mut object = Object {
            nominal: true,
            ..Object::default()
        };
        object.properties = members
            .into_iter()
            .map(|(name, ty)| self.kit_property(name.into(), KeyKind::Text, ty))
            .collect();
        // These types have a property with a symbol, so that no other object is assignable to them.
        if !matches!(kind, KitType::Route | KitType::RouteContract) {
            let name = format!("\0kit {}", kind.name());
            let mark = self.kit_property(name.into(), KeyKind::Symbol, void);
            object.properties.push(mark);
        }
        self.store.object(object)
    }

    /// Returns the object type of `Auth<…>`: its function `has`. Callers that middleware adds extend this type, and
    /// `@owner` may name their other properties.
    pub(super) fn auth_type(&mut self, scope: Option<TyId>) -> TyId {
        let parameter = scope.unwrap_or_else(|| self.store.add(Ty::String));
        let result = self.store.add(Ty::Boolean);
        let has = self.store.object(Object {
            calls: vec![Function {
                this: None,
                parameters: vec![Element::plain(parameter)].into(),
                result,
                generic: Generic::default(),
                method: false,
                is_abstract: false,
            }],
            ..Object::default()
        });
        let property = self.kit_property("has".into(), KeyKind::Text, has);
        self.store.object(Object {
            properties: vec![property],
            nominal: true,
            ..Object::default()
        })
    }

    fn kit_property(&self, name: Rc<str>, key: KeyKind, ty: TyId) -> Property {
        Property::plain(name, key, ty, self.current_location())
    }
}
