/**
 * What an address has, what it received and spent, and what happens to it from now on.
 */
import type { Client } from '../client.ts';
import type { AnswerOf, CallOptions } from '../routes/route-types.ts';

/** What an address owns after a cut. */
export interface Balance {
  /** Atoms that are final. */
  readonly atoms: bigint;
  readonly outputs: number;
  /** The finalized cut that the figures belong to. */
  readonly height: number;
}

/** One line of what happened to an address. */
export interface Movement {
  readonly kind: 'received' | 'spent';
  readonly atoms: bigint;
  readonly height: number;
  readonly transactionId: string;
  readonly outputIndex: number;
  /** `regular` is a payment; the others are rewards, returned stake and the first outputs of a chain. */
  readonly source: string;
}

/** Where watching an address begins. */
export interface WatchOptions extends CallOptions {
  /** Begin after this height, with everything that was missed; at the head unless given. */
  readonly afterHeight?: number;
}

/** The final balance of an address, on the word of the node; `LightWallet.proveBalance` proves it. */
export async function balance(
  client: Pick<Client, 'addressBalance'>,
  address: string,
  options: CallOptions = {},
): Promise<Balance> {
  const found = await client.addressBalance({ address }, options);
  return { atoms: BigInt(found.balance), outputs: found.utxos, height: found.indexed_height };
}

/**
 * What an address received and spent, newest first.
 *
 * @example
 * for await (const { kind, atoms } of history(client, address)) console.log(kind, atoms);
 */
export async function* history(
  client: Pick<Client, 'pages'>,
  address: string,
  options: CallOptions = {},
): AsyncGenerator<Movement, void> {
  for await (const event of client.pages.addressHistory({ address }, options))
    yield movementOf(event);
}

/**
 * Every movement of an address from now on, or after a height that you stored; each comes once, when it is final, also
 * over lost connections. Ends when the signal aborts or the loop is left.
 */
export async function* watchAddress(
  client: Pick<Client, 'chainHead' | 'followAddresses'>,
  address: string,
  { afterHeight, signal }: WatchOptions = {},
): AsyncGenerator<Movement, void> {
  const start = afterHeight ?? (await client.chainHead({}, signal ? { signal } : {})).cut.height;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const waiting: Movement[] = [];
  let wake = (): void => {};
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  const following = client
    .followAddresses({
      addresses: [address],
      afterHeight: start,
      onChange: (change) => {
        waiting.push(movementOf(change));
        wake();
      },
      onHeight: () => {},
      signal: ending.signal,
    })
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(end);
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (failure !== undefined) throw failure.error;
      if (isOver) return;
      if (waiting.length > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
    await following;
  }
}

function movementOf(
  event: Omit<AnswerOf<'addressHistory'>['events'][number], 'address'>,
): Movement {
  return {
    kind: event.kind,
    atoms: BigInt(event.amount),
    height: event.finalized_height,
    transactionId: event.transaction_id,
    outputIndex: event.outpoint.output_index,
    source: event.source,
  };
}
