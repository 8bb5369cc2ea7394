/**
 * The chain as a whole: its head, its rates, figures for charts, and search.
 */
import { type ChainHead, ROUTES, type SearchResult } from 'svc-api';
import { epochOf } from 'svc-ledger';
import { SvcError } from 'svc-wasm/base';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { referenceOf } from '../../documents/cuts.ts';
import type { Chain } from '../../ports.ts';
import type { Snapshot } from '../reading/shared-readers.ts';
import { finalizedAt, type Handler, type RoutePorts } from './handler.ts';
import { validatorsOf } from './staking.ts';

export const chainHead: Handler<'chainHead'> = ({ services, readers }) =>
  readers.read(async (snapshot) => ({
    height: snapshot.height,
    document: await headDocument(services.chain, snapshot),
  }));

export function headDocument(chain: Chain, snapshot: Snapshot): Promise<ChainHead> {
  return snapshot.once('head', async (): Promise<ChainHead> => {
    const { reader, height } = snapshot;
    return {
      api_version: 1,
      network: chain.manifest.network,
      chain_id: chain.chainId,
      ...((await cutAndTime(snapshot)) ?? {
        cut: {
          height,
          cut_id: reader.head.cutId,
          state_root: reader.head.stateRoot,
          validator_set_id: (await reader.epoch()).validatorSetId,
        },
        time_millis: chain.genesis.timeMillis,
      }),
      epoch: epochOf(height, chain.parameters.interval),
    };
  });
}

async function cutAndTime({ reader, height }: Snapshot) {
  const row = await reader.cut(height);
  if (row === undefined) return undefined;
  const header = decodeCutHeader(row.header);
  return { cut: referenceOf(height, row.cutId, header), time_millis: Number(header.time) };
}

export const chainRates: Handler<'chainRates'> = ({ services }) => {
  const document = services.rates.document();
  return { height: document.finalized_height, document };
};

export const chainSeries: Handler<'chainSeries'> = async ({ services, series }, { query }) => {
  const { metric, step = 1, limit = ROUTES.chainSeries.page.default } = query;
  await series.filled();
  const { height } = services.chain.head;
  return finalizedAt(height, {
    metric,
    step,
    points: series.read(metric, step, limit).map((point) => ({
      height: point.height,
      time_millis: point.timeMillis,
      value: String(point.value),
    })),
  });
};

type Result = SearchResult['results'][number];

const HEIGHT = /^(?:0|[1-9][0-9]{0,15})$/;
const IDENTIFIER = /^[0-9a-f]{96}$/;

export const search: Handler<'search'> = (ports, { query: { q } }) =>
  ports.readers.read(async (snapshot) => {
    const { height } = snapshot;
    const results = await find(ports, snapshot, q);
    return finalizedAt(height, { query: q, results });
  });

async function find(ports: RoutePorts, snapshot: Snapshot, q: string): Promise<Result[]> {
  if (HEIGHT.test(q)) {
    const isCut = Number(q) >= 1 && Number(q) <= snapshot.height;
    return isCut ? [{ kind: 'cut', id: q }] : [];
  }
  if (IDENTIFIER.test(q)) return findIdentifier(ports, snapshot, q);
  return isAddress(ports, q) ? [{ kind: 'address', id: q }] : [];
}

async function findIdentifier(
  { services }: RoutePorts,
  snapshot: Snapshot,
  id: string,
): Promise<Result[]> {
  const { reader } = snapshot;
  const results: Result[] = [];
  const [status] = await services.statuses.of([id], reader);
  if (status !== undefined && status !== null) results.push({ kind: 'transaction', id });
  const isBlock = services.blocks.get(id) !== undefined || (await reader.work(id)) !== undefined;
  if (isBlock) results.push({ kind: 'block', id });
  const cut = await reader.cutById(id);
  if (cut !== undefined) results.push({ kind: 'cut', id: String(cut.height) });
  const { byId } = await validatorsOf(snapshot);
  if (byId.has(id)) results.push({ kind: 'validator', id });
  return results;
}

function isAddress({ addresses }: RoutePorts, text: string): boolean {
  try {
    addresses.hex(text);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
