/**
 * Finalized cuts in order. After a lost connection the stream continues after the last cut that it yielded. When the
 * server's replay does not reach that far the stream yields `resync`, and the caller reads the missed range over
 * HTTP. A development network that was reverted to a snapshot makes it yield `reverted`, and continue from there.
 */
import type { Checkpoint, CutFinalized, ResyncReason } from 'svc-api';
import type { Caller } from '../http/transport.ts';
import { connect, type Frame, reconnectWait, type SocketPorts } from './reconnect.ts';
import { REMEMBERED_CUTS_MAX, revertedTo } from './reverts.ts';

const ENDPOINT = { path: '/v1/events', subprotocol: 'svc.node-events.v1' } as const;
/** Cuts come every few seconds; a quiet minute is worth a new connection. */
const SILENCE_MILLIS_MAX = 60_000;

/** Where the stream of cuts begins and when it ends. */
export interface CutEventsOptions {
  /** Only cuts above this height are yielded. Unless given, the stream begins at the head. */
  readonly afterHeight?: number;
  readonly signal?: AbortSignal;
}

/** A cut, or that cuts may be missing. */
export type CutStreamEvent =
  /** The head when the connection was made. */
  | { readonly type: 'checkpoint'; readonly cut: Checkpoint['cut'] }
  | { readonly type: 'cut_finalized'; readonly data: CutFinalized }
  /** Cuts are missing: read them over HTTP. The stream continues from the next checkpoint. */
  | { readonly type: 'resync'; readonly reason: ResyncReason | 'gap' }
  /** On a development network: cuts above the height were reverted, and others follow. */
  | { readonly type: 'reverted'; readonly toHeight: number }
  | { readonly type: 'disconnected' };

/** The position of a stream. */
interface Position {
  last: number | undefined;
  /** The ids of the last yielded cuts, heads of new connections among them, by height. */
  readonly given: Map<number, string>;
}

export async function* cutEvents(
  base: string,
  ports: SocketPorts,
  reads: Caller,
  { afterHeight, signal }: CutEventsOptions = {},
): AsyncGenerator<CutStreamEvent, void> {
  const position: Position = { last: afterHeight, given: new Map() };
  for (let failures = 0; !hasEnded(signal); failures++) {
    const query = position.last === undefined ? '' : `?after_height=${position.last}`;
    const url = `${base}${ENDPOINT.path}${query}`;
    const connection = connect(ports, {
      url,
      protocol: ENDPOINT.subprotocol,
      signal,
      silenceMillisMax: SILENCE_MILLIS_MAX,
    });
    for await (const frame of connection) {
      failures = 0;
      const event = (await revertOf(frame, position, reads, signal)) ?? eventOf(frame, position);
      if (event !== undefined) yield event;
      if (event?.type === 'resync' || event?.type === 'reverted') break;
    }
    if (hasEnded(signal)) return;
    yield { type: 'disconnected' };
    await ports.sleep(reconnectWait(failures, ports.random), signal);
  }
}

function hasEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** The revert that a new connection finds; the stream then continues from there. */
async function revertOf(
  { type, data }: Frame,
  position: Position,
  reads: Caller,
  signal: AbortSignal | undefined,
): Promise<CutStreamEvent | undefined> {
  const { given } = position;
  if (type !== 'checkpoint' || given.size === 0) return undefined;
  const toHeight = await revertedTo(reads, given, signal);
  if (toHeight === undefined) return undefined;
  for (const height of given.keys()) if (height > toHeight) given.delete(height);
  remember(position, (data as Checkpoint).cut);
  position.last = Math.min(position.last ?? toHeight, toHeight);
  return { type: 'reverted', toHeight };
}

/** Returns undefined for frames that were yielded before and for frames that this release does not know. */
function eventOf({ type, data }: Frame, position: Position): CutStreamEvent | undefined {
  if (type === 'checkpoint') {
    const { cut } = data as Checkpoint;
    position.last ??= cut.height;
    remember(position, cut);
    return { type, cut };
  }
  if (type === 'resync_required') {
    position.last = undefined;
    return { type: 'resync', reason: (data as { reason: ResyncReason }).reason };
  }
  if (type !== 'cut_finalized') return undefined;
  const { cut } = data as CutFinalized;
  const { height } = cut;
  if (position.last !== undefined && height <= position.last) return undefined;
  if (position.last !== undefined && height > position.last + 1) {
    position.last = undefined;
    return { type: 'resync', reason: 'gap' };
  }
  position.last = height;
  remember(position, cut);
  return { type, data: data as CutFinalized };
}

function remember({ given }: Position, { height, cut_id }: Checkpoint['cut']): void {
  given.set(height, cut_id);
  const [oldest = 0] = given.keys();
  if (given.size > REMEMBERED_CUTS_MAX) given.delete(oldest);
}
