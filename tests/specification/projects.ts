// Projects and running applications that the statements of one file share. Each is created when a statement first needs it.

import { type RunningApp, type StartOptions } from "../e2e/support/running-app.ts";
import { Project } from "../e2e/support/project.ts";
import { playgroundFiles } from "./playground.ts";

const projects: Project[] = [];

/** Returns a function that runs `make` at the first call, and returns the same result to every caller. */
export function onlyOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Removes all projects, and stops everything that runs in them. */
export async function removeProjects(): Promise<void> {
  for (const project of projects.splice(0)) await project.remove();
}

/** Creates a project with these files. The project is removed at the end. */
export async function projectOf(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await Project.of(new Map(Object.entries(files)));
  projects.push(project);
  return project;
}

/** The Notes example, built, with applied migrations. */
export const notes: () => Promise<Project> = onlyOnce(async () => {
  const project = await Project.ready();
  projects.push(project);
  return project;
});

/** Copies the Notes example as it is in git. */
export async function notesWithoutTables(): Promise<Project> {
  const project = await Project.copy();
  projects.push(project);
  return project;
}

/** Notes in development, with its sidecar. */
export const notesApp: () => Promise<RunningApp> = onlyOnce(async () => (await notes()).start());

/** The example of users, todos and teams, built and without a database. */
export const teams: () => Promise<Project> = onlyOnce(async () => {
  const project = await Project.copy("teams");
  projects.push(project);
  await project.kitOk("generate");
  return project;
});

/** Application with routes that Notes does not have; see `playground.ts`. Built. */
export const playground: () => Promise<Project> = onlyOnce(async () => {
  const project = await projectOf(playgroundFiles);
  await project.kitOk("generate");
  return project;
});

/** Starts the playground. `sidecar` are options of `debugPlugin`, which is left out if there are none. */
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

/** The playground in development, with its sidecar. */
export const playgroundApp: () => Promise<RunningApp> = onlyOnce(() =>
  startPlayground({ sidecar: { mode: "dev" } }),
);

/** The playground in production, without a sidecar. */
export const playgroundInProduction: () => Promise<RunningApp> = onlyOnce(() =>
  startPlayground({ mode: "production" }),
);
