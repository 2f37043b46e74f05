import type { Generated } from "kysely";
import type { TeamRole } from "./teams.types.ts";
import type { UserStatus } from "./users.types.ts";

/** The tables, in camel case; a column that the database can fill in is `Generated`. */
export interface Database {
  users: {
    id: Generated<string>;
    email: string;
    displayName: string;
    status: Generated<UserStatus>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  todos: {
    id: Generated<string>;
    title: string;
    completed: Generated<boolean>;
    userId: string;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  teams: {
    id: Generated<string>;
    name: string;
    capacity: Generated<number>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  teamMembers: {
    teamId: string;
    userId: string;
    role: Generated<TeamRole>;
    joinedAt: Generated<Date>;
  };
}
