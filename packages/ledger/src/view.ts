/**
 * The port through which rules read the state, and the form in which they change it. A view shows the
 * state after one cut and does not change under the reader.
 *
 * Keys: `outputs` and `spent` by outpoint key; `positions`, `validators` and `bodies` by identifier;
 * `blocks` by `blockKey(anchor height, id)`; `keys` by key hash; `spentLists`, `anchors`, `registered` and
 * `releases` by `numberKey(height)`; `pools` by `numberKey(epoch)`; `epoch`, `economy` and `pastCuts` by `SINGLE_KEY`.
 */
import type { Identifier } from './identifiers.ts';
import type { Table, Tables } from './records.ts';

export interface StateView {
  get<T extends Table>(table: T, key: string): Tables[T] | undefined;
  /** Ids of the positions of a validator above `after`, ascending, at most `limit`. */
  positionIdsOf(validatorId: Identifier, after: Identifier | null, limit: number): Identifier[];
  /** Ids of all validators, ascending. */
  validatorIds(): Identifier[];
  /** Ids of the blocks registered for an anchor, ascending. */
  blockIdsOf(anchorHeight: number): Identifier[];
}

/** A record put or, where `after` is undefined, deleted; `before` is what the view shows. */
export type Change = {
  [T in Table]: {
    readonly table: T;
    readonly key: string;
    readonly before: Tables[T] | undefined;
    readonly after: Tables[T] | undefined;
  };
}[Table];
