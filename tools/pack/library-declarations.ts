/**
 * The type declarations of a public library. What it takes of the contract is put beside them as plain types, and
 * nothing may be left that names a package or a file which is not published.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../release/paths.ts';
import { contractDeclarations } from './contract-declarations.ts';
import type { PublicLibrary } from './public-packages.ts';

const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const IMPORT = /((?:from|import\()\s*['"])([^'"]+)(['"])/g;
const CONTRACT = 'contract.d.ts';

/** Writes the declarations of a library into a folder and returns the packages that they import. */
export function emitLibraryDeclarations(library: PublicLibrary, outFolder: string): Set<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-declarations-'));
  try {
    return copyReached(library, emit(library, scratch), outFolder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies the declarations that the entries of the library reach. */
function copyReached(library: PublicLibrary, emitted: string, outFolder: string): Set<string> {
  const base = join(emitted, library.folder, 'src');
  const imported = new Set<string>();
  const waiting = Object.values(library.entries).map((entry) =>
    relative(join(ROOT, 'packages', library.folder, 'src'), join(ROOT, entry)),
  );
  const done = new Set<string>();
  let needsContract = false;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (done.has(path)) continue;
    done.add(path);
    const here = path;
    const text = readFileSync(join(base, here.replace(/\.ts$/, '.d.ts')), 'utf8');
    const rewritten = text.replaceAll(IMPORT, (_, before, specifier: string, after) => {
      if (specifier.startsWith('.')) {
        waiting.push(join(dirname(here), specifier));
        return `${before}${specifier.replace(/\.ts$/, '.js')}${after}`;
      }
      if (specifier === 'svc-api' || specifier === 'svc-api/rpc') {
        needsContract = true;
        const place = relative(dirname(here), 'contract.js');
        return `${before}${place.startsWith('.') ? place : `./${place}`}${after}`;
      }
      imported.add(specifier);
      return `${before}${specifier}${after}`;
    });
    const target = join(outFolder, here.replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, rewritten);
  }
  if (needsContract) writeFileSync(join(outFolder, CONTRACT), contractDeclarations());
  return imported;
}

/** Compiles the library with everything that it reaches; returns the folder with a folder for each package. */
function emit(library: PublicLibrary, folder: string): string {
  const project = join(folder, 'tsconfig.json');
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      // The checks of the repository have compiled the same sources.
      noCheck: true,
      rootDir: join(ROOT, 'packages'),
      outDir: join(folder, 'out'),
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    },
    include: [],
    files: Object.values(library.entries).map((entry) => join(ROOT, entry)),
  };
  writeFileSync(project, JSON.stringify(settings));
  try {
    execFileSync(process.execPath, [COMPILER, '--project', project], { encoding: 'utf8' });
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw new Error(`the compiler refused ${library.name}:\n${stdout ?? String(error)}`);
  }
  if (!existsSync(join(folder, 'out'))) throw new Error(`no declarations of ${library.name}`);
  return join(folder, 'out');
}
