/**
 * Uses the client from its tarball in every engine that it promises to run in: each pays on one network of `svc-devnet`,
 * waits until that is final, and proves the balance. The programs of the pages then run as people copy them, in Node 26.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ROOT } from '../release/paths.ts';
import { type Finding, install, NODES, problemOf, tarballOf } from './try-libraries.ts';

const run = promisify(execFile);

const PACKAGES = ['svc-wasm', 'svc-client', 'svc-devnet'] as const;
const OTHERS = ['bun@1.4.4', 'deno@2.9.6'] as const;
/** No package needs one; that of Bun moves its program away from where it is looked for here. */
const WITHOUT_SCRIPTS = ['--ignore-scripts'] as const;
const MILLIS_MAX = 300_000;
/** A network that makes cuts by itself, until its input ends. */
const NETWORK = `
import { createDevnet } from 'svc-devnet';
const net = await createDevnet({ cutTime: 500 });
console.log(JSON.stringify({ url: net.url, words: net.words }));
process.stdin.on('end', () => net.close()).resume();
`;
/** Each engine pays from an account of its own: a pending payment reserves its outputs. */
const PAYMENT = `
import { Account, coins, createClient, LightWallet, memoryStore, pay } from 'svc-client';
import { init } from 'svc-wasm';
await init();
const { url, words, index } = JSON.parse(process.argv[2]);
const client = createClient({ url });
const from = new Account(words, { network: 'development', index });
const to = new Account(words, { network: 'development', index: 9 });
const { transactionId } = await pay(client, { from, to: to.address, amount: coins('1.25') });
const { lifecycle } = await client.waitFinal(transactionId);
const light = await LightWallet.open({ client, store: memoryStore() });
const { balance } = await light.proveBalance(from.address);
console.log(lifecycle, balance > 0n);
process.exit();
`;
const PRINTS = 'finalized true';
/** Pages whose programs run as one, from top to bottom. */
const PAGES = [
  'README.md',
  'docs/integrate/client.md',
  'docs/integrate/light-client.md',
  'docs/integrate/sign-in.md',
  'docs/integrate/payment-links.md',
  'docs/integrate/offline-signing.md',
] as const;

interface Engine {
  readonly name: string;
  readonly words: readonly [string, ...string[]];
}

export async function* tryEngines(scratch: string, tarballs: string): AsyncGenerator<Finding> {
  const folder = join(scratch, 'engines');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(folder, 'network.js'), NETWORK);
  writeFileSync(join(folder, 'payment.js'), PAYMENT);
  const platform = `node-${process.platform}-${process.arch}`;
  const nodes = NODES.map((version) => `engine${version}@npm:${platform}@${version}`);
  const files = PACKAGES.map((name) => tarballOf(tarballs, name));
  yield {
    what: 'npm install with engines',
    problem: await problemOf(() =>
      install(folder, [...WITHOUT_SCRIPTS, ...files, ...nodes, ...OTHERS]),
    ),
  };
  const network = spawn(process.execPath, ['network.js'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(network.stdout), 'line')) as [string];
    const facts = JSON.parse(line) as { readonly url: string; readonly words: string };
    for (const [index, engine] of enginesIn(folder).entries())
      yield {
        what: `a payment with ${engine.name}`,
        problem: await problemOf(() => payWith(folder, engine, { ...facts, index })),
      };
  } finally {
    await ended(network);
  }
  for (const page of PAGES)
    yield {
      what: `the programs of ${page}`,
      problem: await problemOf(() => runPage(folder, page)),
    };
}

function enginesIn(folder: string): Engine[] {
  const modules = join(folder, 'node_modules');
  const below = (scope: string): string =>
    join(modules, scope, readdirSync(join(modules, scope))[0] ?? '');
  const allowed = ['--allow-read', '--allow-net', '--allow-env', '--node-modules-dir=manual'];
  return [
    ...NODES.map(
      (version): Engine => ({
        name: `Node ${version}`,
        words: [join(modules, `engine${version}`, 'bin', 'node')],
      }),
    ),
    { name: 'Bun', words: [join(below('@oven'), 'bin', 'bun')] },
    { name: 'Deno', words: [join(below('@deno'), 'deno'), 'run', ...allowed] },
  ];
}

async function payWith(
  folder: string,
  { words: [program, ...flags] }: Engine,
  facts: object,
): Promise<void> {
  const words = [...flags, 'payment.js', JSON.stringify(facts)];
  const { stdout } = await run(program, words, { cwd: folder, timeout: MILLIS_MAX });
  if (stdout.trim() !== PRINTS) throw new Error(`printed ${stdout}`);
}

async function runPage(folder: string, page: string): Promise<void> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const programs = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program]) => program);
  const file = page.replaceAll('/', '-').replace(/\.md$/, '.ts');
  writeFileSync(join(folder, file), programs.join('\n'));
  const { stdout } = await run(process.execPath, [file], { cwd: folder, timeout: MILLIS_MAX });
  if (stdout.trim() === '') throw new Error('printed nothing');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin?.end();
  await once(child, 'exit');
}
