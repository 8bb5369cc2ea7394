/**
 * Usernames of miners: `<address>.<worker>`. The address is paid; the worker is a name of the miner's choice.
 */
import type { Network } from 'svc-wasm/base';
import { decodeAddress, encodeAddress, isRefusal, type SvcError } from 'svc-wasm/base';
import { WORKER_CHARACTERS_MAX } from '../wire/limits.ts';
import type { Refusal } from '../wire/refusals.ts';

export interface Miner {
  /** In lower case, whatever the case it was written in. */
  readonly address: string;
  readonly worker: string;
}

export type ParsedUsername =
  | { readonly miner: Miner }
  | { readonly refusal: Refusal; readonly message: string };

const DEFAULT_WORKER = 'default';
const WORKER = new RegExp(`^[A-Za-z0-9_-]{1,${WORKER_CHARACTERS_MAX}}$`);

export function parseUsername(username: string, network: Network): ParsedUsername {
  const dot = username.indexOf('.');
  const text = dot < 0 ? username : username.slice(0, dot);
  const worker = dot < 0 ? DEFAULT_WORKER : username.slice(dot + 1);
  if (!WORKER.test(worker)) {
    const message = `expected <address>.<worker>, a worker of 1 to ${WORKER_CHARACTERS_MAX} letters, digits, _ and -`;
    return { refusal: 'bad_worker', message };
  }
  try {
    const bytes = decodeAddress(text, network, 'username');
    return { miner: { address: encodeAddress(bytes, network), worker } };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refusal: refusalOf(error), message: error.message };
  }
}

function refusalOf({ code }: SvcError): Refusal {
  return code === 'wrong_network' ? 'wrong_network' : 'bad_address';
}
