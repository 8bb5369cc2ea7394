/**
 * Keeps one device busy: two batches under way at all times, each long enough to be worth its call and short enough
 * that a new job takes effect soon. It never waits for the network. A find is reported with the work it was found
 * for, even if newer work has come meanwhile.
 */
import type { Clock } from 'svc-base/pure';
import { asError } from 'svc-base/pure';
import type { PowKey } from 'svc-mining/pow';
import { equalBytes } from 'svc-wasm/base';
import { DEVICE_NUMBER_AT, type Device, type DeviceResult } from './device.ts';
import { RateMeter } from './rate-meter.ts';

/** What is searched: a job of a server with its prefix in the nonce. */
export interface Work {
  readonly jobId: string;
  readonly period: number;
  readonly key: PowKey;
  readonly header: Uint8Array;
  readonly shareTarget: Uint8Array;
  /** Every share of it is a block, and a block uses it up: after a find the work is worthless. */
  readonly isSpentByFind: boolean;
}

export interface ProspectorPorts {
  readonly device: Device;
  /** Separates the nonces of devices of one miner; below 65,536. */
  readonly deviceNumber: number;
  readonly clock: Clock;
  readonly onFound: (work: Work, nonce: Uint8Array) => void;
  /** The device failed; it searches nothing until it is given work again. */
  readonly onFailure: (error: Error) => void;
}

/** Two batches of this length are under way, so a new job takes effect within a tenth of a second. */
const BATCH_MILLIS = 40;
const UNDER_WAY = 2;
const HEADER_NONCE_AT = 288;
const GROWTH_MAX = 4;

export class Prospector {
  readonly meter = new RateMeter();
  readonly #ports: ProspectorPorts;
  #work: Work | undefined;
  #header = new Uint8Array(0);
  /** The next counter of the header. */
  #next = 0n;
  #batch: number;
  #underWay = 0;
  #lastEndedAt: number | undefined;
  #isClosed = false;
  /** Finds that the processor did not confirm. */
  wrong = 0;
  /** Finds that did not fit into a batch's room. */
  lost = 0;

  constructor(ports: ProspectorPorts) {
    this.#ports = ports;
    this.#batch = ports.device.firstBatch;
  }

  get device(): Device {
    return this.#ports.device;
  }

  /** Searches this from the next batch on; undefined rests the device. No nonce of one header is tried twice. */
  setWork(work: Work | undefined): void {
    this.#work = work;
    if (work === undefined) return;
    const header = work.header.slice();
    const numberAt = HEADER_NONCE_AT + DEVICE_NUMBER_AT;
    new DataView(header.buffer).setUint16(numberAt, this.#ports.deviceNumber, true);
    if (!equalBytes(header, this.#header)) this.#next = 0n;
    this.#header = header;
    this.#fill();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#work = undefined;
    await this.#ports.device.close();
  }

  #fill(): void {
    while (this.#work !== undefined && this.#underWay < UNDER_WAY && !this.#isClosed) {
      this.#underWay++;
      void this.#search(this.#work);
    }
  }

  async #search(work: Work): Promise<void> {
    const { device, clock, onFound, onFailure } = this.#ports;
    const { period, key, shareTarget: target } = work;
    const count = this.#batch;
    const start = this.#next;
    this.#next += BigInt(count);
    const beganAt = clock.monotonic();
    try {
      const header = this.#header;
      const result = await device.search({ period, key, header, target, start, count });
      this.#underWay--;
      if (this.#isClosed) return;
      this.#count(result, beganAt);
      // Nonces after a find of the batch were not tried; there are plenty of counters, so nothing is lost.
      for (const nonce of result.nonces) onFound(work, nonce);
      const isSpent = work.isSpentByFind && result.nonces.length > 0;
      if (isSpent && this.#work === work) this.#work = undefined;
      this.#fill();
    } catch (error) {
      this.#underWay--;
      if (this.#isClosed) return;
      this.#work = undefined;
      onFailure(asError(error));
    }
  }

  /** Follows the device's pace: the time between two ends is that of one batch, since the next waits in the device. */
  #count({ done, wrong, lost }: DeviceResult, beganAt: number): void {
    const { clock, device } = this.#ports;
    const now = clock.monotonic();
    this.meter.add(done, now);
    this.wrong += wrong;
    this.lost += lost;
    const millis = Math.max(now - Math.max(this.#lastEndedAt ?? beganAt, beganAt), 1);
    this.#lastEndedAt = now;
    const factor = lost > 0 ? 0.5 : Math.min(BATCH_MILLIS / millis, GROWTH_MAX);
    const isWhole = done === this.#batch;
    if (lost === 0 && !isWhole && factor > 1) return;
    const wanted = Math.ceil((this.#batch * factor) / device.batchStep) * device.batchStep;
    this.#batch = Math.max(device.batchStep, Math.min(wanted, device.batchMax));
  }
}
