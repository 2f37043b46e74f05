import type { Route, Scopes } from "@kit/types";
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
  "POST /teams": Route<{ body: CreateTeamInput; response: Team; auth: Scopes<"teams:write"> }>;

  /**
   * Newest first.
   *
   * @summary Lists teams, a page at a time
   * @tag teams
   */
  "GET /teams": Route<{ query: Paging; response: PaginatedResponse<Team> }>;

  /**
   * Members are in the order in which they joined.
   *
   * @summary Reads a team and its members
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   */
  "GET /teams/:id": Route<{ params: { id: Team["id"] }; response: TeamWithMembers }>;

  /**
   * Omitted properties stay unchanged.
   *
   * @summary Changes a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   * @throws TEAM_FULL 403 The team has more members than the new maximum.
   */
  "PUT /teams/:id": Route<{
    params: { id: Team["id"] };
    body: UpdateTeamInput;
    response: Team;
    auth: Scopes<"teams:write">;
  }>;

  /**
   * The memberships are deleted, too. The members stay users.
   *
   * @summary Deletes a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id.
   */
  "DELETE /teams/:id": Route<{ params: { id: Team["id"] }; auth: Scopes<"teams:write"> }>;

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
  "POST /teams/:id/members": Route<{
    params: { id: Team["id"] };
    body: JoinTeamInput;
    response: TeamMember;
    auth: Scopes<"teams:write">;
  }>;

  /**
   * Another user can take the place immediately.
   *
   * @summary Removes a user from a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 No team has this id, or the user is not a member.
   */
  "DELETE /teams/:id/members/:userId": Route<{
    params: { id: Team["id"]; userId: TeamMember["userId"] };
    auth: Scopes<"teams:write">;
  }>;
}
