/**
 * Methods of the socket. An event arrives as a notification whose method is the event's name.
 */
import { Type } from 'typebox';
import { EVENT_NAMES } from '../events.ts';
import { methodsOf } from '../method.ts';
import { params } from '../scalars.ts';

const define = methodsOf('events');

const EventName = Type.Enum([...EVENT_NAMES]);
const Subscription = Type.Integer({ minimum: 1 });

const subscribe = define({
  name: 'subscribe',
  summary: 'Begins to send events, on the WebSocket.',
  params: params({
    events: Type.Array(EventName, { minItems: 1, maxItems: EVENT_NAMES.length }),
    after_sequence: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Repeats kept events after this number first; `resync_required` if some are gone.',
      }),
    ),
  }),
  result: Type.Object({
    subscription: Subscription,
    events: Type.Array(EventName),
    sequence: Type.Integer({ minimum: 0, description: 'Number of the newest event so far.' }),
    indexed_height: Type.Integer({ minimum: 0 }),
  }),
  errors: ['no_socket'],
  example: {
    params: { events: ['finalized', 'settled', 'resync_required'] },
    result: {
      subscription: 1,
      events: ['finalized', 'settled', 'resync_required'],
      sequence: 120,
      indexed_height: 5122,
    },
  },
});

const unsubscribe = define({
  name: 'unsubscribe',
  summary: 'Ends a subscription of this connection.',
  params: params({ subscription: Subscription }),
  result: Type.Object({ subscription: Subscription }),
  errors: ['no_socket'],
  example: { params: { subscription: 1 }, result: { subscription: 1 } },
});

export const EVENTS_METHODS = {
  subscribe,
  unsubscribe,
} as const;
