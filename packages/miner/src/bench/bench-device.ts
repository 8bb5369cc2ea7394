/**
 * Measures one device as the miner uses it: the dataset of a period, the rate over a while, and beside it how fast
 * the card copies its own memory, since a hash is 64 reads of a page and nothing else takes time. Everything that
 * the device finds meanwhile is hashed again on the processor.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from 'svc-base/pure';
import { sleep } from 'svc-base/pure';
import type { PowKey } from 'svc-mining/pow';
import type { Device, DeviceSearch } from '../devices/device.ts';
import { Prospector, type Work } from '../devices/prospector.ts';
import { CardDevice } from '../opencl/card-device.ts';

/** What a hash reads: 64 pages of 128 bytes. */
const BYTES_PER_HASH = 64 * 128;
const HEADER_BYTES = 312;
const TOP_ALL = (1n << 64n) - 1n;
/** A device reports up to 255 finds a batch. */
const COMPARED_PER_BATCH = 128;
const COMPARED_BATCHES = 8;
/** About one hash in sixteen million is checked again while the rate is measured. */
const ODDS_OF_FIND = 1n << 24n;
const COPY_BYTES = 1 << 30;
const COPY_TIMES = 32;

export interface BenchRequest {
  readonly device: Device;
  readonly period: number;
  readonly key: PowKey;
  readonly seconds: number;
  readonly clock: Clock;
  readonly onProgress: (share: number) => void;
}

export interface BenchResult {
  readonly device: string;
  readonly name: string;
  readonly datasetMillis: number;
  readonly hashesPerSecond: number;
  readonly hashes: number;
  readonly seconds: number;
  /** Hashes at random places of the counters that were compared one by one, and finds that were hashed again. */
  readonly compared: number;
  readonly found: number;
  readonly wrong: number;
  /** Longest and mean time of a batch. */
  readonly batchMillisMean: number;
  readonly batchMillisMax: number;
  /** Null for a device without a memory of its own. */
  readonly copyBytesPerSecond: number | null;
  /** Bytes of pages read in a second as a share of what a copy reads and writes. */
  readonly shareOfCopy: number | null;
}

export async function benchDevice(request: BenchRequest): Promise<BenchResult> {
  const { device, period, key, clock, seconds, onProgress } = request;
  const began = clock.monotonic();
  await device.prepare(period, key, onProgress);
  const datasetMillis = clock.monotonic() - began;
  const timed = new TimedDevice(device, clock);
  const compared = await compare(device, period, key);
  let found = 0;
  let failure: Error | undefined;
  const prospector = new Prospector({
    device: timed,
    deviceNumber: 0,
    clock,
    onFound: () => found++,
    onFailure: (error) => {
      failure = error;
    },
  });
  const work: Work = { jobId: 'bench', period, key, ...anyWork(), isSpentByFind: false };
  prospector.setWork(work);
  // The first seconds find the length of a batch.
  await sleep(clock, 2_000);
  timed.reset();
  const from = { hashes: prospector.meter.total, at: clock.monotonic() };
  await sleep(clock, seconds * 1_000);
  const measured = (clock.monotonic() - from.at) / 1_000;
  const hashes = prospector.meter.total - from.hashes;
  prospector.setWork(undefined);
  await timed.idle();
  if (failure !== undefined) throw failure;
  const hashesPerSecond = hashes / measured;
  const copyBytesPerSecond =
    device instanceof CardDevice ? await device.measureCopy(COPY_BYTES, COPY_TIMES) : null;
  return {
    device: device.id,
    name: device.name,
    datasetMillis,
    hashesPerSecond,
    hashes: prospector.meter.total,
    seconds: measured,
    compared,
    found,
    wrong: prospector.wrong,
    ...timed.batchMillis,
    copyBytesPerSecond,
    shareOfCopy:
      copyBytesPerSecond === null ? null : (hashesPerSecond * BYTES_PER_HASH) / copyBytesPerSecond,
  };
}

function anyWork(): { readonly header: Uint8Array; readonly shareTarget: Uint8Array } {
  const header = new Uint8Array(randomBytes(HEADER_BYTES));
  const shareTarget = new Uint8Array(32);
  new DataView(shareTarget.buffer).setBigUint64(0, TOP_ALL / ODDS_OF_FIND);
  return { header, shareTarget };
}

/** Runs batches with a target that every hash meets, so that the device reports all of them and all are checked. */
async function compare(device: Device, period: number, key: PowKey): Promise<number> {
  let compared = 0;
  for (let batch = 0; batch < COMPARED_BATCHES; batch++) {
    const search: DeviceSearch = {
      period,
      key,
      header: new Uint8Array(randomBytes(HEADER_BYTES)),
      target: new Uint8Array(32).fill(0xff),
      start: BigInt(randomBytes(6).readUIntLE(0, 6)),
      count: COMPARED_PER_BATCH,
    };
    const result = await device.search(search);
    const told = result.nonces.length + result.wrong;
    if (result.wrong > 0 || (device.kind === 'opencl' && told !== COMPARED_PER_BATCH))
      throw new Error(`${device.id} hashed ${result.wrong} of ${told} nonces wrong`);
    compared += told;
  }
  return compared;
}

/** Measures how long searches are under way; passes all calls to its device. */
class TimedDevice implements Device {
  readonly id: string;
  readonly name: string;
  readonly kind: Device['kind'];
  readonly firstBatch: number;
  readonly batchStep: number;
  readonly batchMax: number;
  readonly #device: Device;
  readonly #clock: Clock;
  readonly #underWay = new Set<Promise<unknown>>();
  #count = 0;
  #sum = 0;
  #max = 0;

  constructor(device: Device, clock: Clock) {
    this.#device = device;
    this.#clock = clock;
    ({
      id: this.id,
      name: this.name,
      kind: this.kind,
      firstBatch: this.firstBatch,
      batchStep: this.batchStep,
      batchMax: this.batchMax,
    } = device);
  }

  get batchMillis(): { readonly batchMillisMean: number; readonly batchMillisMax: number } {
    return { batchMillisMean: this.#sum / Math.max(1, this.#count), batchMillisMax: this.#max };
  }

  reset(): void {
    this.#count = this.#sum = this.#max = 0;
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  prepare(...args: Parameters<Device['prepare']>): Promise<void> {
    return this.#device.prepare(...args);
  }

  search(search: DeviceSearch): ReturnType<Device['search']> {
    const began = this.#clock.monotonic();
    const searching = this.#device.search(search).finally(() => {
      this.#underWay.delete(searching);
      const millis = this.#clock.monotonic() - began;
      this.#count++;
      this.#sum += millis;
      this.#max = Math.max(this.#max, millis);
    });
    this.#underWay.add(searching);
    return searching;
  }

  close(): Promise<void> {
    return this.#device.close();
  }
}
