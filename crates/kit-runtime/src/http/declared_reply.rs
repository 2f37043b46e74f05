//! Responses of contracts that declare replies: each reply has its own status, body and headers.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::response::check;
use super::{Context, Error, Phase, Response};
use crate::json::{Json, member_step, number_text, parse, to_text};
use crate::{Contract, is_development};

/// A reply that a contract declares, before its body is added.
///
/// ```
/// use kit_runtime::{Context, Contract, Error, Response, StatusCode};
///
/// fn created<Head: Contract, Order: Contract>(
///     context: &Context,
///     head: &Head,
///     order: &Order,
/// ) -> Result<Response, Error> {
///     Response::declared(context, StatusCode::CREATED)?.headers(head)?.json(order)
/// }
///
/// fn refused_by_wrapper(context: &Context) -> Response {
///     Response::of_wrapper(context, "quota", StatusCode::TOO_MANY_REQUESTS).empty()
/// }
/// ```
#[derive(Debug)]
pub struct DeclaredReply<'c> {
    pub(super) context: &'c Context,
    pub(super) status: StatusCode,
    headers: HeaderMap,
    /// Name of the wrapper that replies; `None` for the handler.
    wrapper: Option<&'static str>,
}

impl Response {
    /// Begins a reply that the contract declares.
    ///
    /// # Errors
    ///
    /// 500 if the handler has called [`Context::set_status`], because the reply has its own status.
    pub fn declared(context: &Context, status: StatusCode) -> Result<DeclaredReply<'_>, Error> {
        context.enter(Phase::Serialization);
        if context.status().is_some() {
            return Err(Error::internal(format!(
                "The handler of {} called `set_status`, but its contract declares replies: the reply that the handler \
                 returns has the status",
                context.route().unwrap_or_default()
            )));
        }
        Ok(DeclaredReply {
            context,
            status,
            headers: HeaderMap::new(),
            wrapper: None,
        })
    }

    /// Begins a reply that the wrapper `name` declares.
    pub fn of_wrapper<'c>(context: &'c Context, name: &'static str, status: StatusCode) -> DeclaredReply<'c> {
        context.enter(Phase::Serialization);
        DeclaredReply {
            context,
            status,
            headers: HeaderMap::new(),
            wrapper: Some(name),
        }
    }
}

impl DeclaredReply<'_> {
    /// Adds the headers that the reply declares. In development, the headers are first checked against the
    /// contract.
    ///
    /// # Errors
    ///
    /// 500 if a value cannot be sent, such as a string with a line break, or, in development, if the headers do not fit
    /// the contract.
    pub fn headers<T: Contract>(mut self, headers: &T) -> Result<Self, Error> {
        let text = to_text(headers)?;
        if is_development() {
            let found = format!(
                "a reply {} with headers that are not a valid",
                self.status.as_u16()
            );
            check::<T>(self.context, self.wrapper, &text, &found)?;
        }
        if let Ok(Json::Object(members)) = parse(&text) {
            for (name, value) in members {
                self.add(&name, value).map_err(|reason| {
                    Error::internal(format!("{} cannot be written as headers: {reason}", T::NAME))
                })?;
            }
        }
        Ok(self)
    }

    /// Adds a header to the reply. Fails with the reason if the header cannot be sent. A list becomes one
    /// line with commas. Only a list of `set-cookie` becomes one line per item, because cookies may contain
    /// commas.
    fn add(&mut self, name: &str, value: Json) -> Result<(), String> {
        // `kit build` refuses names that no header can have.
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|error| error.to_string())?;
        match value {
            Json::Null => {}
            Json::Array(items) if key == header::SET_COOKIE => {
                for item in items {
                    self.headers.append(&key, header_value(name, &text_of(item))?);
                }
            }
            Json::Array(items) => {
                let items: Vec<String> = items.into_iter().map(text_of).collect();
                self.headers.insert(key, header_value(name, &items.join(", "))?);
            }
            value => {
                self.headers.insert(key, header_value(name, &text_of(value))?);
            }
        }
        Ok(())
    }

    /// Completes the reply with a value as JSON. In development, the value is first checked against its contract.
    ///
    /// # Errors
    ///
    /// 500 if the value has no JSON form, or, in development, if it does not fit its contract.
    pub fn json<T: Contract>(self, value: &T) -> Result<Response, Error> {
        let text = to_text(value)?;
        if is_development() {
            let found = format!("a reply {} with a body that is not a valid", self.status.as_u16());
            check::<T>(self.context, self.wrapper, &text, &found)?;
        }
        let mut response = axum::response::Response::new(Body::from(text));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        Ok(self.complete(response))
    }

    /// Completes the reply without a body.
    pub fn empty(self) -> Response {
        let response = axum::response::Response::new(Body::empty());
        self.complete(response)
    }

    /// Adds the status and the headers to the response: the headers of [`Context::set_header`], then the
    /// headers that the reply declares. Cookies of the two are all sent.
    pub(super) fn complete(self, mut response: axum::response::Response) -> Response {
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.extend(std::mem::take(&mut *self.context.answer_headers()));
        let mut cookies = Vec::new();
        if self.headers.contains_key(header::SET_COOKIE) {
            cookies.extend(headers.get_all(header::SET_COOKIE).iter().cloned());
        }
        let declared: Vec<_> = self.headers.get_all(header::SET_COOKIE).iter().cloned().collect();
        headers.extend(self.headers);
        if !cookies.is_empty() {
            headers.remove(header::SET_COOKIE);
            for cookie in cookies.into_iter().chain(declared) {
                headers.append(header::SET_COOKIE, cookie);
            }
        }
        Response(response)
    }
}

