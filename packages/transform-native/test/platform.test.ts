import assert from "node:assert/strict";
import { test } from "node:test";

import { loadCompiler } from "@kit/transform-native";

import { addonPath, type PlatformInfo } from "../src/platform.ts";

function machine(change: Partial<PlatformInfo>): PlatformInfo {
  return {
    platform: "linux",
    arch: "x64",
    musl: () => false,
    exists: () => true,
    directory: "/kit/native",
    resolve: (name) => {
      throw new Error(`Cannot find module '${name}'`);
    },
    ...change,
  };
}

function installed(name: string): string {
  return `/app/node_modules/${name}/addon.node`;
}

test("each supported platform has an addon of its own", () => {
  assert.equal(addonPath(machine({})), "/kit/native/kit-compiler.linux-x64-gnu.node");
  assert.equal(addonPath(machine({ musl: () => true })), "/kit/native/kit-compiler.linux-x64-musl.node");
  const mac = machine({ platform: "darwin", arch: "arm64" });
  assert.equal(addonPath(mac), "/kit/native/kit-compiler.darwin-arm64.node");
});

test("the error for an unsupported platform lists the supported platforms", () => {
  const message =
    /does not run on freebsd-x64 yet\. It runs on linux-x64-gnu, .* runs on every platform of Node\.$/;
  assert.throws(() => addonPath(machine({ platform: "freebsd" })), { message });
});

test("the error for a missing addon names its package and the command to run", () => {
  const message =
    /@kit\/transform-native-linux-x64-gnu is not installed\. .*`npm install` here\. .*`cargo xtask addons`/;
  assert.throws(() => addonPath(machine({ exists: () => false })), { message });
});

test("loads the addon from the platform's package unless an addon was built locally", () => {
  const found = addonPath(machine({ exists: () => false, resolve: installed }));
  assert.equal(found, "/app/node_modules/@kit/transform-native-linux-x64-gnu/addon.node");
  assert.equal(addonPath(machine({ resolve: installed })), "/kit/native/kit-compiler.linux-x64-gnu.node");
});

test("the addon has the version of the package", () => {
  assert.equal(loadCompiler().version(), "0.1.0");
});

test("step throws an error if the first call has a reply", () => {
  const { Command } = loadCompiler();
  const command = new Command(["build", "--root", "/nowhere/at/all", "--json"]);
  assert.throws(() => command.step('{"value":1}'), /the first step none/);
});

test("step throws an error for a reply that is not JSON", () => {
  const { Command } = loadCompiler();
  assert.throws(() => new Command(["--version"]).step("{"), /^Error: the reply is not valid: /);
});
