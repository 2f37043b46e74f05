import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../../../core/test/support/free-port.ts";
import { Authority } from "../../../server-node/test/certificates.ts";
import { sendRequest, isAlive, type Line, Load, Program, until, whoAnswers } from "./support.ts";

const isLinux = process.platform === "linux";

/** Returns true for the log entry about a worker that exited. */
function isRestart({ message }: Line): boolean {
  return message === "A worker exited and is restarted";
}

/** Returns true for the line that the primary process prints when `listen` has resolved or rejected. */
function isOutcome({ listening, rejected, worker }: Line): boolean {
  return worker === undefined && (listening ?? rejected) !== undefined;
}

test("listen resolves when all workers listen, and only workers respond to requests", async () => {
  await using program = new Program({ KIT_TEST_WORKERS: "3" });
  const port = await program.port();
  // The line that a worker prints after `listen` may come after the line of the primary.
  const listening = await program.linesOf(({ listening: pid }) => pid !== undefined, 4);
  assert.deepEqual(new Set(listening.map(({ worker }) => worker)), new Set([1, 2, 3, undefined]));
  assert.deepEqual(
    new Set(listening.map((line) => line.port)),
    new Set([port]),
    "port 0 is one port for all",
  );
  // Plugins run in the processes that serve requests.
  assert.equal(
    program.lines.some(({ started }) => started === program.child.pid),
    false,
  );
  assert.equal(program.lines.filter(({ started }) => started !== undefined).length, 3);

  const answers = await whoAnswers(port);
  assert.equal(answers.has("none"), false);
  if (isLinux) assert.deepEqual(new Set(answers.keys()), new Set(["1", "2", "3"]));
  assert.equal((await sendRequest(port, "/readyz")).status, 200);
  // A process that a worker starts is not a worker.
  assert.equal((await sendRequest(port, "/workers")).text, "undefined");

  program.signal("SIGTERM");
  assert.deepEqual(await program.end(), { code: 0, signal: null });
  assert.equal(program.lines.filter(({ stopped }) => stopped !== undefined).length, 3);
  assert.equal(program.errors, "");
});

test("the primary process redirects plain HTTP to the workers until it ends", async () => {
  using authority = new Authority();
  const { cert, key } = authority.sign();
  writeFileSync(authority.path("server.pem"), cert);
  writeFileSync(authority.path("server.key"), key);
  await using program = new Program({ KIT_TEST_TLS: authority.directory });
  const port = await program.port();
  const { redirectPort } = await program.line(isOutcome);
  const listening = await program.linesOf(({ listening: pid }) => pid !== undefined, 3);
  assert.equal(listening.filter((line) => line.redirectPort !== undefined).length, 1);
  const answer = await fetch(`http://127.0.0.1:${redirectPort}/who`, { redirect: "manual" });
  assert.deepEqual([answer.status, answer.headers.get("location")], [308, `https://127.0.0.1:${port}/who`]);
  program.signal("SIGTERM");
  assert.deepEqual(await program.end(), { code: 0, signal: null });
  assert.equal(program.errors, "");
});

test("restarts a worker that is killed under load, while the other workers respond", async () => {
  await using program = new Program();
  const port = await program.port();
  const first = program.pidOf(1);
  const load = new Load(port, 8);
  await until(
    () => load.answered > 50,
    () => "no load",
  );
  process.kill(first, "SIGKILL");
  const entry = await program.line(isRestart);
  assert.deepEqual(entry.data, {
    worker: 1,
    pid: first,
    exitCode: null,
    signal: "SIGKILL",
    restartInMs: 100,
  });
  assert.equal(entry.level, "error");
  const again = await program.line(({ message }) => message === "A worker listens again");
  const now = load.answered;
  await until(
    () => load.answered > now + 50,
    () => "no more answers",
  );
  await load.stop();
  // The operating system has assigned some connections to the process before its end. For each client, the pending request and the next one
  // may fail.
  assert.ok(load.failed <= 16, `${load.failed} failed`);
  const answers = await whoAnswers(port);
  if (isLinux) assert.deepEqual(answers.get("1"), new Set([String(again.data!.pid)]));
  assert.notEqual(again.data!.pid, first);
});

test("a worker that does not look for SIGHUP itself goes on, as while it starts", async () => {
  await using program = new Program();
  const port = await program.port();
  const pid = program.pidOf(1);
  process.kill(pid, "SIGHUP");
  const answers = await whoAnswers(port);
  if (isLinux) assert.deepEqual(answers.get("1"), new Set([String(pid)]));
  assert.equal(isAlive(pid), true);
  assert.equal(program.lines.some(isRestart), false);
});

test("waits longer before each restart of a worker that exits repeatedly", async () => {
  await using program = new Program();
  await program.port();
  let pid = program.pidOf(2);
  for (const restartInMs of [100, 200, 400]) {
    const from = program.lines.length;
    const killed = performance.now();
    process.kill(pid, "SIGKILL");
    const entry = await program.line(isRestart, from);
    assert.equal(entry.data!.restartInMs, restartInMs);
    const again = await program.line((line) => line.message === "A worker listens again", from);
    pid = again.data!.pid!;
    assert.ok(performance.now() - killed >= restartInMs);
  }
});

