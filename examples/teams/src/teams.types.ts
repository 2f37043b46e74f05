import type { User } from "./users.types.ts";

// Nobody signs in to this API, so every request may read and change every row: `@owner none`.
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
   * How many members it takes.
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
 * That a user belongs to a team: once, in one role.
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

/** What it takes to make a team. */
export type CreateTeamInput = Omit<Team, "id" | "createdAt" | "updatedAt">;

/** What of a team may change. What is left out stays as it is. */
export type UpdateTeamInput = Partial<CreateTeamInput>;

/** Who joins a team, and as what. */
export type JoinTeamInput = Pick<TeamMember, "userId" | "role">;

/** A member as its team shows it. */
export type MemberSummary = Pick<User, "id" | "displayName"> & Pick<TeamMember, "role" | "joinedAt">;

/** A team and who belongs to it, in the order in which they joined. */
export interface TeamWithMembers extends Team {
  members: MemberSummary[];
}
