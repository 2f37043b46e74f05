//! Sends requests to a generated server whose handlers the user has not changed.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::{HeaderMap, Request};

/// A response of the server.
pub struct Answer {
    pub status: u16,
    headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// Returns the first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A running server. It is killed when the test ends.
pub struct Server {
    child: Child,
    url: String,
    agent: Agent,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub fn start(program: &Path, database: &str) -> Self {
        Self::start_in(Path::new("."), program, database)
    }

    /// Starts a server whose relative paths begin at `directory`.
    pub fn start_in(directory: &Path, program: &Path, database: &str) -> Self {
        Self::spawn(Command::new(program).current_dir(directory), database)
    }

    /// Starts a server with environment variables.
    pub fn start_with(variables: &[(&str, &str)], program: &Path, database: &str) -> Self {
        Self::spawn(Command::new(program).envs(variables.iter().copied()), database)
    }

    fn spawn(command: &mut Command, database: &str) -> Self {
        let mut child = command
            .env("DATABASE_URL", database)
            .env("PORT", "0")
            .env("HOST", "127.0.0.1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = loop {
            let line = lines.next().expect("it says where it listens").unwrap();
            if let Some(url) = line.strip_prefix("Listening on ") {
                break url.to_owned();
            }
        };
        // The server writes to its log all the time, so a thread must read the output.
        std::thread::spawn(move || lines.count());
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Self { child, url, agent }
    }

    /// Sends a request. Returns the status and the body of the response; the body is null if it is empty.
    pub fn request(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        self.request_as(None, method, path, body)
    }

    /// Sends a request with the header `x-user`, for a server whose middleware takes the user from it.
    pub fn request_as(
        &self,
        user: Option<&str>,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let user = user.map(|user| ("x-user", user));
        self.request_with(user.as_slice(), method, path, body)
    }

    /// Sends a request with these headers.
    pub fn request_with(
        &self,
        headers: &[(&str, &str)],
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let Answer {
            status, body: text, ..
        } = self.answer(method, path, headers, body);
        let body = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).unwrap()
        };
        (status, body)
    }

    /// Sends a request with headers. Returns the whole response.
    pub fn answer(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<Value>) -> Answer {
        let json = ("content-type", "application/json");
        let typed = body.is_some().then_some(json);
        let headers: Vec<_> = headers.iter().copied().chain(typed).collect();
        let text = body.map_or_else(String::new, |body| body.to_string());
        self.send(method, path, &headers, text.into())
    }

    /// Sends a request with headers and the bytes of a body. Returns the whole response; bytes of its body that are not
    /// UTF-8 are replaced.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = self.agent.run(request.body(body).unwrap()).unwrap();
        let body = answer.body_mut().read_to_vec().unwrap();
        Answer {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            body: String::from_utf8_lossy(&body).into_owned(),
        }
    }

    /// Opens a connection to the server.
    pub fn connect(&self) -> TcpStream {
        let address = self.url.strip_prefix("http://").unwrap();
        TcpStream::connect(address).unwrap()
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        self.request("GET", path, None)
    }

    /// Sends a POST request that must create a row. Returns the row.
    pub fn create(&self, path: &str, body: Value) -> Value {
        let (status, row) = self.request("POST", path, Some(body));
        assert_eq!(status, 201, "{row}");
        row
    }

    /// Sends a request that must fail. Returns the status, the code and the message of the error.
    pub fn error_of(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String, String) {
        let (status, answer) = self.request(method, path, body);
        let text = |name: &str| answer["error"][name].as_str().unwrap_or_default().to_owned();
        (status, text("code"), text("message"))
    }
}

fn error(status: u16, code: &str, message: &str) -> (u16, String, String) {
    (status, code.to_owned(), message.to_owned())
}

/// Tests the routes of the application `shop`.
pub fn shop(program: &Path, database: &str) {
    let server = Server::start(program, database);
    let shop = shops(&server);
    let category = categories(&server);
    let product = products(&server, &shop, &category);
    stock(&server, &product, &category);
}

