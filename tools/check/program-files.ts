/**
 * The files that start programs. All of them do nothing but call `startProgram`, which keeps other users of the machine out
 * of the process and picks a Node that is new enough; tests start each program by the table of `svc-base/testing`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_NAMES } from '../../packages/base/src/testing/index.ts';
import type { Check } from './check.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const MANIFEST = /^packages\/[^/]+\/package\.json$/;
const LOADS = /\n {2}load: \(\) => import\('\.\.\/src\/(?:(?:cli|signer)\/)?main\.ts'\),\n/;

export interface ProgramFile {
  /** What the manifest calls the program. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export const programFiles: Check = {
  name: 'program files',
  run: async () => {
    const files = repositoryFiles()
      .filter((path) => MANIFEST.test(path))
      .flatMap(programsOf);
    return [...files.flatMap(programFileProblems), ...untestedPrograms(files)];
  },
};

function programsOf(manifest: string): ProgramFile[] {
  const { bin = {} } = JSON.parse(readFileSync(join(ROOT, manifest), 'utf8')) as {
    bin?: Readonly<Record<string, string>>;
  };
  return Object.entries(bin).map(([name, file]) => {
    const path = join(manifest, '..', file);
    return { name, path, text: readFileSync(join(ROOT, path), 'utf8') };
  });
}

export function programFileProblems({ name, path, text }: ProgramFile): string[] {
  const [load = ''] = LOADS.exec(text) ?? [];
  const start = `#!/usr/bin/env node
/** Starts \`${name}\`, also where the Node that was called is too old for its sources. */
import { startProgram } from 'svc-base/start';

await startProgram({
  name: '${name}',
  url: import.meta.url,${load}});
`;
  return text === start ? [] : [`${path}: a program is started by startProgram alone:\n${start}`];
}

function untestedPrograms(files: readonly ProgramFile[]): string[] {
  const names: readonly string[] = PROGRAM_NAMES;
  return files
    .filter(({ name }) => !names.includes(name))
    .map(({ name }) => `packages/base/src/testing/program-path.ts: ${name} is missing`);
}
