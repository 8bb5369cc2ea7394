/**
 * The control routes of a development network: `GET /v1/dev` lists them, `POST /v1/dev/<name>` acts. They are put
 * into the API of a node by the development network alone. The API stays while the network replaces its node; whatever is
 * asked meanwhile is about the next one.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { commonHeaders, corsHeaders, JSON_MEDIA, NO_STORE, Refused } from 'svc-serve';
import { MINER_SOCKET_PATH } from '../miner-tunnel.ts';
import type { DefinedAction } from './action.ts';
import { ACTIONS } from './actions.ts';
import type { DevControl } from './dev-control.ts';

const HEADERS = commonHeaders({ media: JSON_MEDIA, caching: NO_STORE });

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
