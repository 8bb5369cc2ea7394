/**
 * The devices of the miner, for its program and for benchmarks.
 */
export { CpuDevice, type CpuDeviceOptions } from './cpu/cpu-device.ts';
export type { Device, DeviceResult, DeviceSearch } from './devices/device.ts';
export { Prospector, type ProspectorPorts, type Work } from './devices/prospector.ts';
export { RATE_WINDOWS_SECONDS, RateMeter } from './devices/rate-meter.ts';
export { CardDevice } from './opencl/card-device.ts';
export { listOpenClDevices, type OpenClDevice } from './opencl/list-devices.ts';
export { loadOpenCl } from './opencl/opencl-library.ts';
