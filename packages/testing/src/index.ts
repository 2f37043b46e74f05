/**
 * Tests of kit applications: a client for an application under test, a database for tests, and the functions that generated contract tests
 * call.
 *
 * @module
 */
export { contractTests } from "./contracts/suite.ts";
export type { AcceptedRow, ContractTests, RefusedRow, RouteTable, TestRunner } from "./contracts/tables.ts";
export type { ContractParts, Contracts, Slot } from "./coverage/contracts.ts";
export { characters, items, missing, nested } from "./values/values-at-paths.ts";
export { createTestClient, type TestClient, type TestRequest } from "./client.ts";
export { HandshakeError, type TestSocket } from "./test-socket.ts";
export type { CookieValues, HeaderValue, HeaderValues, TestHeaders, TextValue } from "./header-texts.ts";
export {
  createFactory,
  type Factory,
  type FactoryOptions,
  type OverridesOrFunction,
  type Invalid,
} from "./factory/factory.ts";
export type { Field, FieldValue, Overrides, RuleOf } from "./factory/types.ts";
export {
  assertMatches,
  type MatcherResult,
  type MatchOptions,
  schemaMatchers,
  type SchemaMatchers,
} from "./matching/match.ts";
export type { ProjectRouteMap, ProjectTypeMap, TypeName, TypeNamed } from "./project/known-types.ts";
export type { RuleName } from "./values/index.ts";
export {
  createIntegrationSuite,
  type IntegrationSuite,
  type IntegrationSuiteOptions,
} from "./suite/suite.ts";
export type { GivenNames, RequestArguments, SuiteRequest } from "./suite/request.ts";
export type { TestResponse } from "./test-response.ts";
export { testDatabase, type TestDatabaseOptions } from "./database.ts";
export { defineFixtures, type Fixture, type FixtureMaker, type Fixtures } from "./fixtures.ts";
