/**
 * Checks of networks with short epochs: validators that do not lapse after an outage, and a rotation of a consensus key.
 */
import type { SignedMessage } from 'svc-consensus/machine';
import type { ValidatorKey } from 'svc-consensus/shell';
import { epochOf, epochStart, livenessOf } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { RotationPlan } from '../plan/node-plan.ts';
import type { FullNode, FullWorld } from './full-node.ts';
import { type RotationKeys, signTransaction } from './full-setting.ts';

/** Epochs that are decided after everything has healed: two without a heartbeat, and the one in which it shows. */
const EPOCHS_AFTER = 3;
/** A heartbeat holds for so many epochs after its own. */
const HEARTBEAT_EPOCHS = 2;

/**
 * Looks after the heartbeats of a network that comes back from an outage: no validator that is up lapses, however fast
 * the chain catches up with its clock.
 */
export class LapseWatch {
  readonly #world: FullWorld;
  /** When the last cut before an epoch was decided. */
  readonly #begunAtMs = new Map<number, number>();
  #healedEpoch: number | undefined;
  #newest = 0;

  constructor(world: FullWorld) {
    this.#world = world;
  }

  /** What has to be decided yet; undefined when enough epochs have passed. */
  get missing(): string | undefined {
    const last = this.#healedEpoch === undefined ? undefined : this.#healedEpoch + EPOCHS_AFTER;
    if (last !== undefined && this.#begunAtMs.has(last)) return undefined;
    return `the chain stands at ${this.#newest}, epoch ${last} has not begun`;
  }

  /** Must be called whenever a node has executed a cut. */
  onFinalized(node: FullNode): void {
    const { chain, height } = node;
    if (height <= this.#newest) return;
    this.#newest = height;
    const { interval } = chain.parameters;
    if (this.#world.healedAtMs !== undefined) this.#healedEpoch ??= epochOf(height, interval);
    if (height % interval !== 0) return;
    const epoch = epochOf(height + 1, interval);
    this.#begunAtMs.set(epoch, this.#world.now);
    this.#checkAll(node, epoch);
  }

  #checkAll({ chain }: FullNode, epoch: number): void {
    const { nodes } = this.#world;
    for (const { id, index, key, isUp, isGone, upSinceMs } of nodes) {
      const validator = key === undefined ? undefined : chain.view.get('validators', id);
      const since = this.#begunAtMs.get(epoch - HEARTBEAT_EPOCHS) ?? Number.NEGATIVE_INFINITY;
      const isWatched = isUp && !isGone && upSinceMs <= since && this.#isHealedBefore(since);
      if (validator !== undefined && isWatched && livenessOf(validator, epoch) === 'lapsed')
        this.#world.fail('lapses', `validator ${index} is up and lapses in epoch ${epoch}`);
    }
  }

  #isHealedBefore(atMs: number): boolean {
    const healed = this.#world.healedAtMs;
    return healed !== undefined && healed <= atMs;
  }
}

const FEE = 1_000_000n;
const VALIDITY_CUTS = 60;
const RETRY_MS = 1_000;
/** Heights that have to be decided with the next key. */
const HEIGHTS_AFTER = 2;
/** So long after the switch a heartbeat can be made; whether it arrives depends on the network. */
const HEARTBEAT_HEIGHTS = 6;

/**
 * The operator who rotates a consensus key, and the checks of it: the old key signs before the epoch of the switch and
 * never in it, the next key from there on, the old validator ends, and heartbeats go on. That no height is lost shows by
 * itself: no cut is decided without the validator that rotates.
 */
export class RotationWatch {
  readonly #world: FullWorld;
  readonly #plan: RotationPlan;
  readonly #keys: RotationKeys;
  readonly #node: FullNode;
  #isSent = false;
  /** The first height of the next key, once a cut has executed the rotation. */
  #switchAt: number | undefined;

  constructor(world: FullWorld, keys: RotationKeys, plan: RotationPlan) {
    this.#world = world;
    this.#plan = plan;
    this.#keys = keys;
    this.#node = world.nodes[plan.validator] as FullNode;
  }

  start(): void {
    this.#world.callLater(this.#plan.fromMs, () => this.#send());
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
      this.#world.fail(
        'rotation',
        `the ${isNext ? 'old' : 'next'} key signed a ${kind} at ${height}; they change at ${this.#switchAt}`,
      );
  }

  /** What must be so at a number of heights after the switch. */
  #lookAfter(heights: number): void {
    const { heartbeats, key } = this.#node;
    if (heights > 0 && this.#node.isKeyRunning(key as ValidatorKey))
      this.#world.fail('rotation', `the old key still runs ${heights} heights after the switch`);
    if (heights === HEARTBEAT_HEIGHTS && heartbeats?.state === 'failed')
      this.#world.fail('heartbeats', 'no heartbeat can be made after the switch');
  }

  /** Gives the transaction to the operator's own node, again where that is down. */
  #send(): void {
    const { mempool, isUp } = this.#node;
    const retry = (): void => void this.#world.callLater(RETRY_MS, () => this.#send());
    if (this.#isSent) return;
    if (!isUp || mempool === undefined) {
      retry();
      return;
    }
    const given = mempool.submit(this.#make(), 'own').then((admission) => {
      if (admission.type !== 'refused') this.#isSent = true;
      else this.#world.fail('rotation', `refused: ${admission.code}: ${admission.message}`);
    });
    // The mempool of a process that has ended meanwhile takes nothing.
    this.#world.await(given.catch(retry));
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
    return signTransaction(draft, this.#world.setting.manifest).wire;
  }
}
