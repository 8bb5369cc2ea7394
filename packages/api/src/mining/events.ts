/**
 * `GET /v1/events` of the mining listener: one event for each finalized cut, over a WebSocket or as
 * server-sent events. A new cut is a new anchor, so it is time for new templates.
 */
import { type Static, Type } from 'typebox';
import { Height, Identifier } from '../base/scalars.ts';

export const MINING_EVENTS_PROTOCOL = 'svc.mining-events.v1';

export const MiningEvent = Type.Object({
  type: Type.Literal('cut_finalized'),
  data: Type.Object({
    height: Height,
    cut_id: Identifier,
    target: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The target of blocks anchored to this cut, big-endian.',
    }),
    registration_window_end: Type.Integer({
      minimum: 0,
      description: 'The first height that registers no more blocks anchored to this cut.',
    }),
  }),
});
export type MiningEvent = Static<typeof MiningEvent>;
