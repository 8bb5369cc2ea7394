/**
 * `svc-miner --bench`: every chosen device measured one after another, as it would mine.
 */
import { join } from 'node:path';
import { columns, note, result, resultJson, usageError } from 'svc-base/cli';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { PowPeriods } from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { expectNetwork } from 'svc-wasm/base';
import { type BenchResult, benchDevice } from '../bench/bench-device.ts';
import { CpuDatasets } from '../cpu/cpu-datasets.ts';
import { rateText } from '../program/lines.ts';
import { chosenCards, cpuThreads, openDevices } from './choose-devices.ts';
import { datasetDirectory, deviceChoice, type MinerFlags } from './options.ts';

const SECONDS_MAX = 86_400;
/** A bench has no chain: its datasets are those of a chain id of zeros. */
const CHAIN_ID = new Uint8Array(48);
const INTERVAL_CUTS = 34_560;

export async function bench(flags: MinerFlags): Promise<void> {
  const seconds = Number(flags.seconds);
  if (!(Number.isInteger(seconds) && seconds >= 1 && seconds <= SECONDS_MAX))
    throw usageError(`--seconds ${flags.seconds}: expected 1 to ${SECONDS_MAX}`);
  await init();
  const network = expectNetwork(flags.network, '--network');
  const parameters = { network, interval: INTERVAL_CUTS };
  const key = new PowPeriods({ chainId: CHAIN_ID, parameters }).keyOf(0);
  const choice = deviceChoice(flags);
  const cards = chosenCards(choice);
  const threads = cpuThreads(choice, cards.length);
  const folder = join(datasetDirectory(flags), `bench-${network}`);
  const clock = SYSTEM_CLOCK;
  const datasets =
    threads === 0
      ? undefined
      : new CpuDatasets({ folder: () => folder, threads, clock, log: SILENT_LOG });
  const results: BenchResult[] = [];
  for (const device of openDevices(cards, threads, datasets)) {
    note(`${device.id} ${device.name}: dataset of ${network}, then ${seconds} s`);
    let told = 0;
    const onProgress = (share: number): void => {
      if (share < 1 && share - told < 0.1) return;
      told = share;
      note(`${device.id} dataset ${Math.floor(share * 100)} %`);
    };
    try {
      results.push(await benchDevice({ device, period: 0, key, seconds, clock, onProgress }));
    } finally {
      await device.close();
    }
  }
  await datasets?.close();
  if (flags.json === true) resultJson(results);
  else result(table(results));
}

function table(results: readonly BenchResult[]): string {
  const head = ['device', 'rate', 'of copies', 'dataset', 'batch', 'hashes', 'checked', 'wrong'];
  const rows = results.map((row) => [
    `${row.device} ${row.name}`,
    rateText(row.hashesPerSecond),
    row.shareOfCopy === null ? '-' : row.shareOfCopy.toFixed(2),
    `${(row.datasetMillis / 1_000).toFixed(1)} s`,
    `${row.batchMillisMean.toFixed(0)} ms`,
    String(row.hashes),
    String(row.compared + row.found),
    String(row.wrong),
  ]);
  return columns([head, ...rows]);
}
