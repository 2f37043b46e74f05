export { todoHandlers } from "./todos.handlers.ts";
export type { TodoRoutes } from "./todos.routes.ts";
export type { CreateTodoInput, Todo, UpdateTodoInput } from "./todos.types.ts";