/// Returns the value of a header, or the reason why it cannot be sent. Its characters are written as Latin-1, as all
/// servers of kit do.
fn header_value(name: &str, text: &str) -> Result<HeaderValue, String> {
    let is_allowed = |character: &char| matches!(character, '\t' | ' '..='~' | '\u{80}'..='\u{ff}');
    if let Some(refused) = text.chars().find(|character| !is_allowed(character)) {
        return Err(format!(
            "${} has the character U+{:04X}, which a header cannot contain",
            member_step(name),
            u32::from(refused)
        ));
    }
    let bytes: Vec<u8> = text
        .chars()
        .filter_map(|character| u8::try_from(character).ok())
        .collect();
    HeaderValue::from_bytes(&bytes).map_err(|error| error.to_string())
}

/// Returns the text of a header's value: a string unchanged, any other value as JSON.
fn text_of(value: Json) -> String {
    match value {
        Json::String(text) => text,
        Json::Number(number) => number_text(number),
        Json::Bool(value) => value.to_string(),
        // `kit build` refuses headers of other types.
        Json::Null | Json::Array(_) | Json::Object(_) | Json::TooDeep => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue, StatusCode};
    use serde::{Deserialize, Serialize};

    use crate::shape::{Property, Shape};
    use crate::{Context, Contract, Response};

    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "kebab-case")]
    struct Head {
        location: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_count: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_more: Option<bool>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        vary: Vec<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        set_cookie: Vec<String>,
    }

    impl Contract for Head {
        const NAME: &'static str = "Head";

        fn shape() -> &'static Shape {
            static SHAPE: Shape = Shape::object("Head", &[Property::required("location", Shape::TEXT)]);
            &SHAPE
        }
    }

    fn context() -> Context {
        let request = axum::http::Request::builder().uri("/orders");
        Context::new(request.body(()).unwrap().into_parts().0, None)
    }

    fn written(context: &Context, head: &Head) -> Result<Vec<String>, String> {
        let reply = Response::declared(context, StatusCode::SEE_OTHER).and_then(|reply| reply.headers(head));
        let response = reply.map_err(|error| error.to_string())?.empty().0;
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        let lines = response.headers().iter();
        let mut lines: Vec<_> = lines
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or("bytes")))
            .collect();
        lines.sort();
        Ok(lines)
    }

    #[test]
    fn writes_each_declared_header_as_text() {
        let context = context();
        context.set_header(
            HeaderName::from_static("location"),
            HeaderValue::from_static("/old"),
        );
        context.set_header(HeaderName::from_static("x-own"), HeaderValue::from_static("1"));
        context.set_header(
            HeaderName::from_static("set-cookie"),
            HeaderValue::from_static("a=1"),
        );
        let head = Head {
            location: "/orders/7".to_owned(),
            x_count: Some(1e21),
            x_more: Some(true),
            vary: vec!["accept".to_owned(), "origin".to_owned()],
            set_cookie: vec!["b=2".to_owned(), "c=3".to_owned()],
        };
        let expected = [
            "location: /orders/7",
            "set-cookie: a=1",
            "set-cookie: b=2",
            "set-cookie: c=3",
            "vary: accept, origin",
            "x-count: 1e+21",
            "x-more: true",
            "x-own: 1",
        ];
        assert_eq!(written(&context, &head).unwrap(), expected);
    }

    #[test]
    fn refuses_header_values_with_forbidden_characters() {
        for location in ["/a\r\nx: 1", "/a\n", "/\0", "/\u{7f}", "/€"] {
            let location = location.to_owned();
            let error = written(
                &context(),
                &Head {
                    location,
                    ..Head::default()
                },
            )
            .unwrap_err();
            assert!(
                error.starts_with("Head cannot be written as headers: $.location has the character U+"),
                "{error}"
            );
        }
        let location = "/ä\t~".to_owned();
        assert!(
            written(
                &context(),
                &Head {
                    location,
                    ..Head::default()
                }
            )
            .is_ok()
        );
        let head = Head {
            x_count: Some(f64::NAN),
            ..Head::default()
        };
        assert!(written(&context(), &head).is_err());
    }

    #[test]
    fn refuses_a_status_that_the_handler_has_set() {
        let context = context();
        context.set_status(StatusCode::OK);
        let error = written(&context, &Head::default()).unwrap_err();
        assert!(error.contains("called `set_status`"), "{error}");
    }
}
