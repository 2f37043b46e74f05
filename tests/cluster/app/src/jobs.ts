import { createJobs, type Jobs } from "@kit/jobs";
import { pool } from "./database.ts";

export interface ClusterJobs {
  settle: {
    /** Id of the payment. @integer */
    payment: number;
  };
}

export const jobs: Jobs<ClusterJobs> = createJobs<ClusterJobs>({ pool });
