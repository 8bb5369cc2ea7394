/**
 * Finalized cuts in order. After a lost connection the stream goes on after the last cut that it yielded. When the
 * server's replay does not reach that far the stream yields `resync`, and the caller reads the missed range over
 * HTTP.
 */
import type { Checkpoint, CutFinalized, ResyncReason } from 'svc-api';
import { connect, type Frame, reconnectWait, type SocketPorts } from './reconnect.ts';

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
  /** Cuts are missing: read them over HTTP. The stream goes on from the next checkpoint. */
  | { readonly type: 'resync'; readonly reason: ResyncReason | 'gap' }
  | { readonly type: 'disconnected' };

export async function* cutEvents(
  base: string,
  ports: SocketPorts,
  { afterHeight, signal }: CutEventsOptions = {},
): AsyncGenerator<CutStreamEvent, void> {
  const position = { last: afterHeight };
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
      const event = eventOf(frame, position);
      if (event !== undefined) yield event;
      if (event?.type === 'resync') break;
    }
    if (hasEnded(signal)) return;
    yield { type: 'disconnected' };
    await ports.sleep(reconnectWait(failures, ports.random), signal);
  }
}

function hasEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Returns undefined for frames that were yielded before and for frames that this release does not know. */
function eventOf(
  { type, data }: Frame,
  position: { last: number | undefined },
): CutStreamEvent | undefined {
  if (type === 'checkpoint') {
    const { cut } = data as Checkpoint;
    position.last ??= cut.height;
    return { type, cut };
  }
  if (type === 'resync_required') {
    position.last = undefined;
    return { type: 'resync', reason: (data as { reason: ResyncReason }).reason };
  }
  if (type !== 'cut_finalized') return undefined;
  const { height } = (data as CutFinalized).cut;
  if (position.last !== undefined && height <= position.last) return undefined;
  if (position.last !== undefined && height > position.last + 1) {
    position.last = undefined;
    return { type: 'resync', reason: 'gap' };
  }
  position.last = height;
  return { type, data: data as CutFinalized };
}
