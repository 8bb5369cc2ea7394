/**
 * The files that start the programs of a tarball, with the starter that the programs of the repository have.
 */
export const STARTER_SOURCE = 'packages/base/src/start/start-program.js';
export const PROGRAM_NODE = 26;

/** `dist` is the folder of the code, relative to the file; `main` is the module that is loaded. */
function starter(name: string, dist: string, main: string): string {
  return `import { startProgram } from '${dist}/start-program.js';

await startProgram({ name: '${name}', url: import.meta.url, load: () => import('${dist}/${main}.js') });
`;
}

export function programStarter(name: string): string {
  return `#!/usr/bin/env node\n${starter(name, '../dist', 'main')}`;
}

/** A program that another one starts, in `dist` itself. */
export function insideStarter(name: string): string {
  return starter(name, '.', `${name}-main`);
}
