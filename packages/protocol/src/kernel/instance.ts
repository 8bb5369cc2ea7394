/**
 * One instance of the kernel with its memory. Memory never grows, so views stay valid for life.
 * A trap leaves static state half written: the instance is discarded and recreated, and the
 * caller gets an error, never a broken module.
 */
import { SvcError } from '../base/svc-error.ts';
import type { KernelExports } from './exports.ts';
import { KECCAK_FORMS, type KeccakForm, keccakFormNumber } from './keccak-form.ts';

const PAGE_BYTES = 65536;

export interface InstanceOptions {
  /** Bytes the host needs above the kernel's own static memory. */
  readonly extraBytes: number;
  /** The form of Keccak; the kernel chooses one by itself where none is named. */
  readonly keccak?: KeccakForm | undefined;
}

export class KernelInstance {
  readonly #module: WebAssembly.Module;
  readonly #extraBytes: number;
  readonly #keccak: KeccakForm | undefined;
  #exports!: KernelExports;
  #memory!: WebAssembly.Memory;
  #bytes!: Uint8Array<ArrayBuffer>;
  #view!: DataView;
  #input = 0;
  #inputBytes = 0;
  #output = 0;
  #generation = 0;
  #isRunning = false;

  constructor(module: WebAssembly.Module, options: InstanceOptions) {
    this.#module = module;
    this.#extraBytes = options.extraBytes;
    this.#keccak = options.keccak;
    this.#start();
  }

  #start(): void {
    const pages = Math.ceil((staticBytes(this.#module) + this.#extraBytes) / PAGE_BYTES);
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const instance = new WebAssembly.Instance(this.#module, { env: { memory: this.#memory } });
    this.#exports = instance.exports as unknown as KernelExports;
    if (this.#keccak !== undefined) this.#exports.keccakUseForm(keccakFormNumber(this.#keccak));
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#view = new DataView(this.#memory.buffer);
    this.#input = this.#exports.inPointer();
    this.#inputBytes = this.#exports.inBytes();
    this.#output = this.#exports.outPointer();
    this.#generation++;
    this.#isRunning = true;
  }

  /**
   * Recreates the instance if a trap ended it and there was no memory for another one then. To be
   * called before any argument is written.
   */
  ensureRunning(): void {
    if (this.#isRunning) return;
    try {
      this.#start();
    } catch (cause) {
      const found = `the kernel stopped and cannot be started again: ${String(cause)}`;
      throw new SvcError('kernel_unavailable', found, { cause });
    }
  }

  /** The compiled kernel, for instances with a memory of their own. */
  get module(): WebAssembly.Module {
    return this.#module;
  }

  get exports(): KernelExports {
    return this.#exports;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  get view(): DataView {
    return this.#view;
  }

  /** Where the host writes arguments. */
  get input(): number {
    return this.#input;
  }

  /** How many bytes of arguments the host may write. */
  get inputBytes(): number {
    return this.#inputBytes;
  }

  /** Where the kernel writes results. */
  get output(): number {
    return this.#output;
  }

  /** Grows by one with every restart; what was laid out in an older generation is gone. */
  get generation(): number {
    return this.#generation;
  }

  /** Bytes above the kernel's own static memory, where `heapBase` points. */
  get extraBytes(): number {
    return this.#extraBytes;
  }

  /** The form of Keccak that this instance uses. */
  get keccak(): KeccakForm {
    return KECCAK_FORMS[this.#exports.keccakForm()] as KeccakForm;
  }

  /**
   * Makes a kernel call. A trap, or a stack that runs out inside the call, wipes the memory, restarts the instance
   * and becomes an `SvcError`.
   */
  invoke<T>(call: (exports: KernelExports) => T): T {
    if (!this.#isRunning) throw new SvcError('kernel_unavailable', 'the kernel has stopped');
    try {
      return call(this.#exports);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      this.#isRunning = false;
      this.#bytes.fill(0);
      this.ensureRunning();
      throw new SvcError('kernel_trap', `the kernel stopped: ${error.message}`, { cause: error });
    }
  }
}

const staticSizes = new WeakMap<WebAssembly.Module, number>();

/** Reads `heapBase` once from a throw-away instance, so that no size is written down twice. */
function staticBytes(module: WebAssembly.Module): number {
  const known = staticSizes.get(module);
  if (known !== undefined) return known;
  const memory = new WebAssembly.Memory({ initial: 64 });
  const probe = new WebAssembly.Instance(module, { env: { memory } });
  const size = (probe.exports as unknown as KernelExports).heapBase();
  staticSizes.set(module, size);
  return size;
}
