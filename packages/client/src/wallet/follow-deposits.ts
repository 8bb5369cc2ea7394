/**
 * The loop of a service that credits deposits. Events only wake it: it hands over what `received` lists since
 * the height that was stored last, so nothing is missed while it is stopped and nothing comes twice in one run.
 * A crash between a payment and its height hands that payment over again, which is why a ledger is keyed by
 * (`transaction`, `output`).
 */
import type { MethodName, MethodParams, MethodResult, ReceivedPayment } from 'svc-api/rpc';
import { connectText, reconnectWait, type SocketPorts } from '../sockets/reconnect.ts';
import { WalletRpcError } from './wallet-rpc-error.ts';

/** Calls a method of the daemon. */
export type WalletCall = <N extends MethodName>(
  method: N,
  params: MethodParams<N>,
) => Promise<MethodResult<N>>;

/** From where deposits are followed, and the callbacks. */
export interface FollowDepositsOptions {
  /** The height that was stored last; 0 hands over everything. */
  readonly since: number;
  /** Called for each payment. The callee credits it once for each (`transaction`, `output`). */
  onPayment(payment: ReceivedPayment): void | Promise<void>;
  /** Called when every payment up to the height was handed over. The callee stores the height. */
  onHeight(height: number): void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** How often `received` is asked for when the socket is silent. */
const POLL_MILLIS = 15_000;
const SILENCE_MILLIS_MAX = 120_000;
const SUBSCRIBE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'subscribe',
  params: { events: ['finalized', 'resync_required'] },
};

export async function followDeposits(
  call: WalletCall,
  socketUrl: string,
  ports: SocketPorts,
  options: FollowDepositsOptions,
): Promise<void> {
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted === true) stop();
  const bell = new Bell();
  const listening = listen(socketUrl, ports, ending.signal, bell);
  listening.catch(stop); // Without sockets the loop ends, and its caller gets the reason.
  try {
    await catchUpForever(call, ports, options, ending.signal, bell);
  } finally {
    stop();
    bell.ring();
    await listening;
  }
}

async function catchUpForever(
  call: WalletCall,
  ports: SocketPorts,
  { onHeight, onPayment, since }: FollowDepositsOptions,
  signal: AbortSignal,
  bell: Bell,
): Promise<void> {
  let height = since;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const answer = await call('received', { since_height: height });
      failures = 0;
      for (const payment of answer.payments) await onPayment(payment);
      if (answer.indexed_height !== height) await onHeight(answer.indexed_height);
      height = answer.indexed_height;
      if (!answer.more) await bell.wait(POLL_MILLIS, ports, signal);
    } catch (error) {
      if (!(error instanceof WalletRpcError) || error.retry === 'never') throw error;
      await ports.sleep(reconnectWait(failures++, ports.random), signal);
    }
  }
}

async function listen(
  url: string,
  ports: SocketPorts,
  signal: AbortSignal,
  bell: Bell,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    const connection = connectText(ports, {
      url,
      protocol: '',
      signal,
      silenceMillisMax: SILENCE_MILLIS_MAX,
      onOpen: (send) => send(SUBSCRIBE),
    });
    const messages = connection[Symbol.asyncIterator]();
    while ((await messages.next()).done !== true) {
      failures = 0;
      bell.ring();
    }
    await ports.sleep(reconnectWait(failures, ports.random), signal);
  }
}

/** Wakes the waiting reader; a ring without one is not lost. */
class Bell {
  #isRung = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  async wait(millis: number, ports: SocketPorts, signal: AbortSignal): Promise<void> {
    if (!this.#isRung) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await ports.sleep(millis, AbortSignal.any([signal, woken.signal]));
    }
    this.#isRung = false;
  }
}
