import type { RouteContract } from "@kit/types";
import type {
  CreateSampleInput,
  Sample,
  SamplePage,
  SamplePaging,
  UpdateSampleInput,
} from "./samples-path.types.ts";

/** Contracts of the samples API. */
export interface SampleRoutes {
  /**
   * The response contains the id.
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
   * The id comes from a list or from the response to an addition.
   *
   * @summary Reads one of the samples
   * @tag samples
   * @throws SAMPLE_NOT_FOUND 404 None of the samples has this id.
   */
  "GET /samples-path/:id": RouteContract<{ id: Sample["id"] }, void, void, Sample>;

  /**
   * Omitted fields stay unchanged.
   *
   * @summary Changes one of the samples
   * @tag samples
   * @throws SAMPLE_NOT_FOUND 404 None of the samples has this id.
   */
  "PUT /samples-path/:id": RouteContract<{ id: Sample["id"] }, void, UpdateSampleInput, Sample>;

  /**
   * The deletion is permanent.
   *
   * @summary Deletes one of the samples
   * @tag samples
   * @throws SAMPLE_NOT_FOUND 404 None of the samples has this id.
   */
  "DELETE /samples-path/:id": RouteContract<{ id: Sample["id"] }, void, void, void>;
}
