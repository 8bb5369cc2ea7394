/**
 * Opens the devices that the operator chose, or reports why one cannot be opened.
 */
import { cpus } from 'node:os';
import { CliError, EXIT, usageError } from 'svc-base/cli';
import type { CpuDatasets } from '../cpu/cpu-datasets.ts';
import { CpuDevice } from '../cpu/cpu-device.ts';
import type { Device } from '../devices/device.ts';
import { CardDevice } from '../opencl/card-device.ts';
import { eachOnce } from '../opencl/card-fit.ts';
import { listOpenClDevices, type OpenClDevice } from '../opencl/list-devices.ts';
import { loadOpenCl } from '../opencl/opencl-library.ts';
import { type DeviceChoice, defaultThreads } from './options.ts';

const DRIVER_HINT =
  'install the driver of the card with its OpenCL part; `svc-miner --list-devices` shows what is found';

/** Empty where there is no driver. */
export function openClDevices(): readonly OpenClDevice[] {
  const cl = loadOpenCl();
  return cl === undefined ? [] : listOpenClDevices(cl);
}

export function chosenCards({ cards }: DeviceChoice): readonly OpenClDevice[] {
  if (cards === 'none') return [];
  const all = openClDevices();
  if (cards === 'auto') return eachOnce(all.filter(({ isCpu }) => !isCpu));
  return cards.map((place) => {
    const device = all[place];
    if (device !== undefined) return device;
    throw usageError(`--device gpu:${place}: there are ${all.length} OpenCL devices`, DRIVER_HINT);
  });
}

/** With `auto`, the processor mines where no card does. */
export function cpuThreads({ cpuThreads: wanted }: DeviceChoice, cards: number): number {
  if (wanted >= 0) return wanted;
  return cards > 0 ? 0 : defaultThreads();
}

export function openDevices(
  cards: readonly OpenClDevice[],
  threads: number,
  datasets: CpuDatasets | undefined,
): readonly Device[] {
  const name = cpus()[0]?.model.trim() || process.arch;
  const devices: Device[] = cards.map((card) => new CardDevice(card));
  if (datasets !== undefined)
    for (let index = 0; index < threads; index++)
      devices.push(new CpuDevice({ index, name, datasets }));
  if (devices.length > 0) return devices;
  throw new CliError(EXIT.failed, 'there is no device to mine with', { hint: DRIVER_HINT });
}
