/**
 * Builders for what a client sends, and how many items one request may name. Requests are strict: a field that is not
 * named is refused.
 */
import { type TProperties, type TSchema, Type } from 'typebox';
import { Address, ApiVersion, Height, Identifier } from './scalars.ts';

export const ADDRESSES_MAX = 64;
export const STATUSES_MAX = 1_024;
export const PROOFS_MAX = 8;
export const CUT_PROOFS_MAX = 64;
export const OUTCOME_PROOFS_MAX = 64;
/** A payment takes 11 kB of a body; so many of them fit. */
export const SUBMISSIONS_MAX = 8;
/** Rows over all addresses of one batch. */
export const ROWS_MAX = 4_096;

export const CURSOR_CHARACTERS_MAX = 512;

export const Cursor = Type.String({
  minLength: 1,
  maxLength: CURSOR_CHARACTERS_MAX,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'The `next_cursor` of the page before.',
});

export const NextCursor = Type.Optional(
  Type.String({ description: 'Goes on with the next page; absent on the last.' }),
);

export interface PageSize {
  readonly default: number;
  readonly maximum: number;
}

export function Limit(page: PageSize) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: page.maximum,
      description: `Rows of a page; ${page.default} unless given, at most ${page.maximum}.`,
    }),
  );
}

export function strict<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export function pageQuery(page: PageSize) {
  return strict({ cursor: Type.Optional(Cursor), limit: Limit(page) });
}

/** A list of what is asked for, at least one of them. */
export function batchOf<S extends TSchema>(item: S, maximum: number) {
  return Type.Array(item, { minItems: 1, maxItems: maximum });
}

export function versioned<P extends TProperties>(properties: P) {
  return strict({ api_version: ApiVersion, ...properties });
}

export const AddressParams = strict({ address: Address });
export const HeightParams = strict({ height: Height });
export const IdParams = strict({ id: Identifier });
