import type { RouteContract } from "@kit/types";
import type { PaginatedResponse, Paging } from "./shared.types.ts";
import type {
  CreateTeamInput,
  JoinTeamInput,
  Team,
  TeamMember,
  TeamWithMembers,
  UpdateTeamInput,
} from "./teams.types.ts";

/** Teams: groups of users with a maximum number of members. */
export interface TeamRoutes {
  /**
   * A new team has no members.
   *
   * @summary Adds a team
   * @tag teams
   */
  "POST /teams": RouteContract<void, void, CreateTeamInput, Team>;

  /**
   * Newest first.
   *
   * @summary Lists teams, a page at a time
   * @tag teams
   */
  "GET /teams": RouteContract<void, Paging, void, PaginatedResponse<Team>>;

  /**
   * Members are in the order in which they joined.
   *
   * @summary Reads a team and its members
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   */
  "GET /teams/:id": RouteContract<{ id: Team["id"] }, void, void, TeamWithMembers>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   * @throws TEAM_FULL 403 The team has more members than the new maximum.
   */
  "PUT /teams/:id": RouteContract<{ id: Team["id"] }, void, UpdateTeamInput, Team>;

  /**
   * The memberships are deleted, too. The members stay users.
   *
   * @summary Deletes a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   */
  "DELETE /teams/:id": RouteContract<{ id: Team["id"] }, void, void, void>;

  /**
   * If several users ask for the last place at the same time, one of them gets the place.
   *
   * @summary Adds a user to a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   * @throws USER_NOT_FOUND 404 No user has this id.
   * @throws ALREADY_MEMBER 409 The user is already a member.
   * @throws TEAM_FULL 403 The team has the maximum number of members.
   */
  "POST /teams/:id/members": RouteContract<{ id: Team["id"] }, void, JoinTeamInput, TeamMember>;

  /**
   * Another user can take the place immediately.
   *
   * @summary Removes a user from a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id, or the user is not a member.
   */
  "DELETE /teams/:id/members/:userId": RouteContract<
    { id: Team["id"]; userId: TeamMember["userId"] },
    void,
    void,
    void
  >;
}
