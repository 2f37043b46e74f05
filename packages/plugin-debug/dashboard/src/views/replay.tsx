import type { RequestRecord } from "@kit/types";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { ReplayAnswer, ReplayRequest } from "../../../src/responses/shapes.ts";
import { Pre, Status } from "../parts/basic.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { ApiFailure, askForReplay } from "../state/api.ts";
import { hrefOf } from "../state/place.ts";
import { session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { bytes, duration, prettyJson } from "../text/format.ts";
import { hiddenNames, readHeaders, rememberHidden, withRemembered, writeHeaders } from "../text/headers.ts";

const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Button and dialog that send a request again, unchanged or edited. */
export function Replay({ request }: { readonly request: RequestRecord }): JSX.Element {
  const current = useStore(session);
  const [isOpen, setOpen] = useState(false);
  const token = current.state === "ready" ? current.info.replayToken : null;
  if (token === null || request.received === null) {
    return (
      <span class="muted small-text">
        {token === null
          ? "Requests can be sent again in development only."
          : "The content of this request was not recorded."}
      </span>
    );
  }
  return (
    <>
      <button type="button" class="button" data-shortcut="r" onClick={() => setOpen(true)}>
        <Icon name="replay" />
        <span>Send again</span>
      </button>
      {isOpen && (
        <Dialog title="Send again" onClose={() => setOpen(false)}>
          <Form request={request} token={token} onLeave={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

type Result = { readonly answer: ReplayAnswer } | { readonly problem: string } | "sending" | null;

function Form(props: {
  readonly request: RequestRecord;
  readonly token: string;
  readonly onLeave: () => void;
}): JSX.Element {
  const { request, token, onLeave } = props;
  const { requestId, method, received } = request;
  const own = {
    target: request.target,
    headers: writeHeaders(received!.headers),
    body: received!.body ?? "",
  };
  const [draft, setDraft] = useState({ ...own, headers: withRemembered(received!.headers) });
  const [result, setResult] = useState<Result>(null);
  const missing = hiddenNames(draft);
  const isBodyMissing = received!.body === null && received!.bodyLength > 0 && draft.body === "";
  const send = async (): Promise<void> => {
    setResult("sending");
    rememberHidden(own.headers, draft.headers);
    // The sidecar sends the original value of parts that are left out.
    const question: ReplayRequest = {
      requestId,
      ...(draft.target !== own.target && { target: draft.target }),
      ...(draft.headers !== own.headers && { headers: readHeaders(draft.headers) }),
      ...(draft.body !== own.body && { body: draft.body === "" ? null : draft.body }),
    };
    try {
      setResult({ answer: await askForReplay(question, token) });
    } catch (error) {
      setResult({ problem: error instanceof ApiFailure ? error.message : String(error) });
    }
  };
  return (
    <form
      class="replay"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {!safe.has(method) && (
        <p class="warning">
          {method} may change data: it is sent to the running application, and happens once more.
        </p>
      )}
      {(missing.length > 0 || isBodyMissing) && (
        <p class="warning" data-missing>
          These values are hidden, so the dashboard cannot resend them:{" "}
          {[...missing, ...(isBodyMissing ? ["the body"] : [])].join(", ")}. Fill it in.
        </p>
      )}
      <label>
        <span>
          <span class="method">{method}</span> target
        </span>
        <input
          class="mono"
          value={draft.target}
          spellcheck={false}
          onInput={(event) => setDraft({ ...draft, target: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>Headers, one a line</span>
        <textarea
          class="mono"
          rows={Math.min(8, draft.headers.split("\n").length + 1)}
          spellcheck={false}
          value={draft.headers}
          onInput={(event) => setDraft({ ...draft, headers: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>Body</span>
        <textarea
          class="mono"
          rows={draft.body === "" ? 2 : 5}
          spellcheck={false}
          value={draft.body}
          onInput={(event) => setDraft({ ...draft, body: event.currentTarget.value })}
        />
      </label>
      <div class="actions">
        <button type="submit" class="button primary" disabled={result === "sending"}>
          <Icon name="replay" />
          <span>{result === "sending" ? "Sending…" : "Send"}</span>
        </button>
      </div>
      <div aria-live="polite">
        {result !== null && result !== "sending" && <Outcome result={result} onLeave={onLeave} />}
      </div>
    </form>
  );
}

function Outcome(props: {
  readonly result: Exclude<Result, "sending" | null>;
  readonly onLeave: () => void;
}): JSX.Element {
  const { result, onLeave } = props;
  if ("problem" in result) return <p class="warning bad-text">{result.problem}</p>;
  const { status, durationMs, body, bodyLength, isCut, requestId } = result.answer;
  return (
    <div class="outcome">
      <p>
        <Status status={status} /> <span class="mono">{duration(durationMs)}</span>{" "}
        <span class="muted">{bytes(bodyLength)}</span>{" "}
        {requestId !== null && (
          <a href={hrefOf({ view: "requests", id: requestId })} onClick={onLeave}>
            Show this request
          </a>
        )}
      </p>
      {body !== null && body !== "" && (
        <Pre text={prettyJson(body) + (isCut ? "\n…" : "")} label="Body of the answer" />
      )}
      {body === null && <p class="muted">The answer is no text.</p>}
    </div>
  );
}
