/**
 * How many items one request may name.
 */
export const ADDRESSES_MAX = 64;
export const STATUSES_MAX = 1_024;
export const PROOFS_MAX = 8;
export const CUT_PROOFS_MAX = 64;
export const OUTCOME_PROOFS_MAX = 64;
/** A payment takes 11 kB of a body; so many of them fit. */
export const SUBMISSIONS_MAX = 8;
/** Rows over all addresses of one batch. */
export const ROWS_MAX = 4_096;
