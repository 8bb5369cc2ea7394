/**
 * Keeps an answer within its size: rows beyond a mebibyte wait for the next page.
 */
export const ANSWER_BYTES_MAX = 1 << 20;
/** Bytes kept free for the fields around the rows. */
const RESERVED_BYTES = 4_096;
/** No row is longer than 500 bytes, so that so many fit without being measured. */
const FITTING_ROWS = 2_048;

/** How many of the rows fit. */
export function fittingRows(rows: readonly object[]): number {
  if (rows.length <= FITTING_ROWS) return rows.length;
  let left = ANSWER_BYTES_MAX - RESERVED_BYTES;
  for (const [index, row] of rows.entries()) {
    left -= JSON.stringify(row).length + 1;
    if (left < 0) return index;
  }
  return rows.length;
}
