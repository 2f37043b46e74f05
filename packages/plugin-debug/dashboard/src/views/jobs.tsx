import type { JobsReport, QueueReport } from "@kit/types";
import type { JSX } from "preact";

import { Empty, Failure, Loading, Section } from "../parts/basic.tsx";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { count, uptime } from "../text/format.ts";

type Response = { readonly hasJobs: false } | ({ readonly hasJobs: true } & JobsReport);

/** Jobs by name and state, the last failures, the workers and the schedules. */
export function JobsView(): JSX.Element {
  const { value, failure } = useSidecarData<Response>("jobs", 2_000);
  if (value === undefined)
    return failure === undefined ? <Loading what="jobs" /> : <Failure failure={failure} />;
  if (!value.hasJobs) {
    return (
      <Empty title="The application has no jobs">
        Declare jobs with <code>createJobs</code> of <code>@kit/jobs</code>, and add <code>jobs.plugin</code>{" "}
        to the plugins.
      </Empty>
    );
  }
  const { queues, failures, workers, schedules } = value;
  const waits = queues.some(({ waiting }) => waiting > 0);
  return (
    <>
      {workers.length === 0 && waits && (
        <p class="warning bad-text" role="status">
          No worker is running, so the jobs wait.
        </p>
      )}
      <Section title="Jobs" note={count(queues.length)}>
        <div class="scroll" tabIndex={0} role="region" aria-label="Jobs by state">
          <table class="table figures">
            <caption class="offscreen">Jobs by state</caption>
            <thead>
              <tr>
                <th scope="col">Job</th>
                {["Waiting", "Oldest", "Later", "In progress", "Done", "Failed"].map((name) => (
                  <th key={name} scope="col" class="numeric">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {queues.map((queue) => (
                <Row key={queue.name} queue={queue} />
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section title="Workers" note={count(workers.length)}>
        {workers.length === 0 && <p class="muted">None.</p>}
        <ul>
          {workers.map(({ host, pid, active }) => (
            <li key={`${host} ${pid}`}>
              {host}, process {pid}: {count(active)} in progress
            </li>
          ))}
        </ul>
      </Section>
      {schedules.length > 0 && (
        <Section title="Schedules" note={count(schedules.length)}>
          <ul>
            {schedules.map(({ name, key, cron, timeZone }) => (
              <li key={`${name} ${key}`}>
                <span class="strong">{name}</span> {key} <code>{cron}</code> {timeZone}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Failed for the last time" note={count(failures.length)}>
        {failures.length === 0 && <p class="muted">None.</p>}
        <ul>
          {failures.map(({ id, name, attempts, at, message }) => (
            <li key={id}>
              <span class="strong">{name}</span> after {count(attempts)} attempts, {at}
              {message !== null && <p>{message}</p>}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function Row({ queue }: { readonly queue: QueueReport }): JSX.Element {
  const { name, waiting, later, active, completed, failed, oldestSeconds } = queue;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="numeric">{count(waiting)}</td>
      <td class="numeric">{oldestSeconds === null ? "–" : uptime(oldestSeconds)}</td>
      <td class="numeric">{count(later)}</td>
      <td class="numeric">{count(active)}</td>
      <td class="numeric">{count(completed)}</td>
      <td class={failed > 0 ? "numeric bad-text" : "numeric"}>{count(failed)}</td>
    </tr>
  );
}
