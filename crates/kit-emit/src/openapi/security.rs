//! Security requirements and security schemes of routes, as OpenAPI expects them.

use heck::ToUpperCamelCase;
use indexmap::IndexMap;
use kit_ir::{Program, Security, SecurityScheme};
use serde::Serialize;

use super::document::{Layout, Requirement};

/// Security schemes of all routes, in the order of their first use, with unique names.
#[derive(Debug)]
pub(crate) struct SecuritySchemes<'a> {
    found: IndexMap<&'a SecurityScheme, Named<'a>>,
}

#[derive(Debug)]
struct Named<'a> {
    name: String,
    description: Option<&'a str>,
}

/// A Security Scheme Object (OpenAPI 3.1, section 4.8.27).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SchemeObject<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bearer_format: Option<&'a str>,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    location: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

impl<'a> SecuritySchemes<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let mut found: IndexMap<&SecurityScheme, Named<'_>> = IndexMap::new();
        for asked in program
            .routes
            .iter()
            .flat_map(|route| route.security.iter().flatten())
        {
            if found.contains_key(&asked.scheme) {
                continue;
            }
            let base = base_name(&asked.scheme);
            let mut name = base.clone();
            let mut number = 2;
            while found.values().any(|known| known.name == name) {
                name = format!("{base}{number}");
                number += 1;
            }
            let description = asked.description.as_deref();
            found.insert(&asked.scheme, Named { name, description });
        }
        Self { found }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the name of a security scheme in the document.
    pub(crate) fn name(&self, scheme: &SecurityScheme) -> &str {
        self.found.get(scheme).map_or("", |named| named.name.as_str())
    }

    /// Converts the security requirements of a route to the form of OpenAPI. `asked` has one list per
    /// middleware, and a request must satisfy one scheme of each list. Each requirement in the result
    /// contains one scheme of each list, so that a request must satisfy only one requirement. If `scopes` has lists, each
    /// requirement also has the scopes of one list.
    pub(crate) fn requirements(&self, asked: &[Vec<Security>], scopes: &[Vec<String>]) -> Vec<Requirement> {
        let mut alternatives = vec![Requirement::new()];
        for one_of in asked {
            alternatives = alternatives
                .iter()
                .flat_map(|so_far| {
                    one_of.iter().map(|security| {
                        let mut more = so_far.clone();
                        more.insert(self.name(&security.scheme).to_owned(), Vec::new());
                        more
                    })
                })
                .collect();
        }
        if !scopes.is_empty() {
            alternatives = alternatives
                .iter()
                .flat_map(|schemes| {
                    scopes.iter().map(|scopes| {
                        schemes
                            .keys()
                            .map(|name| (name.clone(), scopes.clone()))
                            .collect()
                    })
                })
                .collect();
        }
        let mut distinct: Vec<Requirement> = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            if !distinct.contains(&alternative) {
                distinct.push(alternative);
            }
        }
        distinct
    }

    /// Returns the security schemes for which `used` returns true, as JSON, by name.
    pub(crate) fn objects(&self, used: impl Fn(&SecurityScheme) -> bool) -> IndexMap<&str, String> {
        let used = self.found.iter().filter(|(scheme, _)| used(scheme));
        used.map(|(scheme, named)| {
            (
                named.name.as_str(),
                super::document::part(&object(scheme, named.description), Layout::Lines),
            )
        })
        .collect()
    }
}

fn base_name(scheme: &SecurityScheme) -> String {
    match scheme {
        SecurityScheme::Bearer { .. } => "bearerAuth".to_owned(),
        SecurityScheme::Basic => "basicAuth".to_owned(),
        SecurityScheme::Header { name } => format!("header{}", name.to_upper_camel_case()),
        SecurityScheme::Cookie { name } => format!("cookie{}", name.to_upper_camel_case()),
        SecurityScheme::Query { name } => format!("query{}", name.to_upper_camel_case()),
    }
}

fn object<'a>(scheme: &'a SecurityScheme, description: Option<&'a str>) -> SchemeObject<'a> {
    let key = |location, name: &'a str| SchemeObject {
        r#type: "apiKey",
        description,
        scheme: None,
        bearer_format: None,
        location: Some(location),
        name: Some(name),
    };
    let http = |scheme, bearer_format: Option<&'a str>| SchemeObject {
        r#type: "http",
        description,
        scheme: Some(scheme),
        bearer_format,
        location: None,
        name: None,
    };
    match scheme {
        SecurityScheme::Bearer { format } => http("bearer", format.as_deref()),
        SecurityScheme::Basic => http("basic", None),
        SecurityScheme::Header { name } => key("header", name),
        SecurityScheme::Cookie { name } => key("cookie", name),
        SecurityScheme::Query { name } => key("query", name),
    }
}
