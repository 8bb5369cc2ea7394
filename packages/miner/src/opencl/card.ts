/**
 * One OpenCL device with the kernel compiled for it: makes datasets in the card's memory and searches nonces.
 * Every call blocks until the driver took it, and reading blocks until the card is done, so a card lives in a
 * thread of its own. Cards make errors: the caller checks their finds.
 */
import { readFileSync } from 'node:fs';
import type { PowSizes } from 'svc-wasm/kernel';
import { cardFault, GROUP_ITEMS } from './card-fit.ts';
import type { OpenClDevice } from './list-devices.ts';
import {
  cText,
  expectSuccess,
  type Handle,
  NULL,
  OpenClError,
  type OpenClFunctions,
  pointerTo,
  u32,
  u64,
} from './opencl-library.ts';

const SOURCE = new URL('./pow.cl', import.meta.url);
const ITEM_BYTES = 64;
const PAGE_BYTES = 128;
const MIDSTATE_BYTES = 200;
/** Hashes that eight work items of a group interleave. */
const HASHES_AT_ONCE = 4;
/** Items of one call: a fraction of a second even on slow cards, so that no driver stops the kernel. */
const ITEMS_PER_CALL = 1 << 18;
/** Records of a call's finds, after a head of one record: counter and first bytes of the result. */
const FOUND_MAX = 255;
const RECORD_BYTES = 16;
const FOUND_BYTES = RECORD_BYTES * (FOUND_MAX + 1);
const BUILD_LOG = 0x1183;
const BUILD_LOG_BYTES_MAX = 65_536;
const READ_WRITE = 1n;
const BLOCKING = 1;
const NOT_BLOCKING = 0;
const NO_FINDS = Buffer.alloc(RECORD_BYTES);

export interface CardFind {
  /** The counter in bytes 6 to 13 of the nonce. */
  readonly counter: bigint;
  /** The first eight bytes of the result, big-endian. */
  readonly top: bigint;
}

export interface CardResult {
  readonly found: readonly CardFind[];
  /** Finds beyond the room for them: the share target is too easy for batches of this size. */
  readonly lost: number;
}

export interface CardSearch {
  readonly midstate: Uint8Array;
  readonly start: bigint;
  /** A multiple of the group's work items. */
  readonly count: number;
  /** The first eight bytes of the target, big-endian. */
  readonly targetTop: bigint;
}

/** A dataset in the memory of a card. */
export interface CardDataset {
  readonly buffer: Handle;
  readonly pages: number;
}

/** A search that the card works on. */
export interface PendingSearch {
  /** Its index in the two sets of buffers. */
  readonly place: number;
  /** Happens when its finds have been copied to the host. */
  readonly event: Handle;
}

interface SearchBuffers {
  readonly midstate: Handle;
  readonly found: Handle;
  /** What the driver copies from while a batch begins; it stays in place until the batch has ended. */
  readonly hostMidstate: Buffer;
  /** What the driver copies the finds to. */
  readonly hostFound: Buffer;
}

export const COUNT_STEP = GROUP_ITEMS;

export class Card {
  readonly #cl: OpenClFunctions;
  readonly #device: OpenClDevice;
  readonly #context: Handle;
  readonly #queue: Handle;
  readonly #program: Handle;
  readonly #makeItems: Handle;
  readonly #search: Handle;
  readonly #buffers: readonly SearchBuffers[];
  readonly #owned: Handle[] = [];
  readonly #error = Buffer.alloc(4);
  #nextPlace = 0;

