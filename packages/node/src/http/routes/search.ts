/** `GET /v1/search`. */
import type { ROUTES, SearchResult } from 'svc-api';
import { SvcError } from 'svc-wasm/base';
import type { Snapshot } from '../reading/shared-readers.ts';
import { validatorsOf } from '../reading/validators.ts';
import type { Handler, RoutePorts } from './handler.ts';

type Result = SearchResult['results'][number];

const HEIGHT = /^(?:0|[1-9][0-9]{0,15})$/;
const IDENTIFIER = /^[0-9a-f]{96}$/;

export const search: Handler<typeof ROUTES.search> = (ports, { query: { q } }) =>
  ports.readers.read(async (snapshot) => {
    const { height } = snapshot;
    const results = await find(ports, snapshot, q);
    return { height, document: { api_version: 1, finalized_height: height, query: q, results } };
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
