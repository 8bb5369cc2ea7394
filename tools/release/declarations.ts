/**
 * Emits the type declarations of `svc-wasm`. The compiler leaves `.ts` in the import paths of
 * declarations, which a reader outside the repository cannot follow, so they are rewritten here.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PROTOCOL, ROOT } from './paths.ts';

const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const RELATIVE_IMPORT = /((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g;

const WEBASSEMBLY = 'webassembly.d.ts';
/** The types of Node do not name these; where the types of browsers are there too, the declarations merge. */
const WEBASSEMBLY_TYPES = `declare namespace WebAssembly {
  interface Module {}
  interface Memory {}
}
`;

export function emitDeclarations(outFolder: string): void {
  const project = join(PROTOCOL, 'tsconfig.release.json');
  const flags = ['--project', project, '--outDir', outFolder];
  try {
    execFileSync(process.execPath, [compiler, ...flags], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw new Error(`the compiler refused the sources:\n${stdout ?? String(error)}`);
  }
  for (const entry of readdirSync(outFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8').replaceAll(RELATIVE_IMPORT, '$1.js$2');
    const place = relative(entry.parentPath, join(outFolder, WEBASSEMBLY)).replaceAll('\\', '/');
    const reference = text.includes('WebAssembly.') ? `/// <reference path="${place}" />\n` : '';
    writeFileSync(path, `${reference}${text}`);
  }
  writeFileSync(join(outFolder, WEBASSEMBLY), WEBASSEMBLY_TYPES);
}
