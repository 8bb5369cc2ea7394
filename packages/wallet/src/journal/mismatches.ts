/**
 * Names that callers used for something else: a repeat with other parameters than its first call, of a payment or of an
 * address. Nothing is done for it, and it is reported on every channel: the caller waits for a payment that will not be made.
 */
import type { Log } from 'svc-base/pure';
import type { EventTeller } from '../state/group-commit.ts';
import type { OutgoingRequest } from './record.ts';

/** So many names make events before the oldest may make another one: a caller in a loop does not fill the log of events. */
const NAMES_MAX = 1_000;
/** Names of addresses and of payments are apart. */
const ADDRESS_METHOD = 'new_address';

export interface MismatchPorts {
  readonly events: Pick<EventTeller, 'record'>;
  readonly log: Log;
}

export class Mismatches {
  readonly #ports: MismatchPorts;
  readonly #told = new Set<string>();
  #count = 0;

  constructor(ports: MismatchPorts) {
    this.#ports = ports;
  }

  /** How many there were, since the daemon started. */
  get count(): number {
    return this.#count;
  }

  /** Counts and logs each; makes an event of the first of a name. */
  tell({
    caller,
    method,
    requestId: request_id,
  }: Pick<OutgoingRequest, 'caller' | 'method' | 'requestId'>): void {
    const { events, log } = this.#ports;
    this.#count++;
    const fields = { request_id, method, caller: caller?.name ?? null };
    const isAddress = method === ADDRESS_METHOD;
    const end = isAddress ? 'no address is given out' : 'nothing is paid';
    log.error(fields, `request_id reused with other parameters: ${end}`);
    const name = `${isAddress ? 'address' : 'payment'} ${request_id}`;
    if (this.#told.has(name)) return;
    const [oldest] = this.#told;
    if (oldest !== undefined && this.#told.size === NAMES_MAX) this.#told.delete(oldest);
    this.#told.add(name);
    events.record('request_id_mismatch', fields);
  }
}
