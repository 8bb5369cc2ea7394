/**
 * Which test files run in one process.
 */
import type { TestGroup } from './run-tests.ts';

export function testGroups(files: readonly string[]): readonly TestGroup[] {
  const groups = Map.groupBy(files, groupOf);
  return [...groups].map(([title, members]) => ({ title, files: members }));
}

function groupOf(file: string): string {
  return file.startsWith('tools/') ? 'tools' : file.split('/').slice(0, 3).join('/');
}