fn shops(server: &Server) -> Value {
    let body = json!({ "name": "Ada's", "slug": "ada", "contact": null });
    let shop = server.create("/shops", body.clone());
    assert_eq!(shop["contact"], Value::Null);
    let taken = error(409, "SLUG_TAKEN", "Another shop has this slug");
    assert_eq!(server.error_of("POST", "/shops", Some(body)), taken);
    let other = server.create(
        "/shops",
        json!({ "name": "Bob's", "slug": "bob", "contact": "bob@example.org" }),
    );
    let path = format!("/shops/{}", other["id"].as_str().unwrap());
    assert_eq!(
        server.error_of("PATCH", &path, Some(json!({ "slug": "ada" }))),
        taken
    );
    // Null is a value here. An absent property stays unchanged.
    let (status, changed) = server.request("PATCH", &path, Some(json!({ "contact": null })));
    assert_eq!(
        (status, &changed["contact"], &changed["slug"]),
        (200, &Value::Null, &json!("bob"))
    );
    assert_eq!(server.get(&path), (200, changed.clone()));

    let (status, page) = server.get("/shops?page=2&pageSize=1");
    assert_eq!((status, &page["data"]), (200, &json!([shop])));
    let pagination = json!({ "total": 2, "page": 2, "pageSize": 1, "totalPages": 2 });
    assert_eq!(page["pagination"], pagination);
    assert_eq!(server.get("/shops?page=9007199254740991").1["data"], json!([]));
    assert_eq!(server.get("/shops?pageSize=0").0, 400);

    assert_eq!(server.request("DELETE", &path, None), (204, Value::Null));
    let missing = error(404, "SHOP_NOT_FOUND", "Shop not found");
    for method in ["GET", "DELETE"] {
        assert_eq!(server.error_of(method, &path, None), missing);
    }
    assert_eq!(server.error_of("PATCH", &path, Some(json!({}))), missing);
    let (_, answer) = server.get(&path);
    assert_eq!(answer["error"]["details"], json!({ "id": other["id"] }));
    shop
}

/// The contracts of these routes declare no errors, so each error has the default code.
fn categories(server: &Server) -> Value {
    let books = server.create("/categories", json!({ "name": "Books" }));
    let poems = server.create("/categories", json!({ "name": "Poems", "parentId": books["id"] }));
    assert_eq!(books["parentId"], Value::Null);
    assert_eq!(server.get("/categories"), (200, json!([books, poems])));
    let conflict = error(409, "CONFLICT", "Another category has this name");
    assert_eq!(
        server.error_of("POST", "/categories", Some(json!({ "name": "Books" }))),
        conflict
    );
    let orphan = json!({ "name": "Nowhere", "parentId": 999_999 });
    assert_eq!(
        server.error_of("POST", "/categories", Some(orphan)),
        error(409, "CONFLICT", "Category not found")
    );
    assert_eq!(
        server.error_of("GET", "/categories/999999999999", None),
        error(404, "NOT_FOUND", "Category not found")
    );
    books
}

fn products(server: &Server, shop: &Value, category: &Value) -> Value {
    let body = json!({
        "shopId": shop["id"], "categoryId": category["id"], "sku": "1", "title": "Poems", "priceCents": 1000,
        "weight": 0.3, "kind": "thing", "tags": ["new"], "attributes": { "pages": "90" },
    });
    let with = |name: &str, value: Value| {
        let mut other = body.clone();
        other[name] = value;
        Some(other)
    };
    let product = server.create("/products", body.clone());
    assert_eq!(
        (&product["status"], &product["visible"]),
        (&json!("draft"), &json!(true))
    );
    assert_eq!(
        (&product["tags"], &product["attributes"]),
        (&body["tags"], &body["attributes"])
    );
    let exists = error(409, "PRODUCT_EXISTS", "The shop has a product of this number");
    assert_eq!(server.error_of("POST", "/products", Some(body.clone())), exists);
    let nobody = json!("00000000-0000-4000-8000-000000000000");
    assert_eq!(
        server.error_of("POST", "/products", with("shopId", nobody.clone())),
        error(404, "SHOP_NOT_FOUND", "Shop not found")
    );
    let no_category = error(404, "CATEGORY_NOT_FOUND", "Category not found");
    let mut lost = body.clone();
    lost["sku"] = json!("lost");
    lost["categoryId"] = json!(-1);
    assert_eq!(server.error_of("POST", "/products", Some(lost)), no_category);

    let second = server.create("/products", with("sku", json!("2")).unwrap());
    let path = format!("/products/{}", second["id"].as_str().unwrap());
    assert_eq!(server.error_of("PUT", &path, Some(json!({ "sku": "1" }))), exists);
    assert_eq!(
        server.error_of("PUT", &path, Some(json!({ "categoryId": -1 }))),
        no_category
    );
    let changes = json!({ "categoryId": null, "weight": null, "kind": "download", "visible": false });
    let (status, changed) = server.request("PUT", &path, Some(changes));
    assert_eq!(status, 200, "{changed}");
    let mut expected = second.clone();
    for (name, value) in [
        ("categoryId", json!(null)),
        ("weight", json!(null)),
        ("kind", json!("download")),
    ] {
        expected[name] = value;
    }
    expected["visible"] = json!(false);
    expected["updatedAt"] = changed["updatedAt"].clone();
    assert_eq!(changed, expected);
    assert!(changed["updatedAt"].as_str() >= second["updatedAt"].as_str());

    let listed = |query: &str| {
        let (status, page) = server.get(&format!("/products?{query}"));
        assert_eq!(status, 200, "{page}");
        let ids = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].clone());
        (ids.collect::<Vec<_>>(), page["pagination"]["total"].clone())
    };
    let (first, second) = (product["id"].clone(), second["id"].clone());
    assert_eq!(listed(""), (vec![second.clone(), first.clone()], json!(2)));
    assert_eq!(listed("pageSize=1"), (vec![second.clone()], json!(2)));
    assert_eq!(listed("visible=false"), (vec![second], json!(1)));
    assert_eq!(listed("kind=thing&visible=true"), (vec![first], json!(1)));
    assert_eq!(listed("kind=service"), (vec![], json!(0)));
    assert_eq!(
        listed(&format!("shopId={}", nobody.as_str().unwrap())),
        (vec![], json!(0))
    );
    // This filter has fewer rules than its column. A value that the column cannot store matches no row.
    assert_eq!(listed("shopId=1"), (vec![], json!(0)));
    assert_eq!(listed("views=9223372036854775808"), (vec![], json!(0)));
    misfits(server, &body);
    let missing = error(404, "PRODUCT_NOT_FOUND", "Product not found");
    assert_eq!(server.error_of("GET", "/products/no-uuid", None), missing);
    assert_eq!(
        server.error_of("PUT", "/products/no-uuid", Some(json!({}))),
        missing
    );
    product
}

