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

/** Groups of users, no larger than each says. */
export interface TeamRoutes {
  /**
   * It has no members yet.
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
   * @throws TEAM_NOT_FOUND 404 There is no such team.
   */
  "GET /teams/:id": RouteContract<{ id: Team["id"] }, void, void, TeamWithMembers>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 There is no such team.
   * @throws TEAM_FULL 403 It has more members than it would take.
   */
  "PUT /teams/:id": RouteContract<{ id: Team["id"] }, void, UpdateTeamInput, Team>;

  /**
   * Memberships go with it.
   *
   * @summary Deletes a team; its members stay users
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 There is no such team.
   */
  "DELETE /teams/:id": RouteContract<{ id: Team["id"] }, void, void, void>;

  /**
   * Of users that ask for the last place at once, one gets it.
   *
   * @summary Takes a user into a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 There is no such team.
   * @throws USER_NOT_FOUND 404 There is no such user.
   * @throws ALREADY_MEMBER 409 The user belongs to it already.
   * @throws TEAM_FULL 403 It takes no more members.
   */
  "POST /teams/:id/members": RouteContract<{ id: Team["id"] }, void, JoinTeamInput, TeamMember>;

  /**
   * The place is free at once.
   *
   * @summary Lets a user leave a team
   * @tag teams
   * @throws TEAM_NOT_FOUND 404 There is no such team, or the user does not belong to it.
   */
  "DELETE /teams/:id/members/:userId": RouteContract<
    { id: Team["id"]; userId: TeamMember["userId"] },
    void,
    void,
    void
  >;
}
