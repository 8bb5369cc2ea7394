/**
 * Uses the libraries from their tarballs: linters of packages, two compilers without `skipLibCheck`, with the types of
 * Node alone and with those of browsers alone, and every release of Node that they promise to run on.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Finding {
  readonly what: string;
  /** Absent if it works. */
  readonly problem?: string | undefined;
}

const LIBRARIES = ['svc-wasm', 'svc-client', 'svc-devnet'] as const;
export const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'] as const;
const COMPILERS = ['5.9.3', '7.0.2'] as const;
const LINTERS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5', '@types/node@26.6.6'] as const;
/** Data files have no types. */
const DATA = ['svc.wasm', 'svc.scalar.wasm', 'svc.pow.wasm'] as const;

const PROGRAM = `
import { ClientError, createClient, type AnswerOf } from 'svc-client';
import { init, parseAmount } from 'svc-wasm';

await init();
const client = createClient({ url: 'http://127.0.0.1:1', retry: { retries: 0 } });
const head: AnswerOf<'chainHead'> | string = await client.chainHead().catch((error: unknown) =>
  error instanceof ClientError ? error.kind : String(error),
);
console.log(parseAmount('1.25'), typeof head === 'string' ? head : head.chain_id);
`;
const PRINTS = '125000000 unreachable';
/** A payment on a network of its own, which Node 26 runs. */
const NETWORK = `
import { balance, coins, pay } from 'svc-client';
import { createDevnet } from 'svc-devnet';

const net = await createDevnet();
const [alice, bob] = net.accounts;
const before = await balance(net.client, bob.address);
const { transactionId } = await pay(net.client, { from: alice, to: bob.address, amount: coins('1.25') });
await net.mineUntilFinal(transactionId);
console.log(String((await balance(net.client, bob.address)).atoms - before.atoms));
await net.close();
`;
const MISSPELT = `
import { createClient } from 'svc-client';
await createClient({ url: 'http://127.0.0.1:1' }).addressBalance({ adress: 'x' });
`;

export async function* tryLibraries(scratch: string, tarballs: string): AsyncGenerator<Finding> {
  const folder = join(scratch, 'libraries');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(folder, 'main.ts'), PROGRAM);
  writeFileSync(join(folder, 'misspelt.ts'), MISSPELT);
  writeFileSync(join(folder, 'network.mjs'), NETWORK);
  const files = LIBRARIES.map((name) => tarballOf(tarballs, name));
  const engine = `node-${process.platform}-${process.arch}`;
  const aside = [
    ...COMPILERS.map((version) => `compiler${version}@npm:typescript@${version}`),
    ...NODES.map((version) => `engine${version}@npm:${engine}@${version}`),
    ...LINTERS,
  ];
  yield {
    what: 'npm install',
    problem: await problemOf(() => install(folder, [...files, ...aside])),
  };
  yield* lintPackages(folder, files);
  for (const version of COMPILERS) yield* compile(folder, version);
  for (const version of NODES) {
    const program = join(folder, 'node_modules', `engine${version}`, 'bin', 'node');
    yield {
      what: `node ${version}`,
      problem: await problemOf(async () => {
        const { stdout } = await run(program, ['out/main.js'], { cwd: folder });
        if (stdout.trim() !== PRINTS) throw new Error(`printed ${stdout}`);
      }),
    };
  }
  yield {
    what: 'a payment on a network of svc-devnet',
    problem: await problemOf(async () => {
      const { stdout } = await run(process.execPath, ['network.mjs'], { cwd: folder });
      if (stdout.trim() !== '125000000') throw new Error(`printed ${stdout}`);
    }),
  };
}

export function tarballOf(folder: string, name: string): string {
  const found = readdirSync(folder).find((file) => new RegExp(`^${name}-\\d.*\\.tgz$`).test(file));
  if (found === undefined) throw new Error(`there is no tarball of ${name}`);
  return join(folder, found);
}

export async function install(folder: string, packages: readonly string[]): Promise<void> {
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel', 'error'];
  await run('npm', ['install', ...flags, ...packages], { cwd: folder });
}

export async function problemOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${String(error)}\n${stdout}${stderr}`.trim().slice(0, 2_000);
  }
}

async function* lintPackages(folder: string, files: readonly string[]): AsyncGenerator<Finding> {
  for (const file of files) {
    const publint = ['publint', '--strict', file];
    const attw = ['attw', '--profile', 'esm-only', file, '--exclude-entrypoints', ...DATA];
    for (const words of [publint, attw])
      yield {
        what: `${words[0]} ${file.split('/').at(-1)}`,
        problem: await problemOf(() => run('npx', ['--no-install', ...words], { cwd: folder })),
      };
  }
}

async function* compile(folder: string, version: string): AsyncGenerator<Finding> {
  const compiler = join(folder, 'node_modules', `compiler${version}`, 'bin', 'tsc');
  const check = (name: string, file: string, options: object) => {
    const settings = {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        target: 'es2022',
        module: 'nodenext',
        outDir: 'out',
        ...options,
      },
      files: [file],
    };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(settings));
    return run(process.execPath, [compiler, '--project', `${name}.json`], { cwd: folder });
  };
  const node = { lib: ['es2022'], types: ['node'] };
  const browser = { lib: ['es2022', 'dom'], types: [] };
  yield {
    what: `TypeScript ${version} with the types of Node`,
    problem: await problemOf(() => check('node', 'main.ts', node)),
  };
  yield {
    what: `TypeScript ${version} with the types of browsers`,
    problem: await problemOf(() => check('browser', 'main.ts', browser)),
  };
  const accepted = await problemOf(() => check('misspelt', 'misspelt.ts', node));
  yield {
    what: `TypeScript ${version} refuses a misspelt field`,
    problem: accepted?.includes('adress') === true ? undefined : `accepted: ${accepted ?? ''}`,
  };
}
