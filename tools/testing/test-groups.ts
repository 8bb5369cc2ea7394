/**
 * Which test files there are, and which of them run in one process. A group has few files, so that processes that run
 * side by side end at about the same time, and not too few, since each process loads what it tests anew. Processes
 * take groups in the order of this list, so those that last longest come first.
 */
import { repositoryFiles } from '../check/repository.ts';
import type { TestGroup } from './run-tests.ts';

/** Two more than the two cores that are counted on: tests of whole networks wait much. */
export const PROCESSES = 4;

const FILES_PER_GROUP_MAX = 16;

/** Beginnings of paths whose tests take minutes, the longest first. */
const SLOW: readonly string[] = [
  'packages/node/test/',
  'packages/wallet/test/',
  'packages/simulator/',
  'packages/pool/test/',
  'packages/page/test/',
  'packages/network/test/',
  'packages/protocol/test/',
  'packages/bridge/test/',
  'packages/node/src/',
  'packages/storage/test/',
  'packages/devnet/test/',
  'packages/pow/src/',
  'packages/wallet/src/',
  'packages/protocol/src/',
];

/**
 * Folders whose files take minutes each, with the files of a group. Those of the simulator share what the engine has
 * compiled of it, those of the pool share little.
 */
const FEW: Readonly<Record<string, number>> = {
  'packages/simulator/test': 2,
  'packages/pool/test': 1,
};

/** The test files below some paths; all without a path. */
export function testFiles(paths: readonly string[]): readonly string[] {
  return repositoryFiles()
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => paths.length === 0 || paths.some((start) => path.startsWith(start)));
}

export function testGroups(files: readonly string[]): readonly TestGroup[] {
  const folders = [...Map.groupBy(files, folderOf)].sort(([a], [b]) => placeOf(a) - placeOf(b));
  return folders.flatMap(([folder, members]) => piecesOf(folder, members));
}

/** `packages/x/src`, `packages/x/test` or `tools`. */
function folderOf(file: string): string {
  return file.startsWith('tools/') ? 'tools' : file.split('/').slice(0, 3).join('/');
}

function placeOf(folder: string): number {
  const at = SLOW.findIndex((start) => `${folder}/`.startsWith(start));
  return at < 0 ? SLOW.length : at;
}

function piecesOf(folder: string, files: readonly string[]): readonly TestGroup[] {
  const pieces = Math.ceil(files.length / (FEW[folder] ?? FILES_PER_GROUP_MAX));
  const length = Math.ceil(files.length / pieces);
  return Array.from({ length: pieces }, (_, index) => ({
    title: pieces === 1 ? folder : `${folder}, part ${index + 1} of ${pieces}`,
    files: files.slice(index * length, (index + 1) * length),
  }));
}
