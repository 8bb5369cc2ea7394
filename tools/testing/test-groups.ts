/**
 * Which test files there are, and which of them run in one process. A group has few files, so that processes that run
 * side by side end at about the same time, and not too few, since each process loads what it tests anew. Processes
 * take groups in the order of this list, so those that last longest come first.
 */
import { repositoryFiles } from '../check/repository.ts';
import type { TestGroup } from './run-tests.ts';

/** Three more than the two cores that are counted on: tests of whole networks wait much, and one waits for minutes. */
export const PROCESSES = 5;

const FILES_PER_GROUP_MAX = 16;

/**
 * Beginnings of the first file of groups that take minutes, the longest first. Computing groups run beside waiting ones,
 * so that the cores always have work.
 */
const SLOW: readonly string[] = [
  'packages/simulator/test/finality-',
  'packages/node/test/process/launch-page',
  'packages/node/test/',
  'packages/simulator/test/node-',
  'packages/network/test/',
  'packages/wallet/test/',
  'packages/simulator/',
  'spec/finality/',
  'packages/pool/test/',
  'packages/page/test/',
  'tools/',
  'packages/ledger/test/',
  'packages/protocol/test/',
  'packages/bridge/test/',
  'packages/consensus/test/signer/',
  'packages/node/src/',
  'packages/serve/test/',
  'packages/storage/test/',
  'packages/devnet/test/',
  'packages/mining/src/pow/',
  'packages/wallet/src/',
  'packages/protocol/src/',
];

/** Waits for four epochs of a network, minute after minute, while the others compute. */
const ALONE = 'packages/node/test/process/launch-page.test.ts';

/** Folders whose files take minutes each and share little, with the files of a group. */
const FEW: Readonly<Record<string, number>> = {
  'packages/pool/test': 1,
};

/**
 * The simulator's levels. Files of a level share what the engine has compiled and optimised of it, which costs a process
 * as much as hundreds of seeds; the seeds come before the mutants, for which the engine discards a part of it.
 */
const LEVELS: readonly (readonly [beginning: string, level: string])[] = [
  ['finality-seeds-', 'finality'],
  ['signer-seeds', 'finality'],
  ['simulator', 'finality'],
  ['node-', 'node'],
  ['ledger', 'ledger'],
  ['committee-changes', 'ledger'],
];
const LEVELS_FOLDER = 'packages/simulator/test';

/** The test files below some paths; all without a path. */
export function testFiles(paths: readonly string[]): readonly string[] {
  return repositoryFiles()
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => paths.length === 0 || paths.some((start) => path.startsWith(start)));
}

export function testGroups(files: readonly string[]): readonly TestGroup[] {
  return [...Map.groupBy(files, companyOf)]
    .flatMap(([company, members]) => piecesOf(company, members))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

/** `packages/x/src`, `packages/x/test` or `tools`, the level of a file of the simulator, or a file that is alone. */
function companyOf(file: string): string {
  if (file === ALONE) return file;
  const folder = file.startsWith('tools/') ? 'tools' : file.split('/').slice(0, 3).join('/');
  if (folder !== LEVELS_FOLDER) return folder;
  const name = file.slice(folder.length + 1);
  const [, level = 'others'] = LEVELS.find(([beginning]) => name.startsWith(beginning)) ?? [];
  return `${folder}, ${level}`;
}

function placeOf({ files }: TestGroup): number {
  const at = SLOW.findIndex((start) => files[0]?.startsWith(start));
  return at < 0 ? SLOW.length : at;
}

function piecesOf(company: string, files: readonly string[]): readonly TestGroup[] {
  const pieces = Math.ceil(files.length / (FEW[company] ?? FILES_PER_GROUP_MAX));
  const length = Math.ceil(files.length / pieces);
  return Array.from({ length: pieces }, (_, index) => ({
    title: pieces === 1 ? company : `${company}, part ${index + 1} of ${pieces}`,
    files: files.slice(index * length, (index + 1) * length),
  }));
}
