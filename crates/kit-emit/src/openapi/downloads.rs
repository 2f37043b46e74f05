//! Parameters, headers and responses that ranges add to the operations of downloads.

use indexmap::IndexMap;

use super::document::{Header, Parameter, Response, text_schema};
use super::preconditions;
use super::status::description;
use crate::json_schema::Schema;

/// Request headers of ranges, with their descriptions.
const RANGES: [(&str, &str); 2] = [
    (
        "range",
        "Part of the bytes, such as `bytes=0-1023`. The response has one range. If the request has several, the response has all bytes.",
    ),
    (
        "if-range",
        "Entity tag or `last-modified` of an earlier response. If the bytes have changed since, the response has all bytes.",
    ),
];

/// Adds the request headers of ranges, unless the contract declares them.
pub(super) fn with_ranges(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    for (name, text) in RANGES {
        let is_declared = parameters
            .iter()
            .any(|parameter| parameter.location == "header" && parameter.name == name);
        if !is_declared {
            parameters.push(Parameter {
                name: name.to_owned(),
                location: "header",
                description: Some(text.to_owned()),
                required: false,
                deprecated: None,
                schema: text_schema(),
            });
        }
    }
    parameters
}

/// Adds the headers of a download to the response 200, and adds the response 206 with the same content.
pub(super) fn add_partial(responses: &mut IndexMap<String, Response>) {
    let Some(whole) = responses.get_mut("200") else {
        return;
    };
    let accepted = Schema {
        choices: Some(vec!["bytes".into()]),
        ..text_schema()
    };
    let accepted = header("Clients may ask for ranges of the bytes.", true, accepted);
    let modified = header("Time of the last change, if it is known.", false, text_schema());
    let headers = [
        ("accept-ranges", accepted),
        ("etag", preconditions::tag()),
        ("last-modified", modified),
    ];
    let headers = headers.map(|(name, header)| (name.to_owned(), header));
    whole.headers.extend(headers.clone());
    let text = "Position of the range and number of all bytes, such as `bytes 0-1023/4096`.";
    let range = header(text, true, text_schema());
    let part = Response {
        description: description(206).to_owned(),
        headers: [("content-range".to_owned(), range)]
            .into_iter()
            .chain(headers)
            .collect(),
        content: whole.content.clone(),
        ..Response::default()
    };
    responses.insert("206".to_owned(), part);
}

/// Adds the header with the number of all bytes to the response 416.
pub(super) fn add_size(response: &mut Response) {
    let header = header(
        "Number of all bytes, such as `bytes */4096`.",
        true,
        text_schema(),
    );
    response.headers.insert("content-range".to_owned(), header);
}

fn header(text: &str, required: bool, schema: Schema) -> Header {
    Header {
        description: Some(text.to_owned()),
        required,
        deprecated: None,
        schema,
    }
}
