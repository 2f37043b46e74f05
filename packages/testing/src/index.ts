/**
 * Tests of kit applications: a client for an application under test, a database for it, and what generated contract tests call.
 *
 * @module
 */
export { type ContractTests, contractTests } from "./contracts/suite.ts";
export type { RefusedRow, RouteTable, Slot, TakenRow, TestRunner } from "./contracts/tables.ts";
export { characters, items, missing, nested } from "./contracts/values.ts";
export { createTestClient, type TestAnswer, type TestClient, type TestRequest } from "./client.ts";
export { testDatabase, type TestDatabaseOptions } from "./database.ts";
export { defineFixtures, type Fixture, type FixtureMaker, type Fixtures } from "./fixtures.ts";
