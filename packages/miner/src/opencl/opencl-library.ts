/**
 * The OpenCL driver of this machine, loaded at run time through Node's foreign function interface: nothing is
 * compiled or installed for it. Only calls that this miner makes are declared. Handles are opaque numbers.
 */
import { foreignFunctions } from 'svc-base/node';

/** Names under which the loader of OpenCL drivers is found, by platform. */
const LIBRARY_NAMES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['libOpenCL.so.1', 'libOpenCL.so'],
  win32: ['OpenCL.dll'],
  darwin: ['/System/Library/Frameworks/OpenCL.framework/OpenCL'],
};

const SIGNATURES = {
  clGetPlatformIDs: { arguments: ['uint32', 'buffer', 'buffer'], return: 'int32' },
  clGetPlatformInfo: {
    arguments: ['pointer', 'uint32', 'uint64', 'buffer', 'buffer'],
    return: 'int32',
  },
  clGetDeviceIDs: {
    arguments: ['pointer', 'uint64', 'uint32', 'buffer', 'buffer'],
    return: 'int32',
  },
  clGetDeviceInfo: {
    arguments: ['pointer', 'uint32', 'uint64', 'buffer', 'buffer'],
    return: 'int32',
  },
  clCreateContext: {
    arguments: ['pointer', 'uint32', 'buffer', 'pointer', 'pointer', 'buffer'],
    return: 'pointer',
  },
  clReleaseContext: { arguments: ['pointer'], return: 'int32' },
  clCreateCommandQueue: {
    arguments: ['pointer', 'pointer', 'uint64', 'buffer'],
    return: 'pointer',
  },
  clReleaseCommandQueue: { arguments: ['pointer'], return: 'int32' },
  clCreateProgramWithSource: {
    arguments: ['pointer', 'uint32', 'buffer', 'pointer', 'buffer'],
    return: 'pointer',
  },
  clBuildProgram: {
    arguments: ['pointer', 'uint32', 'buffer', 'buffer', 'pointer', 'pointer'],
    return: 'int32',
  },
  clGetProgramBuildInfo: {
    arguments: ['pointer', 'pointer', 'uint32', 'uint64', 'buffer', 'buffer'],
    return: 'int32',
  },
  clReleaseProgram: { arguments: ['pointer'], return: 'int32' },
  clCreateKernel: { arguments: ['pointer', 'buffer', 'buffer'], return: 'pointer' },
  clReleaseKernel: { arguments: ['pointer'], return: 'int32' },
  clSetKernelArg: { arguments: ['pointer', 'uint32', 'uint64', 'buffer'], return: 'int32' },
  clCreateBuffer: {
    arguments: ['pointer', 'uint64', 'uint64', 'pointer', 'buffer'],
    return: 'pointer',
  },
  clReleaseMemObject: { arguments: ['pointer'], return: 'int32' },
  clEnqueueWriteBuffer: {
    arguments: [
      'pointer',
      'pointer',
      'uint32',
      'uint64',
      'uint64',
      'buffer',
      'uint32',
      'pointer',
      'pointer',
    ],
    return: 'int32',
  },
  clEnqueueReadBuffer: {
    arguments: [
      'pointer',
      'pointer',
      'uint32',
      'uint64',
      'uint64',
      'buffer',
      'uint32',
      'pointer',
      'buffer',
    ],
    return: 'int32',
  },
  clEnqueueCopyBuffer: {
    arguments: [
      'pointer',
      'pointer',
      'pointer',
      'uint64',
      'uint64',
      'uint64',
      'uint32',
      'pointer',
      'pointer',
    ],
    return: 'int32',
  },
  clEnqueueNDRangeKernel: {
    arguments: [
      'pointer',
      'pointer',
      'uint32',
      'pointer',
      'buffer',
      'buffer',
      'uint32',
      'pointer',
      'pointer',
    ],
    return: 'int32',
  },
  clWaitForEvents: { arguments: ['uint32', 'buffer'], return: 'int32' },
  clReleaseEvent: { arguments: ['pointer'], return: 'int32' },
  clFlush: { arguments: ['pointer'], return: 'int32' },
  clFinish: { arguments: ['pointer'], return: 'int32' },
} as const;

export type OpenClFunctions = import('node:ffi').DynamicLibraryResult<
  typeof SIGNATURES
>['functions'];

/** A handle of the driver: platform, device, context, queue, program, kernel or buffer. */
export type Handle = bigint;

export const NULL: Handle = 0n;

/** Names of the error numbers of OpenCL that a miner's operator may meet. */
const ERROR_WORDS: ReadonlyMap<number, string> = new Map([
  [-1, 'no device found'],
  [-2, 'the device is not available'],
  [-4, 'the device has too little memory'],
  [-5, 'out of resources'],
  [-6, 'the host has too little memory'],
  [-9999, 'the card stopped the kernel'],
  [-11, 'the kernel could not be compiled'],
  [-54, 'the device refuses this size of a work group'],
  [-61, 'the device refuses a buffer of this size'],
  [-1001, 'no OpenCL driver is installed'],
]);

export class OpenClError extends Error {
  override readonly name = 'OpenClError';
  readonly status: number;

  constructor(call: string, status: number, detail = '') {
    const words = ERROR_WORDS.get(status) ?? 'the driver refused';
    super(`${call}: ${words} (OpenCL error ${status})${detail === '' ? '' : `: ${detail}`}`);
    this.status = status;
  }
}

/** Throws unless a call answered that it succeeded. */
export function expectSuccess(call: string, status: number): void {
  if (status !== 0) throw new OpenClError(call, status);
}

/** Undefined where this machine has no OpenCL. */
export function loadOpenCl(): OpenClFunctions | undefined {
  for (const name of LIBRARY_NAMES[process.platform] ?? []) {
    try {
      return foreignFunctions().dlopen(name, SIGNATURES).functions;
    } catch {
      // Not under this name.
    }
  }
  return undefined;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** A pointer to bytes, as bytes; the bytes must stay reachable for as long as the driver reads them. */
export function pointerTo(bytes: Uint8Array): Buffer {
  return u64(foreignFunctions().getRawPointer(bytes));
}

/** Text of C, with its closing zero. */
export function cText(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
