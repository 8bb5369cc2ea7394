/**
 * Counts calls of the daemon: by method, by refusal, and how long they took. Names that come from outside are not
 * counted one by one.
 */
import { METHOD_LIST, RPC_ERRORS, type RpcErrorKind } from 'svc-api/rpc';
import { Histogram, type Sample } from 'svc-base/pure';

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20];
const UNKNOWN = 'unknown';

export class CallMeter {
  /** Everything that can happen is there before it happens: the first of a kind is an increase, and alerts see it. */
  readonly #calls = new Map<string, number>(
    [...METHOD_LIST.map(({ name }) => name), UNKNOWN].map(zero),
  );
  readonly #refusals = new Map<string, number>(Object.keys(RPC_ERRORS).map(zero));
  readonly #seconds = new Histogram(SECONDS);

  record(method: string, refusal: RpcErrorKind | null, seconds: number): void {
    const name = this.#calls.has(method) ? method : UNKNOWN;
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    if (refusal !== null) this.#refusals.set(refusal, (this.#refusals.get(refusal) ?? 0) + 1);
    this.#seconds.observe(seconds);
  }

  calls(): Sample[] {
    return [...this.#calls].map(([method, value]) => ({ labels: { method }, value }));
  }

  refusals(): Sample[] {
    return [...this.#refusals].map(([kind, value]) => ({ labels: { kind }, value }));
  }

  seconds(): Sample[] {
    return this.#seconds.samples();
  }
}

function zero(name: string): [string, number] {
  return [name, 0];
}
