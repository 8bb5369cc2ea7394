/**
 * Looks for what a node conceals. The addresses that were given out are taken in turn, a few at a time, and so are those
 * for change that have coins or wait for some; after the past was read, all that were used, once. For each the node
 * proves every output under a certified cut, and the wallet's own list is compared with that. An output that the node has
 * kept back, or a spending that it has kept back, is named and stops the wallet until the node tells of it; a coin
 * that the node called spent although it is there comes back.
 */
import type { Clock, Log } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { checkAddressCompleteness, formatAmount, type ProvenOutput } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { isRefusal, type TrustedChain } from '../node/trusted-chain.ts';
import type { OwnAddress } from '../state/addresses.ts';
import type { State } from '../state/open-state.ts';
import { HEIGHT_UNKNOWN, type WalletOutput } from '../state/outputs.ts';
import type { History } from './history.ts';

export interface AuditPorts {
  readonly state: State;
  readonly client: Pick<Client, 'addressProof' | 'addressUtxosBatch'>;
  readonly trust: Pick<TrustedChain, 'certify'>;
  readonly history: Pick<History, 'disbelieve'>;
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY_MILLIS = 5_000;
const ADDRESSES_PER_TURN = 4;
const CHANGE_PER_TURN = 2;
/** Positions among which addresses for change are looked for at a turn: most of them were used once and hold nothing. */
const POSITIONS_PER_TURN = 4_096;
/** By then the payment that an address for change was given out for is mostly final. */
const CHANGE_DUE_MILLIS = 60_000;
/** The position of the address for change that is looked at next, and whether all that were used are. */
const NEXT_CHANGE = 'audited_change';
const EVERY_CHANGE = 'audits_every_change';

/** Every output that an address has after a cut, proven. */
interface Proven {
  readonly address: string;
  readonly height: number;
  readonly cutId: string;
  readonly outputs: readonly ProvenOutput[];
}

/** What a node was found to conceal; kept until a node tells of it. */
interface Concealed {
  readonly address: string;
  readonly message: string;
}

/** Has all addresses for change looked at that were used: their past was taken as the node told it. */
export function auditEveryChange({ meta }: Pick<State, 'meta'>): void {
  meta.remove(NEXT_CHANGE);
  meta.set(EVERY_CHANGE, '1');
}

export class Audit {
  readonly #ports: AuditPorts;
  /** Proofs of cuts that the wallet has not read yet. */
  #waiting: Proven[] = [];
  #nextAtMillis = 0;

  constructor(ports: AuditPorts) {
    this.#ports = ports;
  }

  /**
   * Throws while the node conceals what was found missing. Returns whether the node has told of it since, so that the past
   * of the wallet is to be read again.
   */
  async hasToldAtLast(): Promise<boolean> {
    const { history, log, state } = this.#ports;
    const kept = state.meta.get('concealed');
    if (kept === undefined) return false;
    const { address, message } = JSON.parse(kept) as Concealed;
    if (!(await this.#tellsAllOf(address))) throw history.disbelieve(message);
    state.meta.remove('concealed');
    log.warn({ address }, 'the node tells of what was missing: the history is read again');
    return true;
  }

  /** Audits the next addresses if it is time. Called when the state has caught up with the node. */
  async auditDue(indexedHeight: number): Promise<void> {
    const { clock, log } = this.#ports;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const proven of waiting) this.#compare(proven, indexedHeight);
    if (clock.now() < this.#nextAtMillis || indexedHeight === 0) return;
    this.#nextAtMillis = clock.now() + EVERY_MILLIS;
    for (const { address } of [...this.#nextGiven(), ...this.#nextChange()]) {
      const proven = await this.#prove(address).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        log.warn({ address, error: error.message }, 'the outputs of an address are not proven now');
      });
      if (proven !== undefined) this.#compare(proven, indexedHeight);
    }
  }

  #nextGiven(): readonly OwnAddress[] {
    const { addresses, meta } = this.#ports.state;
    const batch = addresses.listGivenRead(meta.number('audited_address', 0), ADDRESSES_PER_TURN);
    meta.set('audited_address', String(batch.at(-1)?.id ?? 0));
    return batch;
  }

  #nextChange(): readonly OwnAddress[] {
    const { clock, state } = this.#ports;
    const { addresses, meta } = state;
    const from = meta.number(NEXT_CHANGE, 0);
    const to = from + POSITIONS_PER_TURN;
    const isEveryOne = meta.get(EVERY_CHANGE) !== undefined;
    const issuedBefore = clock.now() - CHANGE_DUE_MILLIS;
    const slice = { from, to, issuedBefore, isEveryOne };
    const batch = addresses.listChange(slice, CHANGE_PER_TURN);
    const next = batch.length < CHANGE_PER_TURN ? to : (batch.at(-1)?.position ?? from) + 1;
    const isEnd = next >= addresses.next(1);
    meta.set(NEXT_CHANGE, String(isEnd ? 0 : next));
    if (isEnd && isEveryOne) meta.remove(EVERY_CHANGE);
    return batch;
  }

