// Tests of the log on a descriptor with failing writes: a full disk, an interrupted call, a reader that is gone.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { DescriptorSink, type Output } from "../src/logging/stdout-sink.ts";

function failed(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: write failed`), { code });
}

/**
 * Output whose writes fail with the error code `code` as long as a test has set a code. Without a code, each write accepts at most `most`
 * bytes.
 */
class FailingOutput implements Output {
  code: string | undefined;
  most = Number.POSITIVE_INFINITY;
  text = "";
  calls = 0;

  constructor(code?: string) {
    this.code = code;
  }

  write(
    _descriptor: number,
    bytes: Uint8Array,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ): void {
    setImmediate(() => {
      try {
        done(null, this.writeSync(1, bytes));
      } catch (error) {
        done(error as NodeJS.ErrnoException, 0);
      }
    });
  }

  writeSync(_descriptor: number, bytes: Uint8Array): number {
    this.calls += 1;
    if (this.code !== undefined) throw failed(this.code);
    const part = Buffer.from(bytes).subarray(0, Math.min(this.most, bytes.length));
    this.text += part.toString();
    return part.length;
  }
}

async function until(is: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !is(); round += 1) await wait(10);
  assert.ok(is());
}

describe("a log whose writes fail", () => {
  for (const code of ["ENOSPC", "EDQUOT", "EIO", "EINTR", "EAGAIN", "EFBIG"]) {
    it(`is written in full and in order after the error ${code}`, async () => {
      const output = new FailingOutput();
      const sink = new DescriptorSink(1, output);
      sink.write("before");
      await until(() => output.text === "before\n");
      output.code = code;
      sink.write("first");
      await until(() => output.calls >= 3);
      sink.write("second");
      assert.equal(output.text, "before\n");
      output.code = undefined;
      output.most = 3;
      await until(() => output.text === "before\nfirst\nsecond\n");
    });
  }

  for (const code of ["EPIPE", "EBADF"]) {
    it(`is not written again after the error ${code}, because the reader is gone`, async () => {
      const output = new FailingOutput(code);
      const sink = new DescriptorSink(1, output);
      sink.write("first");
      await until(() => output.calls === 1);
      output.code = undefined;
      sink.write("second");
      await wait(150);
      assert.equal(output.calls, 1);
    });
  }

  it("drops entries above a limit, and writes one line with their number and the reason", async () => {
    const output = new FailingOutput("ENOSPC");
    const sink = new DescriptorSink(1, output);
    const line = "x".repeat(1023);
    const count = 20_000;
    sink.write(line);
    await until(() => output.calls >= 2);
    for (let index = 1; index < count; index += 1) sink.write(line);
    output.code = undefined;
    await until(() => output.text.includes("dropped"));
    sink.write("after");
    await until(() => output.text.endsWith("after\n"));
    const lines = output.text.trimEnd().split("\n");
    const notes = lines.filter((text) => text.includes("dropped"));
    const dropped = notes.map((note) => {
      const entry = JSON.parse(note) as { level: string; message: string };
      assert.equal(entry.level, "error");
      assert.match(entry.message, /^\d+ log entries were dropped: writing the log failed with ENOSPC$/);
      return Number.parseInt(entry.message, 10);
    });
    assert.equal(dropped.length, 1);
    assert.equal(lines.length - notes.length - 1 + dropped[0]!, count);
    assert.ok(output.text.length < 9 * 1024 * 1024, `${output.text.length} bytes were kept`);
  });

  it("continues when a full disk has free space again", (test) => {
    const directory = mkdtempSync(join(tmpdir(), "kit-full-disk-"));
    try {
      const sink = new URL("../src/logging/stdout-sink.ts", import.meta.url).href;
      const program = `
        import { stdoutSink } from ${JSON.stringify(sink)};
        import { existsSync, statSync, writeFileSync } from "node:fs";
        const sink = stdoutSink();
        const pause = (ms) => new Promise((done) => setTimeout(done, ms));
        const write = (name, count) => { for (let i = 0; i < count; i++) sink.write(name + " " + String(i).padEnd(90, ".")); };
        write("before", 100);
        await pause(100);
        for (let batch = 0; batch < 20; batch++) {
          write("during", 10_000);
          await pause(20);
        }
        writeFileSync(process.argv[1] + "/is-full", "");
        while (!existsSync(process.argv[1] + "/has-room")) await pause(10);
        for (let size = -1; size !== statSync(process.argv[1] + "/disk/log").size; await pause(1200)) {
          size = statSync(process.argv[1] + "/disk/log").size;
        }
        write("after", 100);`;
      // A disk of 64 KB in its own mount namespace, which ends with the shell.
      const script = `
        mkdir disk && mount -t tmpfs -o size=64k tmpfs disk || exit 77
        "$NODE" --input-type=module -e "$PROGRAM" "$PWD" > disk/log &
        for i in $(seq 1000); do [ -e is-full ] && break; sleep 0.02; done
        wc -l < disk/log > lines-on-full-disk
        mount -o remount,size=64m disk; touch has-room
        wait $!; code=$?; cat disk/log; exit $code`;
      const ran = spawnSync("unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", script], {
        cwd: directory,
        env: { ...process.env, NODE: process.execPath, PROGRAM: program },
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
      });
      if (ran.error !== undefined || ran.status === 77 || /unshare/.test(ran.stderr)) {
        test.skip("no disk of a chosen size can be mounted here");
        return;
      }
      assert.equal(ran.status, 0, ran.stderr);
      const lines = ran.stdout.trimEnd().split("\n");
      const count = (start: string): number => lines.filter((line) => line.startsWith(start)).length;
      const notes = lines.filter((line) => line.includes("dropped: writing the log failed with ENOSPC"));
      const dropped = notes.reduce((sum, note) => sum + Number(/(\d+) log entries/.exec(note)?.[1]), 0);
      test.diagnostic(
        `before ${count("before ")} of 100, during ${count("during ")} of 200000, dropped ${dropped}, after ${count("after ")} of 100`,
      );
      assert.equal(count("before "), 100);
      assert.equal(count("after "), 100);
      assert.ok(dropped > 0);
      assert.equal(count("during ") + dropped, 200_000);
      assert.equal(lines.length, 200 + count("during ") + notes.length);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
