import type { RouteContract } from "@kit/types";
import type {
  CreateSampleInput,
  Sample,
  SamplePage,
  SamplePaging,
  UpdateSampleInput,
} from "./samples-path.types.ts";

/** What can be done with samples. */
export interface SampleRoutes {
  /**
   * The answer has its id.
   *
   * @summary Adds to the samples
   * @tag samples
   */
  "POST /samples-path": RouteContract<void, void, CreateSampleInput, Sample>;

  /**
   * Newest first.
   *
   * @summary Lists samples, a page at a time
   * @tag samples
   */
  "GET /samples-path": RouteContract<void, SamplePaging, void, SamplePage>;

  /**
   * The id is that of a list or of what was added.
   *
   * @summary Reads one of the samples
   * @tag samples
   * @throws SAMPLE_NOT_FOUND 404 None of the samples has this id.
   */
  "GET /samples-path/:id": RouteContract<{ id: Sample["id"] }, void, void, Sample>;

  /**
   * Fields that are left out stay as they are.
   *
   * @summary Changes one of the samples
   * @tag samples
   * @throws SAMPLE_NOT_FOUND 404 None of the samples has this id.
   */
  "PUT /samples-path/:id": RouteContract<{ id: Sample["id"] }, void, UpdateSampleInput, Sample>;

  /**
   * It is gone for good.
   *
   * @summary Deletes one of the samples
   * @tag samples
   * @throws SAMPLE_NOT_FOUND 404 None of the samples has this id.
   */
  "DELETE /samples-path/:id": RouteContract<{ id: Sample["id"] }, void, void, void>;
}
