//! Rule for clients without a certificate.

use serde_json::Value;

use crate::choices::ClientCertificates;
use crate::variable::Variable;

/// Variable that a Rust server reads the rule from.
const VARIABLE: &str = "TLS_CLIENT_CERTIFICATES";

impl ClientCertificates {
    fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Optional => "optional",
        }
    }
}

const PROBES: &str = "the application refuses clients without a certificate, and probes have none, so the probes only connect to the port";

/// Rule that the files follow, and the variable that tells the rule to the application.
pub(crate) struct Rule {
    /// True if clients without a certificate are refused.
    pub(crate) refuses_unknown: bool,
    pub(crate) variable: Option<(&'static str, String)>,
}

/// Tells the user about the rule of an application that reads no authorities of clients.
pub(crate) fn without_authorities(
    is_rust: bool,
    choice: Option<ClientCertificates>,
    notes: &mut Vec<String>,
) {
    if choice.is_some() {
        notes.push(
            "kit found no `tls.clientCa` in the source: the application asks clients for no certificate, so `--client-certificates` changes nothing"
                .to_owned(),
        );
    } else if is_rust {
        notes.push(
            "the files are for a server that asks clients for no certificate: if clients have certificates, use `--client-certificates`, which sets TLS_CLIENT_CA"
                .to_owned(),
        );
    }
}

/// Finds the rule of an application that reads the authorities of clients: the one of the source, or else the chosen one. Tells the
/// user if these differ, and if the application may not use the chosen one.
pub(crate) fn rule(
    is_rust: bool,
    value: Option<&Value>,
    choice: Option<ClientCertificates>,
    variables: &mut Vec<Variable>,
    notes: &mut Vec<String>,
) -> Rule {
    let given = value.and_then(|value| value.get("clientCertificates"));
    let known = match (value, given.and_then(Value::as_str)) {
        (_, Some("optional")) => Some(ClientCertificates::Optional),
        (_, Some("required")) => Some(ClientCertificates::Required),
        // The default of the option.
        (Some(_), None) if given.is_none() => Some(ClientCertificates::Required),
        _ => None,
    };
    let is_read = is_rust || variables.iter().any(|read| read.name == VARIABLE);
    let mut variable = None;
    match (known, choice) {
        (Some(known), Some(choice)) if known != choice => notes.push(format!(
            "certificates of clients are {} in the source (`tls.clientCertificates`), so the files are for this rule and not for `{}`",
            known.name(),
            choice.name()
        )),
        (None, Some(choice)) if is_read => {
            variables.retain(|read| read.name != VARIABLE);
            variable = Some((VARIABLE, choice.name().to_owned()));
        }
        (None, Some(choice)) => notes.push(format!(
            "`tls.clientCertificates` is known only when the application runs, and the application does not read it from {VARIABLE}: make sure that it is `{}`",
            choice.name()
        )),
        (None, None) if given.is_some() => notes.push(
            "`tls.clientCertificates` is known only when the application runs, so the files are for `required`: if the value is `optional`, use `--client-certificates optional`"
                .to_owned(),
        ),
        _ => {}
    }
    let rule = known.or(choice).unwrap_or(ClientCertificates::Required);
    if rule == ClientCertificates::Required {
        notes.push(PROBES.to_owned());
    }
    Rule {
        refuses_unknown: rule == ClientCertificates::Required,
        variable,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ClientCertificates, PROBES, rule};
    use crate::choices::ClientCertificates::{Optional, Required};
    use crate::variable::{Variable, VariableSource};

    fn read(
        value: Option<&Value>,
        choice: Option<ClientCertificates>,
        name: &str,
        is_rust: bool,
    ) -> (ClientCertificates, Option<String>, usize, String) {
        let mut variables = vec![Variable {
            name: name.to_owned(),
            description: None,
            source: VariableSource::Required,
        }];
        let mut notes = Vec::new();
        let found = rule(is_rust, value, choice, &mut variables, &mut notes);
        let set = found.variable.map(|(name, value)| format!("{name}={value}"));
        let rule = if found.refuses_unknown { Required } else { Optional };
        assert_eq!(found.refuses_unknown, notes.iter().any(|note| note == PROBES));
        notes.retain(|note| note != PROBES);
        (rule, set, variables.len(), notes.join("\n"))
    }

    #[test]
    fn the_rule_of_the_source_wins() {
        let of = |value: Value, choice| read(Some(&value), choice, "OTHER", false);
        let optional = json!({ "clientCertificates": "optional" });
        let (rule, set, _, notes) = of(optional.clone(), None);
        assert_eq!((rule, set, notes.as_str()), (Optional, None, ""));
        let (rule, set, _, notes) = of(optional, Some(Required));
        assert_eq!((rule, set), (Optional, None));
        assert!(notes.contains("are optional in the source"), "{notes}");
        let (rule, _, _, notes) = of(json!({}), Some(Optional));
        assert_eq!(rule, Required);
        assert!(notes.contains("are required in the source"), "{notes}");
    }

    #[test]
    fn a_variable_tells_the_chosen_rule_to_servers_that_read_it() {
        let unknown = json!({ "clientCertificates": null });
        for (value, name, is_rust, left) in [
            (None, "OTHER", true, 1),
            (None, "TLS_CLIENT_CERTIFICATES", true, 0),
            (Some(&unknown), "TLS_CLIENT_CERTIFICATES", false, 0),
        ] {
            let (rule, set, count, notes) = read(value, Some(Optional), name, is_rust);
            assert_eq!(rule, Optional);
            assert_eq!(set.as_deref(), Some("TLS_CLIENT_CERTIFICATES=optional"));
            assert_eq!((count, notes.as_str()), (left, ""));
        }
        let (rule, set, _, notes) = read(Some(&unknown), Some(Optional), "OTHER", false);
        assert_eq!((rule, set), (Optional, None));
        assert!(notes.contains("make sure that it is `optional`"), "{notes}");
    }

    #[test]
    fn clients_need_a_certificate_if_neither_source_nor_choice_has_a_rule() {
        for is_rust in [true, false] {
            let (rule, set, _, notes) = read(None, None, "OTHER", is_rust);
            assert_eq!((rule, set, notes.as_str()), (Required, None, ""));
        }
    }

    #[test]
    fn a_rule_that_only_the_running_application_knows_is_a_note() {
        let unknown = json!({ "clientCertificates": null });
        for name in ["OTHER", "TLS_CLIENT_CERTIFICATES"] {
            let (rule, set, count, notes) = read(Some(&unknown), None, name, false);
            assert_eq!((rule, set, count), (Required, None, 1));
            assert!(notes.contains("`--client-certificates optional`"), "{notes}");
        }
    }
}
