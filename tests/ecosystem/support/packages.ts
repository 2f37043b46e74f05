// Contracts with typical types of packages that many projects use.

import type { Contract } from "./contract.ts";

/** A package, with a contract that uses its types. */
export interface Package extends Contract {
  readonly name: string;
  /**
   * Types that kit refuses, with the message of the first mistake. The message and its suggestion say what to do.
   */
  readonly refused?: Readonly<Record<string, RegExp>>;
}

export const packages: readonly Package[] = [
  {
    name: "@octokit/openapi-types",
    source:
      'import type { components } from "@octokit/openapi-types";\ntype Schemas = components["schemas"];',
    types: {
      SimpleUser: 'Schemas["simple-user"]',
      Issue: 'Schemas["issue"]',
      Repository: 'Schemas["repository"]',
      PullRequest: 'Schemas["pull-request-simple"]',
      License: 'Schemas["license-simple"]',
    },
  },
  {
    name: "stripe",
    source: 'import type Stripe from "stripe";',
    types: {
      Customer: "Stripe.Customer",
      Address: "Stripe.Address",
      PaymentIntent: "Stripe.PaymentIntent",
      NewCustomer: "Stripe.CustomerCreateParams",
    },
    // They contain a class of decimal numbers with `toJSON`.
    onlyAnswers: ["Customer", "PaymentIntent"],
  },
  {
    name: "kubernetes-types",
    source:
      'import type { Deployment } from "kubernetes-types/apps/v1";\nimport type { ConfigMap, Pod, Service } from "kubernetes-types/core/v1";',
    types: { PodBody: "Pod", DeploymentBody: "Deployment", ServiceBody: "Service", ConfigBody: "ConfigMap" },
  },
  {
    name: "discord-api-types",
    source:
      'import type { APIEmbed, APIGuildMember, APIMessage, APIUser, RESTPostAPIChannelMessageJSONBody } from "discord-api-types/v10";',
    types: {
      User: "APIUser",
      Embed: "APIEmbed",
      Member: "APIGuildMember",
      Message: "APIMessage",
      NewMessage: "RESTPostAPIChannelMessageJSONBody",
    },
  },
  {
    name: "vscode-languageserver-types",
    source:
      'import type { CompletionItem, Diagnostic, DocumentSymbol, TextEdit, WorkspaceEdit } from "vscode-languageserver-types";',
    types: {
      Mistake: "Diagnostic",
      Edit: "TextEdit",
      Edits: "WorkspaceEdit",
      Completion: "CompletionItem",
      Outline: "DocumentSymbol",
    },
  },
  {
    name: "@types/geojson",
    source: 'import type { Feature, FeatureCollection, Geometry, Point } from "geojson";',
    types: {
      PointBody: "Point",
      GeometryBody: "Geometry",
      Place: "Feature<Point, { name: string }>",
      Places: "FeatureCollection",
    },
  },
  {
    name: "@types/aws-lambda",
    source:
      'import type { APIGatewayProxyEventV2, APIGatewayProxyResult, S3Event, SQSEvent } from "aws-lambda";',
    types: {
      Upload: "S3Event",
      Queue: "SQSEvent",
      Request: "APIGatewayProxyEventV2",
      Result: "APIGatewayProxyResult",
    },
  },
  {
    name: "@supabase/supabase-js",
    source: 'import type { Factor, Session, User, UserIdentity } from "@supabase/supabase-js";',
    types: { UserBody: "User", SessionBody: "Session", Identity: "UserIdentity", FactorBody: "Factor" },
  },
  {
    name: "schema-dts",
    source: 'import type { Organization, Person, PostalAddress, WithContext } from "schema-dts";',
    types: {
      City: '{ city: Exclude<PostalAddress, string>["addressLocality"] }',
      Address: "PostalAddress",
      Author: "Person",
      Company: "WithContext<Organization>",
    },
    // Each type refers to most of the about 800 types of schema.org, whose unions have hundreds of members.
    refused: {
      City: /more than 100000 steps/,
      Address: /more than 100000 steps/,
      Author: /more than 100000 steps/,
      Company: /more than 100000 steps/,
    },
  },
  {
    name: "openai",
    source: 'import type OpenAI from "openai";',
    types: {
      Completion: "OpenAI.ChatCompletion",
      Prompt: "OpenAI.ChatCompletionMessageParam",
      Usage: "OpenAI.CompletionUsage",
      Params: "OpenAI.ChatCompletionCreateParamsNonStreaming",
      Answer: "OpenAI.Responses.Response",
    },
  },
  {
    name: "@notionhq/client",
    source:
      'import type { BlockObjectResponse, PageObjectResponse, RichTextItemResponse, UserObjectResponse } from "@notionhq/client";',
    types: {
      Page: "PageObjectResponse",
      Text: "RichTextItemResponse",
      Block: "BlockObjectResponse",
      Member: "UserObjectResponse",
    },
  },
  {
    name: "type-fest",
    source: `import type { CamelCasedPropertiesDeep, Except, JsonValue, Jsonify, Merge, PartialDeep, ReadonlyDeep, RequireAtLeastOne, SetOptional, Simplify } from "type-fest";
interface User { first_name: string; address: { zip_code: string; tags: string[] }; age?: number }`,
    types: {
      Partial: "PartialDeep<User>",
      Camel: "CamelCasedPropertiesDeep<User>",
      Without: 'Simplify<Except<User, "age">>',
      Merged: "Merge<User, { age: string }>",
      Optional: 'SetOptional<User, "first_name">',
      Frozen: "ReadonlyDeep<User>",
      Json: "JsonValue",
      Wire: "Jsonify<User & { at: Date }>",
      One: "RequireAtLeastOne<{ mail?: string; phone?: string }>",
    },
  },
];
