/** @table users */
export interface User {
  /** @id @generated uuid */
  id: string;
  /** @format email @unique @maxLength 255 */
  email: string;
  /** @minLength 2 @maxLength 100 */
  displayName: string;
  /** @default active */
  status: "active" | "suspended" | "deleted";
  /** @generated now */
  createdAt: Date;
  /** @generated now @onUpdate now */
  updatedAt: Date;
}
