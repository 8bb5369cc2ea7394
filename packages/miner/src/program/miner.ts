/**
 * The miner: gives the newest work of its source to every device whose dataset is ready, and what devices find back
 * to the source. Preparing datasets, losing servers and failing devices never stop the other devices.
 */
import { type Clock, type Log, messageOf, Signal } from 'svc-base/pure';
import type { PowKey } from 'svc-mining/pow';
import type { CpuDatasets } from '../cpu/cpu-datasets.ts';
import type { Device } from '../devices/device.ts';
import { Prospector, type Work } from '../devices/prospector.ts';
import type { SourceEvent, WorkSource } from '../sources/work-source.ts';

export interface MinerPorts {
  readonly source: WorkSource;
  readonly devices: readonly Device[];
  /** The processor's datasets, made ahead; absent where no thread of the processor mines. */
  readonly datasets?: CpuDatasets;
  readonly clock: Clock;
  readonly log: Log;
}

export type DeviceState = 'waiting' | 'preparing' | 'searching' | 'paused' | 'failed';

export interface DeviceEvent {
  readonly type: 'device';
  readonly device: string;
  readonly state: DeviceState;
  /** The progress of a dataset, 0 to 1. */
  readonly progress?: number;
  readonly reason?: string;
}

/** One device with what it is doing. */
export class Seat {
  readonly prospector: Prospector;
  state: DeviceState = 'waiting';
  /** The dataset that is ready. */
  readyPeriod: number | undefined;
  /** From 0 to 1 while a dataset is made. */
  progress = 0;
  failures = 0;
  /** Whether a dataset is being made now. */
  isPreparing = false;

  constructor(prospector: Prospector) {
    this.prospector = prospector;
  }

  get device(): Device {
    return this.prospector.device;
  }
}

/** A device that failed is tried again after so long, later each time. */
const RETRY_MILLIS = 5_000;
const RETRY_FACTOR_MAX = 12;

export class Miner {
  readonly seats: readonly Seat[];
  /** Events of the source and of the devices. */
  readonly events = new Signal<SourceEvent | DeviceEvent>();
  readonly #ports: MinerPorts;
  #work: Work | undefined;
  #isPaused = false;
  #isClosed = false;

  constructor(ports: MinerPorts) {
    this.#ports = ports;
    this.seats = ports.devices.map((device, deviceNumber) => {
      const seat: Seat = new Seat(
        new Prospector({
          device,
          deviceNumber,
          clock: ports.clock,
          onFound: (work, nonce) => ports.source.submit(work, nonce),
          onFailure: (error) => this.#failed(seat, error),
        }),
      );
      return seat;
    });
    ports.source.events.on((event) => this.#hear(event));
  }

  get work(): Work | undefined {
    return this.#work;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  start(): void {
    this.#ports.source.start();
  }

  pause(): void {
    this.#isPaused = true;
    for (const seat of this.seats) this.#direct(seat);
  }

  resume(): void {
    this.#isPaused = false;
    for (const seat of this.seats) this.#direct(seat);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.seats.map(({ prospector }) => prospector.close()));
    await this.#ports.datasets?.close();
    await this.#ports.source.close();
  }

  #hear(event: SourceEvent): void {
    if (event.type === 'work') {
      this.#work = event.work;
      for (const seat of this.seats) this.#direct(seat);
    }
    if (event.type === 'period') this.#prepareAhead(event.period, event.key);
    this.events.emit(event);
  }

  /** Gives a device its next task. */
  #direct(seat: Seat): void {
    if (this.#isClosed || seat.isPreparing || seat.state === 'failed') return;
    const work = this.#work;
    if (this.#isPaused || work === undefined) {
      seat.prospector.setWork(undefined);
      this.#tell(seat, this.#isPaused ? 'paused' : 'waiting');
      return;
    }
    if (seat.readyPeriod === work.period) {
      seat.prospector.setWork(work);
      this.#tell(seat, 'searching');
      return;
    }
    void this.#prepare(seat, work);
  }

  async #prepare(seat: Seat, { period, key }: Work): Promise<void> {
    seat.isPreparing = true;
    seat.progress = 0;
    seat.prospector.setWork(undefined);
    this.#tell(seat, 'preparing', { progress: 0 });
    try {
      await seat.device.prepare(period, key, (share) => {
        seat.progress = share;
        this.#tell(seat, 'preparing', { progress: share });
      });
      seat.readyPeriod = period;
      seat.failures = 0;
      seat.isPreparing = false;
      this.#direct(seat);
    } catch (error) {
      seat.isPreparing = false;
      this.#failed(seat, error);
    }
  }

  /** Writes the processor's next dataset to the disk, and the cards' to their memory; a failed device makes it later. */
  #prepareAhead(period: number, key: PowKey): void {
    const { datasets, log } = this.#ports;
    datasets?.prepareAhead(period, key);
    for (const { device } of this.seats)
      device.prepareAhead?.(period, key).catch((error: unknown) => {
        if (this.#isClosed) return;
        const reason = messageOf(error);
        log.warn({ device: device.id, period, reason }, 'the next dataset was not made ahead');
      });
  }

  #failed(seat: Seat, error: unknown): void {
    if (this.#isClosed) return;
    seat.failures++;
    seat.readyPeriod = undefined;
    const reason = messageOf(error);
    const retryMillis = RETRY_MILLIS * Math.min(seat.failures, RETRY_FACTOR_MAX);
    this.#ports.log.error({ device: seat.device.id, reason, retryMillis }, 'a device failed');
    this.#tell(seat, 'failed', { reason });
    this.#ports.clock.after(retryMillis, () => {
      seat.state = 'waiting';
      this.#direct(seat);
    });
  }

  #tell(
    seat: Seat,
    state: DeviceState,
    rest: { readonly progress?: number; readonly reason?: string } = {},
  ): void {
    const isNews = seat.state !== state || rest.progress !== undefined;
    seat.state = state;
    if (isNews) this.events.emit({ type: 'device', device: seat.device.id, state, ...rest });
  }
}
