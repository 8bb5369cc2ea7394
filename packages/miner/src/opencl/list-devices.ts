/**
 * The OpenCL devices of this machine, in the order of their drivers; the order is the number that `--device
 * gpu:N` names.
 */
import { expectSuccess, type Handle, type OpenClFunctions } from './opencl-library.ts';

const PLATFORM_NAME = 0x0902;
const DEVICE_TYPE = 0x1000;
const DEVICE_MAX_COMPUTE_UNITS = 0x1002;
const DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
const DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
const DEVICE_GLOBAL_MEM_SIZE = 0x101f;
const DEVICE_NAME = 0x102b;
const DRIVER_VERSION = 0x102d;
const DEVICE_EXTENSIONS = 0x1030;
const DEVICE_UUID = 0x106a;
const UUID_EXTENSION = 'cl_khr_device_uuid';
const TYPE_ALL = 0xffffffffn;
const TYPE_CPU = 2n;
/** No device was found on a platform that is there. */
const DEVICE_NOT_FOUND = -1;
/** The loader found no driver. */
const PLATFORM_NOT_FOUND = -1001;
const INFO_BYTES_MAX = 65_536;
const HANDLE_BYTES = 8;
const PLATFORMS_MAX = 64;
const DEVICES_PER_PLATFORM_MAX = 64;

export interface OpenClDevice {
  readonly handle: Handle;
  /** Its place among all devices. */
  readonly index: number;
  readonly name: string;
  readonly platform: string;
  readonly driver: string;
  readonly isCpu: boolean;
  readonly computeUnits: number;
  readonly memoryBytes: number;
  /** The largest single buffer. */
  readonly bufferBytesMax: number;
  /** The most work items of a group. */
  readonly groupItemsMax: number;
  /** Identifies a card whichever driver lists it; undefined where the driver does not identify cards. */
  readonly uuid: string | undefined;
  readonly extensions: string;
}

type InfoCall = OpenClFunctions['clGetDeviceInfo'];

export function listOpenClDevices(cl: OpenClFunctions): OpenClDevice[] {
  const found: OpenClDevice[] = [];
  for (const platform of platformsOf(cl)) {
    const platformName = textOf(cl.clGetPlatformInfo, platform, PLATFORM_NAME);
    for (const handle of devicesOf(cl, platform))
      found.push(describe(cl, handle, platformName, found.length));
  }
  return found;
}

function describe(
  cl: OpenClFunctions,
  handle: Handle,
  platform: string,
  index: number,
): OpenClDevice {
  const info = cl.clGetDeviceInfo;
  const extensions = textOf(info, handle, DEVICE_EXTENSIONS);
  const tellsUuid = extensions.split(' ').includes(UUID_EXTENSION);
  return {
    handle,
    index,
    platform,
    name: textOf(info, handle, DEVICE_NAME).trim(),
    driver: textOf(info, handle, DRIVER_VERSION),
    isCpu: (numberOf(info, handle, DEVICE_TYPE) & TYPE_CPU) !== 0n,
    computeUnits: Number(BigInt.asUintN(32, numberOf(info, handle, DEVICE_MAX_COMPUTE_UNITS))),
    memoryBytes: Number(numberOf(info, handle, DEVICE_GLOBAL_MEM_SIZE)),
    bufferBytesMax: Number(numberOf(info, handle, DEVICE_MAX_MEM_ALLOC_SIZE)),
    groupItemsMax: Number(numberOf(info, handle, DEVICE_MAX_WORK_GROUP_SIZE)),
    uuid: tellsUuid ? infoOf(info, handle, DEVICE_UUID).toString('hex') : undefined,
    extensions,
  };
}

function platformsOf(cl: OpenClFunctions): Handle[] {
  const ids = Buffer.alloc(PLATFORMS_MAX * HANDLE_BYTES);
  const count = Buffer.alloc(4);
  const status = cl.clGetPlatformIDs(PLATFORMS_MAX, ids, count);
  if (status === PLATFORM_NOT_FOUND) return [];
  expectSuccess('clGetPlatformIDs', status);
  return handlesIn(ids, count);
}

function devicesOf(cl: OpenClFunctions, platform: Handle): Handle[] {
  const ids = Buffer.alloc(DEVICES_PER_PLATFORM_MAX * HANDLE_BYTES);
  const count = Buffer.alloc(4);
  const status = cl.clGetDeviceIDs(platform, TYPE_ALL, DEVICES_PER_PLATFORM_MAX, ids, count);
  if (status === DEVICE_NOT_FOUND) return [];
  expectSuccess('clGetDeviceIDs', status);
  return handlesIn(ids, count);
}

function handlesIn(ids: Buffer, count: Buffer): Handle[] {
  const length = Math.min(count.readUInt32LE(), ids.length / HANDLE_BYTES);
  return Array.from({ length }, (_, place) => ids.readBigUInt64LE(place * HANDLE_BYTES));
}

function infoOf(call: InfoCall, handle: Handle, key: number): Buffer {
  const value = Buffer.alloc(INFO_BYTES_MAX);
  const length = Buffer.alloc(8);
  expectSuccess('an information call', call(handle, key, BigInt(value.length), value, length));
  return value.subarray(0, Number(length.readBigUInt64LE()));
}

function textOf(call: InfoCall, handle: Handle, key: number): string {
  const bytes = infoOf(call, handle, key);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** A number of four or eight bytes. */
function numberOf(call: InfoCall, handle: Handle, key: number): bigint {
  const bytes = infoOf(call, handle, key);
  return bytes.length >= 8 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE());
}
