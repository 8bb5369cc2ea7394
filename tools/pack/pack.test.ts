import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../release/paths.ts';
import { manifestOf, OUTSIDE_PACKAGES, outsideProject } from './outside-project.ts';

const run = promisify(execFile);

function textFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:js|d\.ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('packages outside the repository', () => {
  let project = '';
  before(async () => {
    project = await outsideProject();
  });

  test('nothing in a package names a source or a package that is not published', () => {
    for (const name of OUTSIDE_PACKAGES) {
      const folder = join(project, 'node_modules', name);
      const published = new Set(['svc-wasm', ...Object.keys(manifestOf(folder).dependencies)]);
      for (const file of textFiles(folder)) {
        const text = readFileSync(file, 'utf8');
        assert.ok(!text.includes(ROOT), `${file} names the repository`);
        for (const [, specifier = ''] of text.matchAll(
          /^(?:import|export)[^'"\n]* from ['"]([^'"]+)['"]/gm,
        )) {
          assert.doesNotMatch(specifier, /\.ts$/, file);
          if (/^(?:\.|node:)/.test(specifier)) continue;
          const parts = specifier.split('/', specifier.startsWith('@') ? 2 : 1);
          assert.ok(published.has(parts.join('/')), `${file} imports ${specifier}`);
        }
      }
    }
  });

  test('the client runs, and its errors keep their class', async () => {
    writeFileSync(
      join(project, 'main.js'),
      `import { ClientError, createClient } from 'svc-client';
       import { init, parseAmount } from 'svc-wasm';
       await init();
       const client = createClient({ url: 'http://127.0.0.1:1', retry: { retries: 0 } });
       const error = await client.chainHead().catch((error) => error);
       console.log(parseAmount('1.25'), error instanceof ClientError, error.kind);`,
    );
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: project });
    assert.equal(stdout.trim(), '125000000 true unreachable');
  });

  test('a program runs from its folder, with its threads and data beside it', async () => {
    const folder = join(project, 'node_modules', 'svc-miner');
    const program = join(folder, 'bin', 'svc-miner.js');
    const { stdout } = await run(process.execPath, [program, '--help'], { cwd: project });
    assert.match(stdout, /Usage: svc-miner/);
    const files = readdirSync(join(folder, 'dist'));
    for (const name of ['hash-thread.js', 'card-thread.js', 'pow.cl', 'svc.pow.wasm'])
      assert.ok(files.includes(name), `${name} is missing`);
  });

  test('a program carries the packages that it uses, and names each with its licence', () => {
    const folder = join(project, 'node_modules', 'svc-miner');
    assert.deepEqual(manifestOf(folder).dependencies, {});
    const notices = readFileSync(join(folder, 'NOTICES.txt'), 'utf8');
    const { version } = JSON.parse(
      readFileSync(join(ROOT, 'node_modules', 'commander', 'package.json'), 'utf8'),
    ) as { readonly version: string };
    assert.ok(notices.includes(`\ncommander ${version} (MIT)\n\n(The MIT License)`), notices);
    assert.match(notices, /\n@noble\/hashes \S+ \(MIT\)\n/);
  });

  test('a network carries what it uses without the code for peers, and makes a payment final', async () => {
    const folder = join(project, 'node_modules', 'svc-devnet');
    const needed = ['classic-level', 'pino', 'svc-client', 'svc-wasm'];
    assert.deepEqual(Object.keys(manifestOf(folder).dependencies), needed);
    assert.doesNotMatch(readFileSync(join(folder, 'NOTICES.txt'), 'utf8'), /libp2p/);
    writeFileSync(
      join(project, 'network.mjs'),
      `import { coins, pay } from 'svc-client';
       import { createDevnet } from 'svc-devnet';
       await using net = await createDevnet();
       const [alice, bob] = net.accounts;
       const { transactionId } = await pay(net.client, { from: alice, to: bob.address, amount: coins('1') });
       console.log((await net.mineUntilFinal(transactionId)).lifecycle);`,
    );
    const { stdout } = await run(process.execPath, ['network.mjs'], { cwd: project });
    assert.equal(stdout.trim(), 'finalized');
  });

  test('the declarations of the client compile without those of the repository', async () => {
    writeFileSync(
      join(project, 'main.ts'),
      `import { createClient } from 'svc-client';
       export { init } from 'svc-wasm';
       const client = createClient({ url: 'http://127.0.0.1:1' });
       export const balance: Promise<{ balance: string }> = client.addressBalance({ address: 'x' });
       // @ts-expect-error: a misspelt field is refused.
       export const refused = client.addressBalance({ adress: 'x' });`,
    );
    const browser = { lib: ['es2022', 'dom'], types: [] };
    const node = { lib: ['es2022'], types: ['node'] };
    for (const libraries of [browser, node]) {
      const settings = {
        compilerOptions: {
          strict: true,
          skipLibCheck: false,
          noEmit: true,
          target: 'es2022',
          module: 'nodenext',
          typeRoots: [join(ROOT, 'node_modules', '@types')],
          ...libraries,
        },
        files: ['main.ts'],
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings));
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      const words = [compiler, '--project', 'tsconfig.json'];
      await run(process.execPath, words, { cwd: project });
    }
  });
});
