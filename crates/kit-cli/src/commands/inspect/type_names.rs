//! Names of types with their formats, as contracts write them.

/// Returns the type of the messages of a WebSocket in one direction: `ClientMessage | Bytes`. `kinds` is `Socket` if all messages
/// are JSON.
pub(super) fn messages(kinds: Option<&str>, json: Option<&str>) -> Option<String> {
    let kinds = kinds.filter(|kinds| *kinds != "Socket");
    let Some(kinds) = kinds else {
        return json.map(str::to_owned);
    };
    let names = kinds.split(" | ").map(|kind| {
        if kind == "Json" {
            json.unwrap_or(kind)
        } else {
            kind
        }
    });
    Some(names.collect::<Vec<_>>().join(" | "))
}

/// Returns a type with its format as the contract writes them: `Form<Login>`, `Text`. Returns `None` if there is no body.
pub(super) fn formatted(format: Option<&str>, name: Option<&str>) -> Option<String> {
    match (format, name) {
        (Some(format), Some(name)) => Some(format!("{format}<{name}>")),
        (format, name) => format.or(name).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::messages;

    #[test]
    fn names_the_kinds_of_messages_that_are_not_json() {
        let text = |kinds, json| messages(Some(kinds), json);
        assert_eq!(text("Socket", Some("Order")).as_deref(), Some("Order"));
        assert_eq!(text("Text | Bytes", None).as_deref(), Some("Text | Bytes"));
        assert_eq!(
            text("Json | Bytes", Some("Order")).as_deref(),
            Some("Order | Bytes")
        );
    }
}
