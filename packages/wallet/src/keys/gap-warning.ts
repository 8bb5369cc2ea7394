/**
 * When a wallet has given out so many addresses without a payment that one restored from its words would not look far
 * enough to see the next. It decides nothing: addresses are given out all the same.
 */

/** Of the gap; from here on callers are warned. */
const WARN_PERCENT = 80;

/** What a caller is told of so many unpaid addresses in a row; undefined while they are few. */
export function gapWarning(unpaid: number, gap: number): string | undefined {
  if (unpaid * 100 < gap * WARN_PERCENT) return undefined;
  const fact = `${unpaid} addresses in a row were given out and not paid`;
  const reach = `a wallet restored from its words looks at ${gap}`;
  return unpaid > gap
    ? `${fact}, and ${reach}: it would not see a payment to this one; run with a larger --gap`
    : `${fact}, and ${reach}: give out fewer, or run with a larger --gap`;
}
