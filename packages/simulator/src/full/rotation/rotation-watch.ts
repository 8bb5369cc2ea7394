/**
 * The operator who rotates a consensus key, and the checks of it: the old key signs before the epoch of the switch and
 * never in it, the next key from there on, the old validator ends, and heartbeats go on. That no height is lost shows by
 * itself: no cut is decided without the validator that rotates.
 */
import type { SignedMessage } from 'svc-consensus/machine';
import type { ValidatorKey } from 'svc-consensus/shell';
import { epochOf, epochStart } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { FullNode } from '../full-node.ts';
import type { FullSetting, RotationKeys } from '../full-setting.ts';
import { signTransaction } from '../signed-transaction.ts';
import type { RotationPlan } from './rotation-plan.ts';

export interface RotationWatchPorts {
  readonly setting: FullSetting;
  readonly nodes: readonly FullNode[];
  readonly callLater: (delayMs: number, call: () => void) => void;
  readonly await: (promise: Promise<unknown>) => void;
  readonly fail: (checker: string, detail: string) => void;
}

const FEE = 1_000_000n;
const VALIDITY_CUTS = 60;
const RETRY_MS = 1_000;
/** Heights that have to be decided with the next key. */
const HEIGHTS_AFTER = 2;
/** So long after the switch a heartbeat can be made; whether it arrives depends on the network. */
const HEARTBEAT_HEIGHTS = 6;

export class RotationWatch {
  readonly #ports: RotationWatchPorts;
  readonly #plan: RotationPlan;
  readonly #keys: RotationKeys;
  readonly #node: FullNode;
  #isSent = false;
  /** The first height of the next key, once a cut has executed the rotation. */
  #switchAt: number | undefined;

  constructor(ports: RotationWatchPorts, keys: RotationKeys, plan: RotationPlan) {
    this.#ports = ports;
    this.#plan = plan;
    this.#keys = keys;
    this.#node = ports.nodes[plan.validator] as FullNode;
  }

  start(): void {
    this.#ports.callLater(this.#plan.fromMs, () => this.#send());
  }

  /** What the rotation still owes; undefined when it is complete. */
  get missing(): string | undefined {
    const { height, chain, heartbeats, id } = this.#node;
    if (this.#switchAt === undefined) return 'no cut has executed the rotation';
    if (height < this.#switchAt + HEIGHTS_AFTER)
      return `the chain stands at ${height}, the key changes at ${this.#switchAt}`;
    const epoch = epochOf(this.#switchAt, chain.parameters.interval);
    const beat = chain.view.get('validators', id)?.heartbeatEpoch ?? 0;
    if (beat < epoch)
      return `no heartbeat since epoch ${beat}; the sender says ${heartbeats?.state}`;
    return undefined;
  }

  onFinalized(node: FullNode): void {
    const { chain, height } = node;
    const pending = chain.view.get('validators', this.#node.id)?.pendingKey;
    if (pending) this.#switchAt = epochStart(pending.epoch, chain.parameters.interval);
    if (node === this.#node && this.#switchAt !== undefined)
      this.#lookAfter(height - this.#switchAt);
  }

  onSigned(index: number, { height, kind }: SignedMessage, { keyHash }: ValidatorKey): void {
    if (index !== this.#plan.validator) return;
    const isNext = this.#switchAt !== undefined && height >= this.#switchAt;
    if ((keyHash === this.#keys.next.keyHash) !== isNext)
      this.#ports.fail(
        'rotation',
        `the ${isNext ? 'old' : 'next'} key signed a ${kind} at ${height}; they change at ${this.#switchAt}`,
      );
  }

  /** What must be so at a number of heights after the switch. */
  #lookAfter(heights: number): void {
    const { fail } = this.#ports;
    const { heartbeats, key } = this.#node;
    if (heights > 0 && this.#node.isKeyRunning(key as ValidatorKey))
      fail('rotation', `the old key still runs ${heights} heights after the switch`);
    if (heights === HEARTBEAT_HEIGHTS && heartbeats?.state === 'failed')
      fail('heartbeats', 'no heartbeat can be made after the switch');
  }

  /** Gives the transaction to the operator's own node, again where that is down. */
  #send(): void {
    const { callLater, fail, await: wait } = this.#ports;
    const { mempool, isUp } = this.#node;
    const retry = (): void => callLater(RETRY_MS, () => this.#send());
    if (this.#isSent) return;
    if (!isUp || mempool === undefined) {
      retry();
      return;
    }
    const given = mempool.submit(this.#make(), 'own').then((admission) => {
      if (admission.type !== 'refused') this.#isSent = true;
      else fail('rotation', `refused: ${admission.code}: ${admission.message}`);
    });
    // The mempool of a process that has ended meanwhile takes nothing.
    wait(given.catch(retry));
  }

  #make(): Uint8Array {
    const { owner, next, nextSeed } = this.#keys;
    const { chain, id } = this.#node;
    const { height } = chain.head;
    const endpoint = chain.view.get('validators', id)?.endpoint ?? new Uint8Array(0);
    const data = {
      validator_id: id,
      consensus_public_key_hex: toHex(next.publicKey),
      overlay_endpoint_hex: toHex(endpoint),
    };
    const draft = {
      from: owner,
      coin: owner.coin,
      fee: FEE,
      validFrom: height,
      validUntil: height + VALIDITY_CUTS,
      operation: { type: 'rotate_key', data },
      possessionSeed: nextSeed,
    };
    return signTransaction(draft, this.#ports.setting.manifest).wire;
  }
}
