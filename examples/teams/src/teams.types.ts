import type { User } from "./users.types.ts";

// Every caller may read all rows, and callers with the scope `teams:write` may change all of them: `@owner none`.
/**
 * Users who work together.
 *
 * @table teams @owner none
 */
export interface Team {
  /** @id @generated uuid */
  id: string;
  /**
   * @minLength 1
   * @maxLength 100
   * @example Analysts
   */
  name: string;
  /**
   * Maximum number of members.
   *
   * @integer
   * @minimum 1
   * @maximum 1000
   * @default 10
   */
  capacity: number;
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}

/**
 * Membership of a user in a team, in one role.
 *
 * @table team_members @owner none
 */
export interface TeamMember {
  /** @id @references Team.id cascade */
  teamId: string;
  /** @id @references User.id cascade @index */
  userId: string;
  /** @default member */
  role: TeamRole;
  /** @generated now */
  joinedAt: Date;
}

export type TeamRole = "lead" | "member";

/** Values of a new team. */
export type CreateTeamInput = Omit<Team, "id" | "createdAt" | "updatedAt">;

/** Changes of a team. An omitted property stays unchanged. */
export type UpdateTeamInput = Partial<CreateTeamInput>;

/** User who joins a team, and the role of the user. */
export type JoinTeamInput = Pick<TeamMember, "userId" | "role">;

/** Member of a team, in a list. */
export type MemberSummary = Pick<User, "id" | "displayName"> & Pick<TeamMember, "role" | "joinedAt">;

/** Team with its members, in the order in which they joined. */
export interface TeamWithMembers extends Team {
  members: MemberSummary[];
}
