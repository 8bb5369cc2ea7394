/**
 * The control routes of a development network: `GET /v1/dev` lists what it can be told to do, `POST /v1/dev/<name>` does it.
 * The API stays while the network replaces its node; a request in between is for the next node.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { commonHeaders, corsHeaders, JSON_MEDIA, NO_STORE, Refused } from 'svc-serve';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { ComposedNode } from '../compose/composed-node.ts';
import type { Bind } from '../config/bind.ts';
import type { DevSeat, Presence } from './committee.ts';
import { MINER_SOCKET_PATH } from './miner-tunnel.ts';
import type { Snapshots } from './snapshots.ts';

export interface DevControl {
  readonly node: {
    readonly seats: readonly DevSeat[];
    readonly presence: Presence;
    readonly composed: ComposedNode;
  };
  readonly snapshots: Snapshots;
  /** Addresses of the funded accounts, which the words open. */
  readonly accounts: readonly string[];
  /** How often its node has started; a revert starts it anew, and so does a snapshot unless it is in memory. */
  readonly starts: number;
  /** Where the bridge takes pages; undefined if there is none. */
  readonly minerSocket: Bind | undefined;
  /** Resolves with the node once no restart of it is under way. */
  settled(): Promise<DevControl['node']>;
  mine(cuts: number): Promise<number>;
  advanceEpochs(epochs: number): Promise<number>;
  advanceTime(millis: number): Promise<number>;
  snapshot(name: string): Promise<string>;
  revert(name: string): Promise<number>;
  background(work: Promise<unknown>): void;
}

interface Outcome {
  /** The fields of the answer beside `api_version`. */
  readonly answer: object;
  /** Work that starts once the answer is out, because it ends the connection. */
  readonly afterwards?: () => Promise<unknown>;
}

interface Action<Fields extends TProperties = TProperties> {
  /** The last part of the path, after `/v1/dev/`. */
  readonly name: string;
  readonly summary: string;
  readonly fields: Fields;
  perform(network: DevControl, request: Static<TObject<Fields>>): Promise<Outcome>;
}

/** An action with the schema of its request body: the version and the fields, nothing else. */
interface DefinedAction extends Action {
  readonly body: TObject;
}

/**
 * One thing that a development network can be told to do over HTTP.
 */
function defineAction<Fields extends TProperties>(action: Action<Fields>): DefinedAction {
  const properties = { api_version: Type.Literal(1), ...action.fields };
  const body = Type.Object(properties, { additionalProperties: false });
  return { ...(action as unknown as Action), body };
}

const CUTS_MAX = 10_000;
const EPOCHS_MAX = 64;
/** Ten years. */
const LEAP_MILLIS_MAX = 315_360_000_000;

const mine = defineAction({
  name: 'mine',
  summary: 'makes cuts now and answers when they are final',
  fields: { cuts: Type.Integer({ minimum: 1, maximum: CUTS_MAX }) },
  perform: async (network, { cuts }) => ({
    answer: { finalized_height: await network.mine(cuts) },
  }),
});

const advance = defineAction({
  name: 'advance',
  summary: 'makes cuts up to the first one of a later epoch and answers when it is final',
  fields: { epochs: Type.Integer({ minimum: 1, maximum: EPOCHS_MAX }) },
  perform: async (network, { epochs }) => ({
    answer: { finalized_height: await network.advanceEpochs(epochs) },
  }),
});

const advanceTime = defineAction({
  name: 'advance_time',
  summary:
    'lets time pass without cuts, makes one cut at the later time and answers when it is final',
  fields: { millis: Type.Integer({ minimum: 1, maximum: LEAP_MILLIS_MAX }) },
  perform: async (network, { millis }) => ({
    answer: { finalized_height: await network.advanceTime(millis) },
  }),
});

const DONE: Outcome = { answer: { done: true } };
const MISSED_CUTS_MAX = 100_000;
const Id = Type.String({ pattern: '^[0-9a-f]{96}$' });
const Switch = { on: Type.Boolean() };

/**
 * Faults that programs should be tried against.
 */
function placeOf(network: DevControl, validator: string): number {
  const place = network.node.seats.findIndex(({ validatorId }) => validatorId === validator);
  if (place < 0) throw new RangeError(`there is no validator ${validator} here`);
  return place;
}

const dropTransaction = defineAction({
  name: 'drop_transaction',
  summary: 'forgets a transaction that waits in the mempool',
  fields: { transaction_id: Id },
  perform: async (network, { transaction_id }) => ({
    answer: { dropped: network.node.composed.core.mempool.drop(transaction_id) },
  }),
});

const pauseFinality = defineAction({
  name: 'pause_finality',
  summary: 'keeps the committee from deciding cuts, or lets it continue',
  fields: Switch,
  perform: async (network, { on }) => {
    network.node.presence.pauseAll(on);
    return DONE;
  },
});

