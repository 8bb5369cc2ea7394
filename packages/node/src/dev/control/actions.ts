/**
 * Everything that a development network can be told to do, in the order in which it is listed.
 */
import type { DefinedAction } from './action.ts';
import { advance, advanceTime, mine } from './cut-actions.ts';
import {
  closeSockets,
  dropTransaction,
  equivocate,
  lagEvents,
  missCuts,
  pauseFinality,
} from './fault-actions.ts';
import { revert, snapshot } from './state-actions.ts';

export const ACTIONS: readonly DefinedAction[] = [
  mine,
  advance,
  advanceTime,
  snapshot,
  revert,
  dropTransaction,
  pauseFinality,
  lagEvents,
  closeSockets,
  equivocate,
  missCuts,
];
