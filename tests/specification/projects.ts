// Projects and applications that the statements in one file share. Each is created when a statement first needs it.

import { type RunningApp, type StartOptions } from "../e2e/support/running-app.ts";
import { Project } from "../e2e/support/project.ts";
import { playgroundFiles } from "./playground.ts";

const projects: Project[] = [];

/** Returns a function that calls `make` when it is called first. All calls return the same result. */
export function onlyOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Stops everything that runs in the projects, and removes them. */
export async function removeProjects(): Promise<void> {
  for (const project of projects.splice(0)) await project.remove();
}

/** Creates a project with these files. It is removed at the end. */
export async function projectOf(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await Project.of(new Map(Object.entries(files)));
  projects.push(project);
  return project;
}

/** Notes example, built, with its migrations applied. */
export const notes: () => Promise<Project> = onlyOnce(async () => {
  const project = await Project.ready();
  projects.push(project);
  return project;
});

/** Copies the Notes example as it is in git, without build output. */
export async function notesWithoutTables(): Promise<Project> {
  const project = await Project.copy();
  projects.push(project);
  return project;
}

/** Notes example in development, with its sidecar. */
export const notesApp: () => Promise<RunningApp> = onlyOnce(async () => (await notes()).start());

/** Teams example with users, todos and teams, built, without a database. */
export const teams: () => Promise<Project> = onlyOnce(async () => {
  const project = await Project.copy("teams");
  projects.push(project);
  await project.kitOk("generate");
  return project;
});

/** Built application with routes that Notes does not have; see `playground.ts`. */
export const playground: () => Promise<Project> = onlyOnce(async () => {
  const project = await projectOf(playgroundFiles);
  await project.kitOk("generate");
  return project;
});

/** Starts the playground. `sidecar` are the options of `debugPlugin`. Without them, there is no sidecar. */
export async function startPlayground(
  options: StartOptions & {
    readonly sidecar?: object;
    readonly app?: object;
    readonly adapter?: string;
  } = {},
): Promise<RunningApp> {
  const { sidecar, app = {}, adapter = "native", ...start } = options;
  const env = {
    ...start.env,
    APP: JSON.stringify(app),
    ADAPTER: adapter,
    ...(sidecar && { SIDECAR: JSON.stringify({ port: 0, ...sidecar }) }),
  };
  return (await playground()).start({ ...start, env });
}

/** Playground in development, with its sidecar. */
export const playgroundApp: () => Promise<RunningApp> = onlyOnce(() =>
  startPlayground({ sidecar: { mode: "dev" } }),
);

/** Playground in production, without a sidecar. */
export const playgroundInProduction: () => Promise<RunningApp> = onlyOnce(() =>
  startPlayground({ mode: "production" }),
);
