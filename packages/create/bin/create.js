#!/usr/bin/env node
import { start } from "@kit/cli/start";

start(["create", ...process.argv.slice(2)]);