  async #prove(address: string): Promise<Proven> {
    const { client, trust } = this.#ports;
    const { cut, proof_hex } = await client.addressProof({ address });
    const certified = await trust.certify(cut.height);
    const { outputs } = checkAddressCompleteness(fromHex(proof_hex), certified, address);
    return { address, height: cut.height, cutId: certified.cutId, outputs };
  }

  /** Compares a proof with the wallet's own list at the same cut; one of a cut that was not read yet waits. */
  #compare(proven: Proven, indexedHeight: number): void {
    const { history, log, state } = this.#ports;
    const { address, height, outputs } = proven;
    if (height > indexedHeight) {
      this.#waiting.push(proven);
      return;
    }
    const kept = state.cuts.atOrBelow(height);
    const own = state.addresses.find(address);
    // The wallet may have passed over a cut of this height, or its history may have been taken back meanwhile.
    if (kept?.height !== height || kept.cutId !== proven.cutId || own === undefined) return;
    const listed = new Map(
      state.outputs.unspentAt(own.id, height).map((output) => [keyOf(output), output]),
    );
    for (const output of outputs) {
      if (listed.delete(keyOf(output)) || this.#bringBack(own, output, height)) continue;
      const amount = formatAmount(String(output.amount));
      const message = `the node conceals a payment of ${amount} to ${address}: ${keyOf(output)}`;
      this.#record({ address, message });
    }
    for (const [key] of listed) {
      this.#record({ address, message: `the node conceals that ${key} of ${address} was spent` });
    }
    const found = state.meta.get('concealed');
    if (found === undefined) return;
    const { message } = JSON.parse(found) as Concealed;
    log.error({ address, height }, message);
    throw history.disbelieve(message);
  }

  /**
   * Takes back that an output was spent, and that a transaction of this wallet has spent it. One that the wallet has met only
   * when it was said to be spent was never told of: it is concealed, until a node tells of it.
   */
  #bringBack(own: OwnAddress, proven: ProvenOutput, height: number): boolean {
    const { log, state } = this.#ports;
    const output = state.outputs.find(proven.transactionId, proven.outputIndex);
    if (output?.addressId !== own.id || output.amount !== proven.amount) return false;
    // The output came or went later than the node has proven, as the node said then.
    if (output.spentHeight === null || output.spentHeight > height) return true;
    if (output.height === HEIGHT_UNKNOWN && output.source !== 'genesis') return false;
    const spentBy = output.spentBy ?? '';
    const fields = { output: keyOf(output), spent_by: spentBy, height };
    log.error(fields, 'the node said that a coin was spent, and it is proven unspent');
    state.database.transaction(() => {
      state.outputs.undoSpend(output.id, height);
      const payment = state.journal.findTransaction(spentBy);
      if (payment?.outcome !== 'finalized' || !state.outputs.isFree(output.id)) return;
      state.journal.reopen(payment.id);
      state.outputs.reserve([output.id], payment.id);
    });
    return true;
  }

  #record(concealed: Concealed): void {
    this.#ports.state.meta.set('concealed', JSON.stringify(concealed));
  }

  /** Whether the node lists exactly the outputs of an address that it proves. */
  async #tellsAllOf(address: string): Promise<boolean> {
    try {
      const { height, outputs } = await this.#prove(address);
      const answer = await this.#ports.client.addressUtxosBatch({ addresses: [address] });
      if (answer.indexed_height !== height) return false;
      const listed = new Set(
        answer.addresses
          .flatMap(({ utxos }) => utxos)
          .map(({ outpoint }) => `${outpoint.transaction_id}:${outpoint.output_index}`),
      );
      return listed.size === outputs.length && outputs.every((output) => listed.has(keyOf(output)));
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }
}

function keyOf({
  outputIndex,
  transactionId,
}: Pick<WalletOutput, 'outputIndex' | 'transactionId'>): string {
  return `${transactionId}:${outputIndex}`;
}
