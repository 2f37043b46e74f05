//! Contract tests of WebSockets: handshakes, subprotocols, and messages of each kind.

use kit_websocket::Message;

use super::case::SocketTest;
use super::client::TestResponse;
use super::closed::{
    Closed, FAILED, NO_JSON, OTHER_KIND, REFUSED, expect_code, may_be_unread, not_proved, refuses_last,
    unexpected,
};
use super::document::{Row, SocketTable, Table};
use super::expect::{fail_with, reply_of};
use super::outcome::{Checked, fail, needs_fixture};
use super::request::{Change, RouteRequest, SUBPROTOCOLS, filled, slots_of};
use super::run::Running;
use super::talk::talk;
use super::values::Slot;
use crate::check::explain;
use crate::json::{Json, parse};

/// Text that WebSockets without `Text` refuse. The application closes the socket when its handler reads the text.
const NOT_JSON: &str = "not JSON";

/// Text that no application takes as plain text, because databases cannot store it.
const NOT_STORABLE: &str = "\0";

/// Plain text and bytes for applications whose contract has such messages.
const PLAIN_TEXT: &str = "text";
const SOME_BYTES: [u8; 3] = [0, 128, 255];

impl Running {
    /// Runs a test of a WebSocket.
    pub(super) async fn socket(&self, table: &Table, socket: &SocketTable, test: SocketTest) -> Checked {
        let taken = async |message| {
            let closed = self.talk(table, socket, vec![message], None).await?;
            self.expect_taken(table, socket, &closed)
        };
        let refused = async |message, code| {
            let closed = self.talk(table, socket, vec![message], None).await?;
            expect_code(table, &closed, code)
        };
        match test {
            SocketTest::NoHandshake => self.no_handshake(table).await,
            SocketTest::Protocol(index) => self.protocol(table, socket, index).await,
            SocketTest::UnknownProtocol => {
                let names = socket.protocols.as_ref().map_or(&[][..], |of| &of.names);
                let answer = self.offer(table, Some(&unknown_protocol(names))).await?;
                self.unsupported(table, &answer)
            }
            SocketTest::NoProtocol => {
                let answer = self.offer(table, None).await?;
                match &socket.protocols {
                    Some(protocols) if !protocols.optional => self.unsupported(table, &answer),
                    _ => self.opened(table, &answer),
                }
            }
            SocketTest::TakesJson => {
                let closed = self.talk(table, socket, Vec::new(), None).await?;
                self.expect_taken(table, socket, &closed)
            }
            SocketTest::TakesText => taken(Message::Text(PLAIN_TEXT.into())).await,
            SocketTest::TakesBytes => taken(Message::Binary(SOME_BYTES.to_vec().into())).await,
            SocketTest::NotJson => refused(Message::Text(NOT_JSON.into()), NO_JSON).await,
            SocketTest::NotStorable => refused(Message::Text(NOT_STORABLE.into()), REFUSED).await,
            SocketTest::OtherText => refused(Message::Text(PLAIN_TEXT.into()), OTHER_KIND).await,
            SocketTest::OtherBytes => refused(Message::Binary(SOME_BYTES.to_vec().into()), OTHER_KIND).await,
        }
    }

    /// Sends a message that the contract accepts: the valid one with the change of a row.
    pub(super) async fn socket_takes(&self, table: &Table, socket: &SocketTable, index: usize) -> Checked {
        let row = table.accepts.get(index);
        let closed = self.talk(table, socket, Vec::new(), row).await?;
        self.expect_taken(table, socket, &closed)
    }

    /// Sends a message that breaks the rule of a row.
    pub(super) async fn socket_refuses(&self, table: &Table, socket: &SocketTable, index: usize) -> Checked {
        let Some(row) = table.refuses.get(index) else {
            return Ok(());
        };
        let closed = self.talk(table, socket, Vec::new(), Some(row)).await?;
        match closed.code {
            Some(REFUSED) if closed.reason.starts_with(&row.path) => Ok(()),
            code => {
                may_be_unread(table, code)?;
                fail(unexpected(table, &closed, &format!("{REFUSED} and {}", row.path)))
            }
        }
    }

    async fn no_handshake(&self, table: &Table) -> Checked {
        let (_, path) = table.method_and_path();
        let target = filled(path, table.valid(Slot::Params).as_ref());
        let headers = self.fixture_headers(table).await?;
        let request = self.client.request("GET", &target).with_headers(headers);
        let answer = request.send().await?;
        self.expect
            .error(table, &answer, 426, &["UPGRADE_REQUIRED"])
            .map(drop)
    }

