//! Changes between two states of an application.

use kit_ir::Span;
use serde::Serialize;
use serde_json::Value;

/// Consequence of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consequence {
    /// The new server refuses something that clients of the old contract send.
    BreaksRequests,
    /// The new server answers something that clients of the old contract do not expect.
    BreaksAnswers,
    /// A worker refuses the data of a job that the other release stored, or no worker does the job any more.
    BreaksJobs,
    /// The migration of the database loses stored values.
    LosesData,
    /// The new release refuses the environment variables of the old release, so that the deployment must change them.
    NeedsEnvironment,
    /// Clients that are generated again have other names. Requests and answers stay valid.
    RenamesClient,
    /// Nothing breaks, or the deprecation announced the change.
    Compatible,
}

impl Consequence {
    /// Returns the name in JSON and in messages: `breaks-requests`.
    ///
    /// ```
    /// assert_eq!(kit_diff::Consequence::LosesData.name(), "loses-data");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::BreaksRequests => "breaks-requests",
            Self::BreaksAnswers => "breaks-answers",
            Self::BreaksJobs => "breaks-jobs",
            Self::LosesData => "loses-data",
            Self::NeedsEnvironment => "needs-environment",
            Self::RenamesClient => "renames-client",
            Self::Compatible => "compatible",
        }
    }

    /// Returns true if running clients or jobs break, or stored values are lost.
    ///
    /// ```
    /// use kit_diff::Consequence;
    ///
    /// assert!(Consequence::BreaksAnswers.is_breaking());
    /// assert!(!Consequence::RenamesClient.is_breaking());
    /// ```
    pub fn is_breaking(self) -> bool {
        matches!(
            self,
            Self::BreaksRequests | Self::BreaksAnswers | Self::BreaksJobs | Self::LosesData
        )
    }
}

/// Maximum length of a value in JSON.
const MAX_JSON: usize = 10_000;

/// Returns true for a value that the JSON of a change leaves out.
#[allow(clippy::ref_option)] // Reason: serde calls the function with a reference to the field.
fn is_absent_or_long(value: &Option<Value>) -> bool {
    value
        .as_ref()
        .is_none_or(|value| value.to_string().len() > MAX_JSON)
}

/// A change of one place of the application.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Consequence of the change.
    pub consequence: Consequence,
    /// Name of the kind of change, such as `property-required`.
    pub rule: &'static str,
    /// Route such as `GET /notes/:id`. Empty for a change of the application or the database.
    pub route: String,
    /// Place in the contract, such as `body.items[].price`.
    pub place: String,
    /// Description of the change.
    pub message: String,
    /// False if kit could not decide, so that the change counts as breaking.
    pub certain: bool,
    /// Value at the place that shows the change. `None` if the property is absent, or if no value shows the change.
    #[serde(skip_serializing_if = "is_absent_or_long")]
    pub value: Option<Value>,
    /// Complete value of the slot that shows the change. For requests, the old contract accepts the value and the new
    /// contract refuses it. For answers, the new server can send the value and the old type does not contain it.
    #[serde(skip_serializing_if = "is_absent_or_long")]
    pub example: Option<Value>,
    /// Location in the new state.
    #[serde(skip)]
    pub new_span: Option<Span>,
    /// Location in the old state.
    #[serde(skip)]
    pub old_span: Option<Span>,
}

impl Change {
    /// Returns the location in the new state. Returns `None` if the place is only in the old state, so that the location is
    /// that of what contained the place.
    ///
    /// ```
    /// # use kit_diff::{Change, Consequence};
    /// # use kit_ir::{SourceId, Span};
    /// # let span = Span { source: SourceId(0), start: 0, end: 2, line: 1, column: 1 };
    /// # let mut change = Change {
    /// #     consequence: Consequence::BreaksAnswers, rule: "type", route: "GET /notes".to_owned(),
    /// #     place: "response.title".to_owned(), message: String::new(), certain: true, value: None, example: None,
    /// #     new_span: Some(span), old_span: Some(span),
    /// # };
    /// assert_eq!(change.shown_new_span(), Some(span));
    /// change.rule = "property-removed";
    /// assert_eq!(change.shown_new_span(), None);
    /// ```
    pub fn shown_new_span(&self) -> Option<Span> {
        let is_gone = self.rule == "property-removed" && self.old_span.is_some();
        self.new_span.filter(|_| !is_gone)
    }

    /// Returns the text by which the file of accepted changes names this change, such as
    /// `POST /notes body.title: property-required`.
    ///
    /// ```
    /// # use kit_diff::{Change, Consequence};
    /// # let change = Change {
    /// #     consequence: Consequence::BreaksRequests, rule: "property-required", route: "POST /notes".to_owned(),
    /// #     place: "body.title".to_owned(), message: String::new(), certain: true, value: None, example: None,
    /// #     new_span: None, old_span: None,
    /// # };
    /// assert_eq!(change.id(), "POST /notes body.title: property-required");
    /// ```
    pub fn id(&self) -> String {
        format!("{}: {}", self.full_place(), self.rule)
    }

    /// Returns the route and the place, such as `POST /notes body.title`.
    ///
    /// ```
    /// # use kit_diff::{Change, Consequence};
    /// # let change = Change {
    /// #     consequence: Consequence::BreaksRequests, rule: "property-required", route: "POST /notes".to_owned(),
    /// #     place: "body.title".to_owned(), message: String::new(), certain: true, value: None, example: None,
    /// #     new_span: None, old_span: None,
    /// # };
    /// assert_eq!(change.full_place(), "POST /notes body.title");
    /// ```
    pub fn full_place(&self) -> String {
        let parts = [self.route.as_str(), self.place.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }
}