test("retries the start of a worker that fails to restart, and logs the reason", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "restart" });
  await program.port();
  const pid = program.pidOf(1);
  process.kill(pid, "SIGKILL");
  const failure = await program.line(({ message }) => message === "A worker could not start");
  assert.match(JSON.stringify(failure.data), /onStart of the plugin probe failed.*not again/);
  await until(
    () => program.lines.filter(isRestart).length >= 4,
    () => "no further start",
  );
  assert.deepEqual(
    program.lines
      .filter(isRestart)
      .slice(0, 4)
      .map((line) => line.data!.restartInMs),
    [100, 200, 400, 800],
  );
  program.signal("SIGTERM");
  assert.equal((await program.end()).code, 0, "also while one waits to be started again");
});

test("after SIGTERM under load, the workers respond to all requests that were sent before it", async () => {
  await using program = new Program();
  const port = await program.port();
  const answers: Promise<{ status: number }>[] = [];
  for (let index = 0; index < 40; index += 1) answers.push(sendRequest(port, "/slow"));
  // All requests are in progress now: sent, and without a response.
  await sleep(100);
  program.signal("SIGTERM");
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.deepEqual(await program.end(), { code: 0, signal: null });
});

test("after SIGTERM during the start of a later worker, the first worker responds and the program exits with 0", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "slow 2" });
  const { port } = await program.line(({ listening, worker }) => listening !== undefined && worker === 1);
  await program.line(({ started, worker }) => started !== undefined && worker === 2);
  const answer = sendRequest(port!, "/slow");
  await sleep(50);
  program.signal("SIGTERM");
  assert.equal((await answer).status, 200);
  assert.deepEqual(
    { ...(await program.end()), log: program.log() + program.errors },
    { code: 0, signal: null, log: "" },
  );
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} to the whole process group while the first worker starts exits with 0`, async () => {
    await using program = new Program({ KIT_TEST_FAIL: "slow 1" });
    await program.line(({ started, worker }) => started !== undefined && worker === 1);
    for (const pid of program.pids()) process.kill(pid, signal);
    assert.deepEqual(
      { ...(await program.end()), log: program.log() + program.errors },
      { code: 0, signal: null, log: "" },
    );
  });
}

test("exits with 0 if a signal to the process group ends the first worker before the primary notices the signal", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "slow 1" });
  const { started } = await program.line((line) => line.started !== undefined && line.worker === 1);
  process.kill(started!, "SIGINT");
  await until(
    () => !isAlive(started!),
    () => "the worker is left",
  );
  program.signal("SIGINT");
  assert.deepEqual(
    { ...(await program.end()), log: program.log() + program.errors },
    { code: 0, signal: null, log: "" },
  );
});

test("during the shutdown delay, workers serve requests but report that they are not ready", async () => {
  await using program = new Program({ KIT_TEST_DELAY: "1000" });
  const port = await program.port();
  assert.equal((await sendRequest(port, "/readyz")).status, 200);
  program.signal("SIGTERM");
  const start = performance.now();
  let status = 200;
  while (status === 200) ({ status } = await sendRequest(port, "/readyz"));
  assert.equal(status, 503);
  assert.equal((await sendRequest(port, "/who")).status, 200);
  assert.deepEqual(await program.end(), { code: 0, signal: null });
  assert.ok(performance.now() - start >= 990, "it ended before the delay was over");
});

test("a signal to the whole process group closes the application once", async () => {
  await using program = new Program();
  const port = await program.port();
  const answer = sendRequest(port, "/slow");
  await sleep(50);
  // Ctrl-C sends SIGINT to the whole process group.
  for (const pid of program.pids()) process.kill(pid, "SIGINT");
  assert.equal((await answer).status, 200);
  assert.deepEqual(
    { ...(await program.end()), log: program.log() + program.errors },
    { code: 0, signal: null, log: "" },
  );
  assert.equal(program.lines.filter(({ stopped }) => stopped !== undefined).length, 2);
});

test("a second signal kills all processes of the program at once", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "hang" });
  await program.port();
  program.signal("SIGTERM");
  await program.line(({ stopped }) => stopped !== undefined);
  program.signal("SIGTERM");
  assert.deepEqual(await program.end(), { code: 143, signal: null });
  await until(
    () => !program.pids().some(isAlive),
    () => "workers are left",
  );
});

test("workers finish their requests and exit if their primary is killed", async () => {
  await using program = new Program();
  const port = await program.port();
  const answers = Array.from({ length: 10 }, () => sendRequest(port, "/slow"));
  await sleep(50);
  program.signal("SIGKILL");
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]));
  await until(
    () => !program.pids().some(isAlive),
    () => "workers are left",
  );
  await assert.rejects(sendRequest(port, "/who"), { code: "ECONNREFUSED" });
});

test("the program exits with 1 if a plugin fails to stop", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "stop" });
  await program.port();
  program.signal("SIGTERM");
  assert.equal((await program.end()).code, 1);
  assert.match(
    JSON.stringify(program.lines),
    /Worker 1 did not shut down cleanly: exit code 1; Worker 2 did/,
  );
});

test("listen rejects once, with the error of a worker that cannot start", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "start", KIT_TEST_WORKERS: "4" });
  assert.equal((await program.end()).code, 3);
  const rejections = program.lines.filter(({ rejected }) => rejected !== undefined);
  assert.equal(rejections.length, 1);
  assert.equal(rejections[0]!.message, "Worker 1 could not start: onStart of the plugin probe failed");
  assert.match(rejections[0]!.cause!, /no database/);
  assert.equal(program.pids().length, 2, "the others were not started");
});

test("listen rejects if a worker exits before it listens", async () => {
  await using program = new Program({ KIT_TEST_FAIL: "exit" });
  assert.equal((await program.end()).code, 3);
  const { message } = program.lines.find(({ rejected }) => rejected !== undefined)!;
  assert.equal(
    message,
    "Worker 1 exited before it listened on the port: exit code 7. The reason is in the output of the worker",
  );
});

test("listen rejects once if the port is in use, and no worker starts", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  await using program = new Program({ PORT: String(port) });
  assert.equal((await program.end()).code, 3);
  const rejection = program.lines.find(({ rejected }) => rejected !== undefined)!;
  assert.equal(rejection.code, "EADDRINUSE");
  assert.match(rejection.message!, /^port \d+ is in use by another program \(EADDRINUSE\)\n/);
  assert.equal(program.pids().length, 1);
  other.close();
});

test("two applications with workers never share a port, even if both start at the same time", async () => {
  const port = await freePort();
  await using one = new Program({ PORT: String(port) });
  await using two = new Program({ PORT: String(port) });
  const lines = await Promise.all([one.line(isOutcome), two.line(isOutcome)]);
  assert.deepEqual(lines.map(({ code }) => code).toSorted(), ["EADDRINUSE", undefined]);
  // The application that has the port keeps it even while none of its workers runs.
  const winner = lines[0]!.code === undefined ? one : two;
  for (const pid of winner.pids()) if (pid !== winner.child.pid) process.kill(pid, "SIGKILL");
  await using third = new Program({ PORT: String(port), KIT_TEST_WORKERS: "1" });
  assert.equal((await third.line(isOutcome)).code, "EADDRINUSE");
});

test("one worker runs in this process, and listen refuses several workers on a Unix socket", async () => {
  await using alone = new Program({ KIT_TEST_WORKERS: "1" });
  const port = await alone.port();
  assert.deepEqual(await whoAnswers(port, 3), new Map([["none", new Set([String(alone.child.pid)])]]));

  await using unix = new Program({ KIT_TEST_PATH: "/tmp/kit-workers-never.sock" });
  assert.equal((await unix.end()).code, 3);
  assert.match(unix.lines.at(-1)!.message!, /processes cannot share a Unix socket/);
});

test("passes the flags of node to the workers, except the inspector's port", async () => {
  await using program = new Program({}, ["--inspect=0", "--title=kit-flags"]);
  await program.port();
  assert.equal(program.errors.match(/Debugger listening on/g)?.length, 3);
  assert.doesNotMatch(program.errors, /address already in use/);
});

test("workers serve on node:http too", { skip: !isLinux && "Node shares ports on Linux only" }, async () => {
  await using program = new Program({ KIT_SERVER: "node" });
  const port = await program.port();
  assert.deepEqual(new Set((await whoAnswers(port)).keys()), new Set(["1", "2"]));
  await using other = new Program({ KIT_SERVER: "node", PORT: String(port) });
  assert.equal((await other.line(isOutcome)).code, "EADDRINUSE");
  process.kill(program.pidOf(2), "SIGKILL");
  await program.line(({ message }) => message === "A worker listens again");
  const answers = Array.from({ length: 10 }, () => sendRequest(port, "/slow"));
  await sleep(100);
  program.signal("SIGTERM");
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]));
  assert.deepEqual(await program.end(), { code: 0, signal: null });
});

test("the handle in the primary returns the status of each worker", async () => {
  await using program = new Program();
  await program.port();
  const { workers } = await program.line(isOutcome);
  assert.deepEqual(
    workers,
    [1, 2].map((number) => ({ number, pid: program.pidOf(number), state: "listening", restarts: 0 })),
  );
});

test("a very long grace period does not overflow the timer that kills workers", async () => {
  await using program = new Program({ KIT_TEST_GRACE: String(2 ** 31 - 1) });
  const port = await program.port();
  const answer = sendRequest(port, "/slow");
  await sleep(50);
  program.signal("SIGUSR2");
  assert.equal((await answer).status, 200);
  assert.deepEqual(
    { ...(await program.end()), log: program.log() + program.errors },
    { code: 0, signal: null, log: "" },
  );
});