    async fn protocol(&self, table: &Table, socket: &SocketTable, index: usize) -> Checked {
        let names = socket.protocols.as_ref().map_or(&[][..], |of| &of.names);
        let Some(name) = names.get(index) else {
            return Ok(());
        };
        let offer = format!("{}, {name}", unknown_protocol(names));
        let answer = self.offer(table, Some(&offer)).await?;
        self.opened(table, &answer)?;
        let chosen = answer.header(SUBPROTOCOLS);
        if chosen == Some(name) {
            return Ok(());
        }
        let chosen = chosen.unwrap_or("none");
        let text = format!("{} chose the subprotocol {chosen}, expected {name}", table.route);
        fail_with(&text, &answer)
    }

    /// Sends a handshake that offers subprotocols.
    async fn offer(&self, table: &Table, offered: Option<&str>) -> Checked<TestResponse> {
        let fixture = self.fixture(table).await?;
        let slots = slots_of(table, &fixture, &[]);
        let mut headers = fixture.all_headers(table);
        headers.remove(SUBPROTOCOLS);
        let offered = offered.map(str::to_owned);
        let mut request = RouteRequest::new(table, slots, headers);
        request.offer = offered;
        self.send(request).await
    }

    fn unsupported(&self, table: &Table, answer: &TestResponse) -> Checked {
        self.expect
            .error(table, answer, 400, &["UNSUPPORTED_SUBPROTOCOL"])
            .map(drop)
    }

    /// Checks that a valid handshake was accepted.
    fn opened(&self, table: &Table, answer: &TestResponse) -> Checked {
        let route = &table.route;
        if answer.status == 101 {
            return Ok(());
        }
        self.check_credentials(table, answer)?;
        if answer.status < 400 || reply_of(table, answer).is_some() {
            return fail_with(&format!("{route} did not open a WebSocket"), answer);
        }
        let has_fixture = self.fixtures.contains_key(route);
        self.expect.answered(table, answer, has_fixture)?;
        Err(needs_fixture())
    }

    /// Opens a WebSocket, sends the given messages or else the valid one, and then a text that the application refuses. The
    /// application closes the socket because of the first message, or else because of the text.
    async fn talk(
        &self,
        table: &Table,
        socket: &SocketTable,
        mut messages: Vec<Message<'static>>,
        row: Option<&Row>,
    ) -> Checked<Closed> {
        let fixture = self.fixture(table).await?;
        let changes: Vec<_> = row
            .map(|row| Change::new(row.slot, &row.path, &row.given))
            .into_iter()
            .collect();
        let mut slots = slots_of(table, &fixture, &changes);
        let message = slots.remove(&Slot::Body);
        if messages.is_empty() {
            messages.extend(message.map(|message| Message::Text(message.to_string().into())));
        }
        messages.push(Message::Text(last_message(socket).into()));
        let request = RouteRequest::new(table, slots, fixture.all_headers(table));
        let (answer, upgraded) = request.build(&self.client).open().await?;
        self.note(table, &answer)?;
        self.opened(table, &answer)?;
        match upgraded {
            Some(upgraded) => Ok(talk(upgraded, messages).await),
            None => fail_with(&format!("{} did not open a WebSocket", table.route), &answer),
        }
    }

    /// Checks that the application accepted the message, and that messages of the application satisfy the contract.
    fn expect_taken(&self, table: &Table, socket: &SocketTable, closed: &Closed) -> Checked {
        let (route, reason) = (&table.route, &closed.reason);
        let is_rule = reason.starts_with('$');
        let is_refused = matches!(closed.code, Some(REFUSED | OTHER_KIND | NO_JSON));
        if is_rule && is_refused && !refuses_last(socket, closed) {
            return fail(format!(
                "{route} refused a message that its contract allows: {reason}"
            ));
        }
        if closed.code == Some(FAILED) {
            return fail(format!(
                "{route} closed the WebSocket because its handler failed; the log of the application has the error"
            ));
        }
        for message in &closed.received {
            self.expect_sent(table, socket, message)?;
        }
        // The handler may have ended the socket because of the message. Only a socket that stays open was not read.
        match closed.code {
            None => Err(not_proved(table, None)),
            Some(_) => Ok(()),
        }
    }

    /// Checks a message of the application that is JSON.
    fn expect_message(&self, table: &Table, name: &str, text: &str) -> Checked {
        let shape = self.expect.named(name)?;
        let value = parse(text).unwrap_or_else(|_| Json::String(text.to_owned()));
        match explain(shape, &value).first() {
            None => Ok(()),
            Some(first) => fail(format!(
                "A message of {} does not match its contract: {}: expected {}, received {}",
                table.route, first.path, first.expected, first.received
            )),
        }
    }

