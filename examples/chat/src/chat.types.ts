/** @table messages @owner none @index messages_by_room (room, id) */
export interface Message {
  /**
   * Position in the order of all messages.
   *
   * @id @generated @integer
   */
  id: number;
  /** @minLength 1 @maxLength 50 */
  room: string;
  /** @minLength 1 @maxLength 50 */
  author: string;
  /** @minLength 1 @maxLength 500 */
  text: string;
  /** @generated now */
  sentAt: Date;
}

/** Message that a member sends. */
export type NewMessage = Pick<Message, "text">;