/// Tests values that a column cannot store. They are refused either by the rules that a body takes over from the
/// entity, or by PostgreSQL.
fn misfits(server: &Server, body: &Value) {
    let status = |path: &str, name: &str, value: Value| {
        let mut other = body.clone();
        other["sku"] = json!("misfit");
        other[name] = value;
        let (status, code, _) = server.error_of("POST", path, Some(other));
        (status, code)
    };
    let refused = (400, "VALIDATION_ERROR".to_owned());
    for (name, value) in [
        ("shopId", json!("1")),
        ("shopId", json!("00000000-0000-4000-8000-00000000000g")),
        ("sku", json!("x".repeat(31))),
        ("views", json!("9223372036854775808")),
        ("views", json!("-9223372036854775809")),
        ("categoryId", json!(1.5)),
    ] {
        assert_eq!(
            status("/products", name, value.clone()),
            refused,
            "{name}: {value}"
        );
        assert_eq!(
            status("/products/imports", name, value.clone()),
            refused,
            "{name}: {value}"
        );
    }
    let mut most = body.clone();
    most["sku"] = json!("most");
    most["views"] = json!("9223372036854775807");
    let most = server.create("/products/imports", most);
    assert_eq!(most["views"], json!("9223372036854775807"));
    let path = format!("/products/{}", most["id"].as_str().unwrap());
    assert_eq!(server.request("DELETE", &path, None).0, 204);
}

fn stock(server: &Server, product: &Value, category: &Value) {
    // This middleware is still as generated: it refuses every request.
    assert_eq!(
        server.error_of(
            "PUT",
            "/countries/de",
            Some(json!({ "name": "Germany", "vat": 19 }))
        ),
        error(
            501,
            "NOT_IMPLEMENTED",
            "`requireSeller` is not implemented yet: write the code in src/middleware/require_seller.rs"
        )
    );
    let id = product["id"].as_str().unwrap();
    let path = format!("/stock/{id}/de");
    let body = json!({ "productId": id, "countryCode": "de", "amount": 3 });
    assert_eq!(
        server.error_of("POST", "/stock", Some(body)),
        error(409, "CONFLICT", "Country not found")
    );
    let missing = error(404, "STOCK_NOT_FOUND", "Stock not found");
    assert_eq!(server.error_of("GET", &path, None), missing);
    assert_eq!(
        server.error_of("PUT", &path, Some(json!({ "amount": 1 }))),
        missing
    );
    assert_eq!(server.error_of("DELETE", &path, None), missing);
    let (_, answer) = server.get(&path);
    assert_eq!(
        answer["error"]["details"],
        json!({ "productId": id, "countryCode": "de" })
    );

    let path = format!("/categories/{}", category["id"]);
    assert_eq!(
        server.error_of("DELETE", &path, None),
        error(409, "CONFLICT", "It is in use by products")
    );
    assert_eq!(server.request("DELETE", &format!("/products/{id}"), None).0, 204);
    assert_eq!(server.request("DELETE", &path, None).0, 204);
}