    /// Checks that a message of the application satisfies the contract.
    fn expect_sent(&self, table: &Table, socket: &SocketTable, message: &Message<'_>) -> Checked {
        let has = |kind: &str| socket.sends(kind);
        let (is_plain, kind) = match message {
            Message::Text(_) => (has("text"), "a text message"),
            Message::Binary(_) => (has("bytes"), "a binary message"),
        };
        match (message, &socket.out) {
            _ if is_plain => Ok(()),
            (Message::Text(text), Some(name)) => self.expect_message(table, name, text),
            _ => fail(format!(
                "{} sent {kind}, which its contract does not declare",
                table.route
            )),
        }
    }
}

/// Returns a subprotocol that the contract does not name.
fn unknown_protocol(names: &[String]) -> String {
    let mut name = "unknown".to_owned();
    while names.contains(&name) {
        name.push_str("-x");
    }
    name
}

/// Returns a text that the application refuses, so that its handler ends.
fn last_message(socket: &SocketTable) -> &'static str {
    if socket.takes("text") {
        NOT_STORABLE
    } else {
        NOT_JSON
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::cases_of;
    use super::super::document::{Document, ErrorPlaces};
    use super::super::expect::{Expectations, NamedShape};
    use super::super::outcome::Stop;
    use super::super::run::Running;
    use super::super::setup::TestSetup;
    use crate::shape::{Property, Shape};
    use crate::{Application, Contract, Error, Response, Routes, Segment, Socket, SocketOptions};

    const TABLES: &str = r#"{"routes":[{
        "place": "api/chat.routes.ts:3", "route": "WS /rooms/:id",
        "replies": [], "errors": ["404 ROOM_NOT_FOUND"],
        "socket": { "out": "Note", "protocols": { "names": ["chat.v1", "chat.v2"], "optional": false } },
        "auth": { "credentials": [["header", "authorization"]], "unauthorized": ["UNAUTHORIZED"], "scopes": null },
        "request": { "params": { "id": "7" }, "body": { "title": "Milk" } },
        "accepts": [["body", "$.title", "1 character (minimum)", "a"]],
        "refuses": [["body", "$.title", "missing", { "$missing": true }]]
    }]}"#;

    const NOTE: Shape = Shape::object("Note", &[Property::required("title", Shape::TEXT.min_length(1))]);

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Note {
        title: String,
    }

    impl Contract for Note {
        const NAME: &'static str = "Note";

        fn shape() -> &'static Shape {
            &NOTE
        }
    }

    /// Behaviour of the application under test.
    #[derive(Clone, Copy, PartialEq)]
    enum App {
        Right,
        /// Answers with a message that has an empty title.
        WrongMessage,
        /// Sends a binary message.
        Binary,
        /// Accepts requests without credentials.
        Open,
        /// Returns before it reads a message.
        ReadsNothing,
        /// Waits for something else than messages.
        Waits,
        Fails,
        Unwritten,
        Missing,
        Unauthorized,
    }

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    async fn chat(app: App, socket: Socket<Note, Note>) -> Result<(), Error> {
        match app {
            App::ReadsNothing => return Ok(()),
            App::Waits => {
                std::future::pending::<()>().await;
            }
            App::Fails => return Err(Error::internal("the handler fails")),
            App::Unwritten => return Err(Error::not_implemented("WS /rooms/:id", "src/handlers/chats.rs")),
            _ => {}
        }
        while let Some(mut message) = socket.recv().await {
            if app == App::WrongMessage {
                message.title.clear();
            }
            socket.send(&message).await?;
        }
        Ok(())
    }

    async fn binary(socket: Socket<Note, crate::BodyBytes>) -> Result<(), Error> {
        while socket.recv().await.is_some() {
            socket.send(&crate::BodyBytes::from_static(&[1])).await?;
        }
        Ok(())
    }

    fn setup(app: App) -> TestSetup {
        let handler = async |app: App, request: crate::Request| {
            let context = request.into_context()?;
            let is_allowed = context.header("authorization").is_some() || app == App::Open;
            if !is_allowed || app == App::Unauthorized {
                return Err(Error::new(
                    crate::StatusCode::UNAUTHORIZED,
                    "UNAUTHORIZED",
                    "no caller",
                ));
            }
            if app == App::Missing {
                return Err(Error::new(
                    crate::StatusCode::NOT_FOUND,
                    "ROOM_NOT_FOUND",
                    "no room",
                ));
            }
            let options = SocketOptions::default();
            if app == App::Binary {
                return Response::socket(&context, options, binary);
            }
            Response::socket(&context, options, move |socket| chat(app, socket))
        };
        let path = &[Segment::Static("rooms"), Segment::Parameter("id")];
        let routes = Routes::new(app).route("WS /rooms/:id", path, handler);
        let routes = routes.subprotocols(&["chat.v1", "chat.v2"], true);
        TestSetup::new(routes.into_router()).header("authorization", "Bearer tester")
    }

    fn running(app: App, errors: ErrorPlaces) -> Running {
        let shapes = const { &[NamedShape::of::<Note>()] };
        Running::new(
            setup(app),
            Expectations {
                errors,
                shapes,
                requests: &[],
            },
        )
    }

    /// Runs all tests of the route. Returns their results, by name.
    async fn results(app: App) -> Vec<(String, Result<(), Stop>)> {
        let Document { errors, routes, .. } = serde_json::from_str(TABLES).expect("tables");
        let running = running(app, errors);
        let mut results = Vec::new();
        for (kind, name) in cases_of(&routes[0]) {
            results.push((name, running.run(kind, &routes[0]).await));
        }
        results
    }

    /// Returns the result of a test.
    async fn result(app: App, name: &str) -> Result<(), Stop> {
        let Document { errors, routes, .. } = serde_json::from_str(TABLES).expect("tables");
        let running = running(app, errors);
        let cases = cases_of(&routes[0]);
        let (kind, _) = cases.into_iter().find(|(_, other)| other == name).expect(name);
        running.run(kind, &routes[0]).await
    }

    async fn failure(app: App, name: &str) -> String {
        match result(app, name).await {
            Err(Stop::Failed(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn passes_all_tests_if_the_application_keeps_its_contract() {
        let results = results(App::Right).await;
        let names: Vec<_> = results.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "answers a request that is no handshake with 426",
                "refuses a request without credentials",
                "chooses the subprotocol chat.v1 if the client offers it",
                "chooses the subprotocol chat.v2 if the client offers it",
                "refuses an unknown subprotocol",
                "refuses a client without a subprotocol",
                "takes a valid message",
                "takes message $.title: 1 character (minimum)",
                "refuses message $.title: missing",
                "refuses text that is not JSON",
                "refuses a binary message",
            ]
        );
        for (name, result) in results {
            assert_eq!(result, Ok(()), "{name}");
        }
    }

    #[tokio::test]
    async fn fails_if_a_message_of_the_application_breaks_the_contract() {
        let empty = failure(App::WrongMessage, "takes a valid message").await;
        assert_eq!(
            empty,
            "A message of WS /rooms/:id does not match its contract: $.title: expected string, at least 1 character, received string of 0 characters"
        );
        let binary = failure(App::Binary, "takes a valid message").await;
        assert_eq!(
            binary,
            "WS /rooms/:id sent a binary message, which its contract does not declare"
        );
    }

    #[tokio::test]
    async fn fails_if_the_application_opens_a_socket_without_credentials_or_if_the_handler_fails() {
        let open = failure(App::Open, "refuses a request without credentials").await;
        assert!(open.contains("accepted a request without credentials"), "{open}");
        let failed = failure(App::Fails, "takes a valid message").await;
        assert!(failed.contains("because its handler failed"), "{failed}");
    }

    #[tokio::test]
    async fn ignores_tests_that_prove_nothing() {
        let ignored = async |app, name| match result(app, name).await {
            Err(Stop::Ignored(reason)) => reason,
            other => panic!("{other:?}"),
        };
        let unread = ignored(App::ReadsNothing, "refuses text that is not JSON").await;
        assert!(unread.contains("closed the WebSocket itself"), "{unread}");
        let unwritten = ignored(App::Unwritten, "takes a valid message").await;
        assert!(unwritten.contains("src/handlers/chats.rs"), "{unwritten}");
        let missing = ignored(App::Missing, "takes a valid message").await;
        assert!(missing.contains("add a fixture"), "{missing}");
    }

    #[tokio::test]
    async fn ignores_tests_of_a_handler_that_never_reads() {
        let Err(Stop::Ignored(reason)) = result(App::Waits, "takes a valid message").await else {
            panic!("the test was not ignored");
        };
        assert!(reason.contains("did not close the WebSocket"), "{reason}");
    }

    #[tokio::test]
    async fn ignores_further_tests_if_the_application_refuses_the_credentials() {
        let results = results(App::Unauthorized).await;
        let failed = results
            .iter()
            .filter(|(_, result)| matches!(result, Err(Stop::Failed(_))));
        let failed: Vec<_> = failed.map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            failed,
            ["chooses the subprotocol chat.v1 if the client offers it"]
        );
        assert!(matches!(results.last(), Some((_, Err(Stop::Ignored(_))))));
    }
}
