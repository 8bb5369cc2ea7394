/**
 * What the catalogue says of one error code.
 */

/**
 * `never`: the same request will be refused again. `later`: it may be repeated after a while.
 * `same_request_id`: the outcome is unknown; only the very same request is safe.
 */
export type RetryAdvice = 'never' | 'later' | 'same_request_id';

export interface CatalogueEntry {
  readonly status: number;
  readonly retry: RetryAdvice;
  readonly meaning: string;
  readonly hint?: string;
}
