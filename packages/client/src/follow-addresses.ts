/**
 * The catch-up loop of a program that watches addresses: reads what it missed, then follows the cuts. Each
 * change is handed over once and in the order of heights; the height is reported only when everything up to it
 * was handed over, so that a program that stores it resumes without loss.
 */
import type { AddressChange } from 'svc-api';
import { ClientError } from './client-error.ts';
import type { Caller } from './http/transport.ts';
import type { CallOptions } from './routes/route-types.ts';
import type { CutEventsOptions, CutStreamEvent } from './sockets/cut-events.ts';

/** Which addresses are followed, from where, and the callbacks. */
export interface FollowOptions {
  readonly addresses: readonly string[];
  /** The height that was stored last; 0 reads everything. */
  readonly afterHeight: number;
  onChange(change: AddressChange): void | Promise<void>;
  /** Called when everything up to the height has been handed over. The callee stores the height. */
  onHeight(height: number): void | Promise<void>;
  readonly signal?: AbortSignal;
}

const ADDRESSES_PER_REQUEST = 64;

export async function followAddresses(
  transport: Caller,
  cutEvents: (options: CutEventsOptions) => AsyncGenerator<CutStreamEvent, void>,
  { addresses, afterHeight, onChange, onHeight, signal }: FollowOptions,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  let height = afterHeight;
  const catchUp = async (): Promise<void> => {
    const reached = await readChanges(transport, addresses, height, onChange, options);
    if (reached <= height) return;
    height = reached;
    await onHeight(height);
  };
  try {
    await catchUp();
    for await (const event of cutEvents(options)) {
      if (event.type === 'reverted') height = Math.min(height, event.toHeight);
      if (event.type === 'checkpoint' && event.cut.height < height) {
        // The reading may be ahead of the stream. Elsewhere a lower head is that of a node which is behind.
        const { network } = await transport.call('chainHead', {}, options);
        if (network === 'development') height = event.cut.height;
      }
      if (event.type !== 'disconnected') await catchUp();
    }
  } catch (error) {
    if (error instanceof ClientError && error.kind === 'aborted') return;
    throw error;
  }
}

/** Hands over the changes above a height, ascending. Returns the height up to which they are complete. */
async function readChanges(
  transport: Caller,
  addresses: readonly string[],
  afterHeight: number,
  onChange: FollowOptions['onChange'],
  options: CallOptions,
): Promise<number> {
  const changes: AddressChange[] = [];
  let reached = Number.MAX_SAFE_INTEGER;
  for (let at = 0; at < addresses.length; at += ADDRESSES_PER_REQUEST) {
    const batch = addresses.slice(at, at + ADDRESSES_PER_REQUEST);
    let cursor: string | undefined;
    do {
      const input = { addresses: batch, after_height: afterHeight, cursor };
      const page = await transport.call('addressChanges', input, options);
      reached = Math.min(reached, page.indexed_height);
      changes.push(...page.changes);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }
  if (addresses.length === 0) return afterHeight;
  const complete = changes.filter(({ finalized_height }) => finalized_height <= reached);
  complete.sort((a, b) => a.finalized_height - b.finalized_height);
  for (const change of complete) await onChange(change);
  return reached;
}