  constructor(cl: OpenClFunctions, device: OpenClDevice) {
    this.#cl = cl;
    this.#device = device;
    const devices = u64(device.handle);
    this.#context = this.#made(
      'clCreateContext',
      cl.clCreateContext(NULL, 1, devices, NULL, NULL, this.#error),
    );
    this.#queue = this.#made(
      'clCreateCommandQueue',
      cl.clCreateCommandQueue(this.#context, device.handle, 0n, this.#error),
    );
    this.#program = this.#build(device, devices);
    this.#makeItems = this.#kernel('make_items');
    this.#search = this.#kernel('search');
    this.#buffers = [0, 1].map(() => ({
      midstate: this.#allocate(MIDSTATE_BYTES),
      found: this.#allocate(FOUND_BYTES),
      hostMidstate: Buffer.alloc(MIDSTATE_BYTES),
      hostFound: Buffer.alloc(FOUND_BYTES),
    }));
  }

  /** Makes the dataset of a cache; `onProgress` gets the number of made items. */
  makeDataset(
    cache: Uint8Array,
    { datasetBytes }: PowSizes,
    onProgress: (done: number, total: number) => void = () => {},
  ): CardDataset {
    const fault = cardFault(this.#device, datasetBytes);
    if (fault !== undefined) throw new Error(`${this.#device.name}: ${fault}`);
    const cacheItems = cache.length / ITEM_BYTES;
    const items = datasetBytes / ITEM_BYTES;
    const buffer = this.#allocate(datasetBytes);
    const cacheBuffer = this.#allocate(cache.length);
    try {
      this.#write(cacheBuffer, cache, BLOCKING);
      for (let first = 0; first < items; first += ITEMS_PER_CALL) {
        const count = Math.min(ITEMS_PER_CALL, items - first);
        this.#launch(this.#makeItems, count, [
          u64(buffer),
          u64(cacheBuffer),
          u32(cacheItems),
          u32(reciprocalOf(cacheItems)),
          u32(first),
          u32(count),
        ]);
        expectSuccess('clFinish', this.#cl.clFinish(this.#queue));
        onProgress(first + count, items);
      }
    } catch (error) {
      this.#release(buffer);
      throw error;
    } finally {
      this.#release(cacheBuffer);
    }
    return { buffer, pages: datasetBytes / PAGE_BYTES };
  }

  /** One dataset item, for comparison with the cache. */
  readItem(dataset: CardDataset, index: number): Uint8Array {
    const bytes = Buffer.alloc(ITEM_BYTES);
    this.#read(dataset.buffer, bytes, index * ITEM_BYTES);
    return bytes;
  }

  freeDataset(dataset: CardDataset): void {
    expectSuccess('clFinish', this.#cl.clFinish(this.#queue));
    this.#release(dataset.buffer);
  }

  /** Gives the card a batch without waiting for it. At most two may be under way. */
  begin(dataset: CardDataset, { midstate, start, count, targetTop }: CardSearch): PendingSearch {
    const place = this.#nextPlace;
    this.#nextPlace = 1 - place;
    const buffers = this.#buffers[place] as SearchBuffers;
    buffers.hostMidstate.set(midstate);
    // A write that blocked would wait for the batch before, and the card would idle between two.
    this.#write(buffers.midstate, buffers.hostMidstate, NOT_BLOCKING);
    this.#write(buffers.found, NO_FINDS, NOT_BLOCKING);
    this.#launch(this.#search, count, [
      u64(dataset.buffer),
      u64(buffers.midstate),
      u32(dataset.pages),
      u32(reciprocalOf(dataset.pages)),
      u64(start),
      u64(targetTop),
      u64(buffers.found),
    ]);
    // The copy of the finds follows its own batch in the queue: queued later, it would wait for the next one too.
    const event = Buffer.alloc(8);
    const size = BigInt(FOUND_BYTES);
    const { clEnqueueReadBuffer, clFlush } = this.#cl;
    const status = clEnqueueReadBuffer(
      this.#queue,
      buffers.found,
      NOT_BLOCKING,
      0n,
      size,
      buffers.hostFound,
      0,
      NULL,
      event,
    );
    expectSuccess('clEnqueueReadBuffer', status);
    expectSuccess('clFlush', clFlush(this.#queue));
    return { place, event: event.readBigUInt64LE() };
  }

  /** Waits for a batch and reads what it found. Batches end in the order in which they began. */
  end({ place, event }: PendingSearch): CardResult {
    expectSuccess('clWaitForEvents', this.#cl.clWaitForEvents(1, u64(event)));
    expectSuccess('clReleaseEvent', this.#cl.clReleaseEvent(event));
    const { hostFound } = this.#buffers[place] as SearchBuffers;
    const total = hostFound.readUInt32LE();
    const count = Math.min(total, FOUND_MAX);
    const found = Array.from({ length: count }, (_, at) => ({
      counter: hostFound.readBigUInt64LE((at + 1) * RECORD_BYTES),
      top: hostFound.readBigUInt64LE((at + 1) * RECORD_BYTES + 8),
    }));
    return { found, lost: total - count };
  }

  /** Copies `bytes` within the card `times` times, as a measure of its memory: a read and a write of each byte. */
  copyWithin(bytes: number, times: number): void {
    const from = this.#allocate(bytes);
    const to = this.#allocate(bytes);
    try {
      for (let time = 0; time < times; time++) {
        const size = BigInt(bytes);
        const status = this.#cl.clEnqueueCopyBuffer(
          this.#queue,
          from,
          to,
          0n,
          0n,
          size,
          0,
          NULL,
          NULL,
        );
        expectSuccess('clEnqueueCopyBuffer', status);
      }
      expectSuccess('clFinish', this.#cl.clFinish(this.#queue));
    } finally {
      this.#release(from);
      this.#release(to);
    }
  }

  close(): void {
    const cl = this.#cl;
    cl.clFinish(this.#queue);
    for (const buffer of this.#owned.splice(0)) cl.clReleaseMemObject(buffer);
    for (const kernel of [this.#makeItems, this.#search]) cl.clReleaseKernel(kernel);
    cl.clReleaseProgram(this.#program);
    cl.clReleaseCommandQueue(this.#queue);
    cl.clReleaseContext(this.#context);
  }

  #build(device: OpenClDevice, devices: Buffer): Handle {
    const cl = this.#cl;
    const source = cText(readFileSync(SOURCE, 'utf8'));
    const program = this.#made(
      'clCreateProgramWithSource',
      cl.clCreateProgramWithSource(this.#context, 1, pointerTo(source), NULL, this.#error),
    );
    const usesPtx = device.platform.includes('NVIDIA');
    const options = `-DGROUP_ITEMS=${GROUP_ITEMS} -DHASHES_AT_ONCE=${HASHES_AT_ONCE}${usesPtx ? ' -DUSE_PTX' : ''}`;
    const status = cl.clBuildProgram(program, 1, devices, cText(options), NULL, NULL);
    if (status === 0) return program;
    const log = Buffer.alloc(BUILD_LOG_BYTES_MAX);
    const size = BigInt(log.length);
    cl.clGetProgramBuildInfo(program, device.handle, BUILD_LOG, size, log, Buffer.alloc(8));
    throw new OpenClError('clBuildProgram', status, log.toString('utf8', 0, log.indexOf(0)).trim());
  }

  #kernel(name: string): Handle {
    const kernel = this.#cl.clCreateKernel(this.#program, cText(name), this.#error);
    return this.#made('clCreateKernel', kernel);
  }

  #allocate(bytes: number): Handle {
    const { clCreateBuffer } = this.#cl;
    const buffer = clCreateBuffer(this.#context, READ_WRITE, BigInt(bytes), NULL, this.#error);
    const handle = this.#made('clCreateBuffer', buffer);
    this.#owned.push(handle);
    return handle;
  }

  #release(buffer: Handle): void {
    const at = this.#owned.indexOf(buffer);
    if (at < 0) throw new Error('a buffer of the card was released twice');
    this.#owned.splice(at, 1);
    expectSuccess('clReleaseMemObject', this.#cl.clReleaseMemObject(buffer));
  }

  #write(to: Handle, bytes: Uint8Array, blocking: number): void {
    const { clEnqueueWriteBuffer } = this.#cl;
    const size = BigInt(bytes.length);
    const status = clEnqueueWriteBuffer(this.#queue, to, blocking, 0n, size, bytes, 0, NULL, NULL);
    expectSuccess('clEnqueueWriteBuffer', status);
  }

  #read(from: Handle, into: Buffer, at: number): void {
    const { clEnqueueReadBuffer } = this.#cl;
    const [offset, size] = [BigInt(at), BigInt(into.length)];
    const status = clEnqueueReadBuffer(
      this.#queue,
      from,
      BLOCKING,
      offset,
      size,
      into,
      0,
      NULL,
      null,
    );
    expectSuccess('clEnqueueReadBuffer', status);
  }

  #launch(kernel: Handle, items: number, values: readonly Buffer[]): void {
    const cl = this.#cl;
    values.forEach((value, at) => {
      expectSuccess('clSetKernelArg', cl.clSetKernelArg(kernel, at, BigInt(value.length), value));
    });
    const global = u64(Math.ceil(items / GROUP_ITEMS) * GROUP_ITEMS);
    const local = u64(GROUP_ITEMS);
    const status = cl.clEnqueueNDRangeKernel(
      this.#queue,
      kernel,
      1,
      NULL,
      global,
      local,
      0,
      NULL,
      NULL,
    );
    expectSuccess('clEnqueueNDRangeKernel', status);
  }

  #made(call: string, handle: Handle): Handle {
    expectSuccess(call, this.#error.readInt32LE());
    return handle;
  }
}

/** For remainders without a division: floor(2^32 / divisor), which fits for every divisor above 1. */
function reciprocalOf(divisor: number): number {
  return Math.floor(2 ** 32 / divisor);
}
