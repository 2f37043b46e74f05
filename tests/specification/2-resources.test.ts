import { run } from "./run.ts";
import { tags } from "./sections/2-1-tags.ts";
import { note, otherEntities } from "./sections/2-2-entities.ts";
import { contracts, handlerInput } from "./sections/2-4-contracts.ts";
import { application } from "./sections/2-6-application.ts";
import { compiledRoutes } from "./sections/2-7-compiled.ts";
import { configuration } from "./sections/2-8-configuration.ts";
import { artifacts } from "./sections/2-9-artifacts.ts";

run(
  tags,
  note,
  otherEntities,
  contracts,
  handlerInput,
  application,
  compiledRoutes,
  configuration,
  artifacts,
);
