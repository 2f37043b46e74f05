//! The service of the official SDK. It describes the tools, and passes calls to the command.

use std::sync::Arc;

use kit_diagnostics::{Code, codes};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, InitializeResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, ServerCapabilities, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::tools::{TOOLS, Tool};

/// Start of the URIs of pages about diagnostic codes.
const CODES: &str = "kit://errors/";

/// URI of the list of routes.
const ROUTES: &str = "kit://routes";

/// Call of a tool.
pub(super) struct Call {
    pub(super) tool: &'static Tool,
    pub(super) arguments: Map<String, Value>,
    pub(super) reply: oneshot::Sender<Answer>,
}

/// Result of a tool.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) is_error: bool,
    /// Sentence about the text, such as that the text is out of date.
    pub(super) note: Option<String>,
}

impl Answer {
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self {
            text: message.into(),
            is_error: true,
            note: None,
        }
    }
}

/// Service of the protocol.
pub(super) struct Service {
    pub(super) calls: mpsc::UnboundedSender<Call>,
    pub(super) allow_run: bool,
}

impl Service {
    /// Calls a tool. If the agent cancels its request, drops the receiver of the answer, which cancels the tool.
    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let tool = Tool::find(name)
            .ok_or_else(|| ErrorData::invalid_params(format!("there is no tool `{name}`"), None))?;
        let (reply, answer) = oneshot::channel();
        let call = Call {
            tool,
            arguments,
            reply,
        };
        let ended = || ErrorData::internal_error("the server is ending", None);
        self.calls.send(call).map_err(|_| ended())?;
        tokio::select! {
            answer = answer => answer.map_err(|_| ended()),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
        }
    }
}

fn described(tool: &Tool) -> rmcp::model::Tool {
    let annotations = ToolAnnotations::with_title(tool.name.replace('_', " "))
        .read_only(!tool.runs_code())
        .destructive(tool.runs_code())
        .open_world(false);
    rmcp::model::Tool::new(tool.name, tool.about, Arc::new(tool.schema())).with_annotations(annotations)
}

impl ServerHandler for Service {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let run = if self.allow_run {
            "Tools whose names begin with `run_` run code of the project."
        } else {
            "To build the project, run its tests or start its database, a person must start the server with `kit mcp --allow-run`."
        };
        InitializeResult::new(capabilities)
            .with_server_info(Implementation::new("kit", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!(
                "Information about a project that uses kit, a framework for typed HTTP APIs. The tools `routes`, `route`, `types`, \
                 `type` and `middleware` describe the last build, and say if the build is out of date; `check` compiles the current \
                 sources. The tools load kit.config.ts, which is code of the project. If an answer names a command such as `kit build` \
                 or `kit inspect routes`, use the tool for it, such as `run_build` or `routes`. {run}"
            ))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().filter(|tool| self.allow_run || !tool.runs_code());
        Ok(ListToolsResult::with_all_items(tools.map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = self.call(&request.name, arguments, &context).await?;
        let mut content = vec![ContentBlock::text(answer.text)];
        content.extend(answer.note.map(ContentBlock::text));
        let result = if answer.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let routes = Resource::new(ROUTES, "routes")
            .with_description("All routes of the built project, as `kit inspect routes --json` prints them.")
            .with_mime_type("application/json");
        Ok(ListResourcesResult::with_all_items(vec![routes]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let code = ResourceTemplate::new(format!("{CODES}{{code}}"), "diagnostic code")
            .with_description("The page about a diagnostic code of kit, such as `KIT1302`.")
            .with_mime_type("text/markdown");
        Ok(ListResourceTemplatesResult::with_all_items(vec![code]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let mut notes = Vec::new();
        let contents = if uri == ROUTES {
            let answer = self.call("routes", Map::new(), &context).await?;
            if answer.is_error {
                let failure = serde_json::from_str::<Value>(&answer.text).unwrap_or_default();
                let message = failure["failures"][0]["message"]
                    .as_str()
                    .map_or(answer.text, str::to_owned);
                return Err(ErrorData::internal_error(message, None));
            }
            let note = answer
                .note
                .map(|note| ResourceContents::text(note, uri.clone()).with_mime_type("text/plain"));
            notes.extend(note);
            ResourceContents::text(answer.text, uri).with_mime_type("application/json")
        } else {
            let code = uri.strip_prefix(CODES).and_then(Code::from_name);
            let Some(code) = code else {
                let first = codes::ALL.first().map_or_else(String::new, |code| code.name());
                let message = format!(
                    "there is no resource `{uri}`; known are `{ROUTES}` and, for example, `{CODES}{first}`"
                );
                return Err(ErrorData::resource_not_found(message, None));
            };
            ResourceContents::text(code.page(), uri).with_mime_type("text/markdown")
        };
        notes.insert(0, contents);
        Ok(ReadResourceResult::new(notes).into())
    }
}