const lagEvents = defineAction({
  name: 'lag_events',
  summary: 'makes every socket lose events as if it read too slowly',
  fields: Switch,
  perform: async (network, { on }) => {
    network.node.composed.front.sockets.lagEvents(on);
    return DONE;
  },
});

const closeSockets = defineAction({
  name: 'close_sockets',
  summary: 'closes every socket',
  fields: {},
  perform: async (network) => {
    network.node.composed.front.sockets.closeAll();
    return DONE;
  },
});

const equivocate = defineAction({
  name: 'equivocate',
  summary: 'makes a validator sign two votes for one position; it loses its bond',
  fields: { validator_id: Id },
  perform: async (network, { validator_id }) => {
    network.node.seats[placeOf(network, validator_id)]?.faults.equivocate();
    return DONE;
  },
});

const missCuts = defineAction({
  name: 'miss_cuts',
  summary: 'keeps a validator away for so many cuts',
  fields: { validator_id: Id, cuts: Type.Integer({ minimum: 0, maximum: MISSED_CUTS_MAX }) },
  perform: async (network, { validator_id, cuts }) => {
    network.node.presence.missCuts(placeOf(network, validator_id), cuts);
    return DONE;
  },
});

/**
 * Copies of the state. The node answers first, then stops and starts again on the same ports; it is back when
 * `GET /v1/dev` reports the start that the answer names. A network in memory needs no start for a snapshot.
 */
function restarting(
  network: DevControl,
  snapshot: string,
  afterwards: () => Promise<unknown>,
): Outcome {
  return { answer: { snapshot, starts: network.starts + 1 }, afterwards };
}

const snapshot = defineAction({
  name: 'snapshot',
  summary: 'keeps a copy of the state under a name; the node restarts',
  fields: {},
  perform: async (network) => {
    const name = network.snapshots.newName();
    if (network.snapshots.disks !== undefined)
      return { answer: { snapshot: await network.snapshot(name), starts: network.starts } };
    return restarting(network, name, () => network.snapshot(name));
  },
});

const revert = defineAction({
  name: 'revert',
  summary: 'brings the state of a snapshot back; the node restarts',
  fields: { snapshot: Type.String({ maxLength: 64 }) },
  perform: async (network, { snapshot: name }) => {
    network.snapshots.expect(name);
    return restarting(network, name, () => network.revert(name));
  },
});

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

const HEADERS = commonHeaders({ media: JSON_MEDIA, caching: NO_STORE });

/**
 * The control routes of a development network: `GET /v1/dev` lists them, `POST /v1/dev/<name>` acts. They are put
 * into the API of a node by the development network alone. The API stays while the network replaces its node; whatever is
 * asked meanwhile is about the next one.
 */
export function addControlRoutes(app: FastifyInstance, network: DevControl): void {
  app.get('/v1/dev', async (request, reply) => {
    setHeaders(request, reply);
    const { seats } = await network.settled();
    return {
      api_version: 1,
      starts: network.starts,
      words: DEVELOPMENT_MNEMONIC,
      accounts: network.accounts,
      miner_socket: network.minerSocket === undefined ? null : MINER_SOCKET_PATH,
      validators: seats.map(({ validatorId }) => validatorId),
      actions: ACTIONS.map(({ name, summary, fields }) => ({
        method: 'POST',
        path: `/v1/dev/${name}`,
        summary,
        fields: Object.keys(fields),
      })),
    };
  });
  for (const action of ACTIONS) addRoute(app, network, action);
}

function addRoute(
  app: FastifyInstance,
  network: DevControl,
  { name, body: schema, perform }: DefinedAction,
): void {
  app.post(`/v1/dev/${name}`, {
    schema: { body: schema },
    handler: async (request, reply) => {
      const { body, raw } = request;
      setHeaders(request, reply);
      raw.socket.setTimeout(0); // Many cuts take longer than an idle connection may last.
      await network.settled();
      const { answer, afterwards } = await outcomeOf(() => perform(network, body as never));
      if (afterwards !== undefined) {
        reply.header('connection', 'close');
        reply.raw.once('close', () => network.background(afterwards()));
      }
      return { api_version: 1, ...answer };
    },
  });
}

/** The headers of every answer of the API, and those that let an admitted page read it. */
function setHeaders({ exchange }: FastifyRequest, reply: FastifyReply): void {
  const { origin, request } = exchange;
  const forPage = origin === 'admitted' ? corsHeaders(request.headers.origin ?? '') : [];
  for (const list of [HEADERS, forPage])
    for (const [at, value] of list.entries())
      if (at % 2 === 1) reply.header(list[at - 1] ?? '', value);
}

async function outcomeOf<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RangeError) throw new Refused('bad_request', error.message);
    throw error;
  }
}
