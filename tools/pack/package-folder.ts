/**
 * Makes the folder of a public package as npm packs it: code, declarations, manifest, licence and read-me. A folder is
 * refused if it names anything that is not published.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtKernels } from '../release/hashes.ts';
import { PROTOCOL, ROOT } from '../release/paths.ts';
import { bundleSources } from './bundle-sources.ts';
import { emitLibraryDeclarations } from './library-declarations.ts';
import { NOTICES_FILE, noticesOf } from './notices.ts';
import type { PublicLibrary, PublicPackage, PublicProgram } from './public-packages.ts';
import { insideStarter, PROGRAM_NODE, programStarter, STARTER_SOURCE } from './starter.ts';

interface SourceManifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): SourceManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as SourceManifest;
}

/** The version that the lock installs: every package of the repository pins exact ones. */
function pinnedVersions(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, manifestOf(join(ROOT, 'node_modules', name)).version]),
  );
}

export async function makePackageFolder(wish: PublicPackage, folder: string): Promise<void> {
  if (wish.kind === 'program') await makeProgram(wish, folder);
  else await makeLibrary(wish, folder);
}

async function makeProgram(program: PublicProgram, folder: string): Promise<void> {
  const { name, description, main, inside } = program;
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  mkdirSync(join(folder, 'bin'));
  const others = Object.entries(inside).map(([other, source]) => [`${other}-main`, source]);
  const { imported, inside: carried } = await bundleSources({
    entries: { main, 'start-program': STARTER_SOURCE, ...Object.fromEntries(others) },
    outFolder: dist,
    outside: [],
    registry: 'inside',
    platform: 'node',
  });
  writeFileSync(join(folder, NOTICES_FILE), noticesOf(carried));
  for (const kernel of Object.keys(builtKernels()))
    copyFileSync(join(PROTOCOL, 'build', kernel), join(dist, kernel));
  for (const other of Object.keys(inside))
    writeFileSync(join(dist, `${other}.js`), insideStarter(other));
  writeFileSync(join(folder, 'bin', `${name}.js`), programStarter(name), { mode: 0o755 });
  writeCommonFiles(folder, description, `npm install --global ./${name}-*.tgz\n${name} --help`, {
    name,
    engines: { node: `>=${PROGRAM_NODE}` },
    bin: { [name]: `bin/${name}.js` },
    files: ['bin', 'dist', NOTICES_FILE],
    exports: { './package.json': './package.json' },
    dependencies: pinnedVersions(imported),
  });
}

async function makeLibrary(library: PublicLibrary, folder: string): Promise<void> {
  const { name, description, entries, needs, registry, leftOut, node, platform } = library;
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  const { imported, inside } = await bundleSources({
    entries,
    outFolder: dist,
    outside: needs,
    registry,
    platform,
    leftOut,
  });
  const carriesOthers = inside.length > 0;
  if (carriesOthers) writeFileSync(join(folder, NOTICES_FILE), noticesOf(inside));
  const typed = emitLibraryDeclarations(library, join(folder, 'types'));
  for (const specifier of typed) {
    const isPublished = needs.some(
      (need) => specifier === need || specifier.startsWith(`${need}/`),
    );
    if (!isPublished && !specifier.startsWith('node:'))
      throw new Error(`the types of ${name} name ${specifier}, which is not published`);
  }
  const sources = `packages/${library.folder}/src/`;
  const exports = Object.entries(entries).map(([entry, source]) => [
    entry === 'index' ? '.' : `./${entry}`,
    {
      types: `./types/${source.slice(sources.length).replace(/\.ts$/, '.d.ts')}`,
      default: `./dist/${entry}.js`,
    },
  ]);
  writeCommonFiles(folder, description, `npm install ./svc-*.tgz`, {
    name,
    sideEffects: false,
    engines: { node },
    files: ['dist', 'types', ...(carriesOthers ? [NOTICES_FILE] : [])],
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    dependencies: pinnedVersions([...new Set([...imported, ...needs])].sort()),
  });
}

function writeCommonFiles(
  folder: string,
  description: string,
  install: string,
  manifest: { readonly name: string } & Readonly<Record<string, unknown>>,
): void {
  const { version } = manifestOf(PROTOCOL);
  const { name, ...rest } = manifest;
  const whole = { name, version, description, license: 'MIT', type: 'module', ...rest };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`);
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const written = join(import.meta.dirname, 'readme', `${name}.md`);
  const text = `# ${name}\n\n${description}\n\n\`\`\`sh\n${install}\n\`\`\`\n`;
  writeFileSync(
    join(folder, 'README.md'),
    existsSync(written) ? readFileSync(written, 'utf8') : text,
  );
}
