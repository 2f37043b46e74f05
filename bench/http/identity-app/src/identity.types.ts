/** Note, as in the application of the other scenarios. */
export interface Note {
  id: string;
  title: string;
  content: string;
  authorId: string;
  archived: boolean;
  createdAt: Date;
  updatedAt: Date;
}
