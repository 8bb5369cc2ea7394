/**
 * `npm run kits`: measures what a payment costs a page with this project's kit and with four others, and a network
 * inside a test beside another one, in one run. Everything is installed from tarballs and from npm into a temporary
 * folder. Prints the tables of `docs/reports/kits.md`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureSizes } from './kits/kit-sizes.ts';
import { KITS } from './kits/kit-table.ts';
import { measureNetwork, type Taken, TEST_NETWORKS } from './kits/test-networks.ts';
import { makeTarballs } from './pack/tarballs.ts';
import { install } from './pack/try-libraries.ts';

const OWN = ['svc-wasm', 'svc-client', 'svc-devnet'] as const;

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
const millis = ({ wall, processor }: Taken): string =>
  `${wall.toFixed(1)} ms (${processor.toFixed(1)})`;
const print = (cells: readonly string[]): void =>
  void process.stdout.write(`| ${cells.join(' | ')} |\n`);

const scratch = mkdtempSync(join(tmpdir(), 'svc-kits-'));
try {
  const packed = join(scratch, 'packed');
  const tarballs = (await makeTarballs(packed, OWN)).map(({ file }) => join(packed, file));
  const folder = join(scratch, 'project');
  const others = [...KITS, ...TEST_NETWORKS].flatMap(({ packages }) => packages);
  await makeProject(folder, [...tarballs, ...new Set(others)]);
  const engine = `Node ${process.versions.node}, ${process.platform}-${process.arch}`;
  process.stdout.write(`${engine}, ${availableParallelism()} cores\n\n`);
  print(['kit', 'payment, code', 'beside it', 'together', 'an amount alone', 'a misspelt field']);
  print(Array.from({ length: 6 }, () => '---'));
  for (const kit of KITS) {
    const { payment, asset, amount, misspelt } = await measureSizes(folder, kit);
    const alone =
      amount === null ? 'no such call' : kilobytes(kit.isForBrowsers ? amount : amount + asset);
    const sizes = [payment, asset, payment + asset].map(kilobytes);
    const label = [kit.name, ...kit.packages.map((name) => `\`${name}\``)].join(' ');
    print([label, ...sizes, alone, misspelt]);
  }
  process.stdout.write('\n');
  print(['network in a test', 'first start', 'next start', 'snapshot', 'revert', 'a test']);
  print(Array.from({ length: 6 }, () => '---'));
  for (const network of TEST_NETWORKS) {
    const { start, nextStart, snapshot, revert, test } = measureNetwork(folder, network);
    print([network.name, ...[start, nextStart, snapshot, revert, test].map(millis)]);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function makeProject(folder: string, packages: readonly string[]): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await install(folder, ['--ignore-scripts', ...packages]);
}
