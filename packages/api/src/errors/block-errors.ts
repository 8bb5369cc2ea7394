/**
 * Refusals of a work block.
 */
import type { CatalogueEntry } from './catalogue-entry.ts';

function invalid<const M extends string>(meaning: M) {
  return { status: 422, retry: 'never', meaning } as const;
}

export const BLOCK_ERRORS = {
  late: {
    status: 409,
    retry: 'never',
    meaning: 'The block came too late: the registration window of its anchor has closed.',
  },
  bad_block: invalid('The block breaks a rule of its form.'),
  unknown_anchor: {
    status: 422,
    retry: 'later',
    meaning: 'The anchor is no finalized cut of this node.',
  },
  wrong_target: invalid('The block names another target than its anchor sets.'),
  target_missed: invalid('The proof of work does not reach the target.'),
  bad_parents: invalid('A parent is not a block registered in a cut that may be named.'),
  body_used: invalid('The body was used for another block.'),
  block_pool_full: {
    status: 503,
    retry: 'later',
    meaning: 'Too many blocks wait for a cut.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
