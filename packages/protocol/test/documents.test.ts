import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromHex } from '../src/base/bytes.ts';
import { addressFromPublicKey, init, verifyTransaction, WalletRoot } from '../src/entry/node.ts';
import { newProject } from './release-under-test.ts';
import { manifestWith, NETWORK, outpoint } from './transaction-fixture.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/integrate/svc-wasm.md'), 'utf8');
const PHRASE = `${'abandon '.repeat(23)}art`;
const SPENT = { ...outpoint(0), amount: '1000000000', height: 1000 };

function program(markdown: string, language = 'ts'): string {
  const block = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(markdown)?.[1];
  assert.ok(block !== undefined);
  return block;
}

/** A server with the two routes the program needs; it verifies what it is sent, like a node. */
async function startNode(manifest: string, own: string) {
  const accepted: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/v1/transactions/manifest') {
      response.end(manifest);
      return;
    }
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const { wire_hex } = JSON.parse(text) as { wire_hex: string };
      const previous = JSON.stringify([{ address: own, amount: SPENT.amount }]);
      accepted.push(verifyTransaction(fromHex(wire_hex), previous, null, manifest));
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, accepted, close: () => server.close() };
}

test('[WASM-14] the program of the guide pays: encode, message, sign, assemble, verify, submit', async () => {
  await init();
  const wallet = WalletRoot.fromMnemonic(PHRASE, '', 'development');
  const [own = '', to = ''] = [0, 1].map((index) =>
    addressFromPublicKey(wallet.derivePublicKey(0, 0, index), NETWORK),
  );
  wallet.free();
  const node = await startNode(manifestWith().json, own);
  try {
    const project = await newProject();
    writeFileSync(join(project, 'pay.ts'), program(guide));
    const values = [node.url, PHRASE, SPENT, to, '2.5'].map((value) => JSON.stringify(value));
    writeFileSync(
      join(project, 'main.ts'),
      `import { pay } from './pay.ts';
       process.stdout.write(await pay(${values.join(', ')}));`,
    );
    const { stdout } = await run(process.execPath, [join(project, 'main.ts')], {
      timeout: 240_000,
    });
    const [verified, ...more] = node.accepted.map((text) => JSON.parse(text));
    assert.deepEqual(more, []);
    assert.equal(verified.transaction_id, stdout);
    assert.equal(verified.fee, verified.minimum_fee);
  } finally {
    node.close();
  }
});

test('the first steps of the guide run as plain JavaScript', async () => {
  const project = await newProject();
  const file = join(project, 'first-steps.mjs');
  writeFileSync(file, program(guide, 'js'));
  const { stdout } = await run(process.execPath, [file], { timeout: 240_000 });
  for (const line of [
    /^address dsvc1q\w+ - (?:[a-z]+ ?){6}$/m,
    /^payment [0-9a-f]{96} pays \[$/m,
    /^multisig dsvc1p\w+ \d+ bytes$/m,
    /^uri svc:dsvc1q\w+\?amount=1\.5&label=Caf%C3%A9 150000000$/m,
    /^proof true$/m,
    /^file \d+ bytes, true$/m,
  ]) {
    assert.match(stdout, line);
  }
});

test('the program of the guide agrees with the published types, and they with themselves', async () => {
  const project = await newProject();
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'), 'dir');
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(project, 'pay.ts'), program(guide));
  writeFileSync(
    join(project, 'others.ts'),
    `import { init } from 'svc-wasm/inline';
     import { mlDsa65, pow, sha384 } from 'svc-wasm/kernel';
     export const answer: Promise<void> = init({ simd: false });
     export const hash: Uint8Array = sha384(mlDsa65.keygen(new Uint8Array(32)).publicKey);
     export const light: typeof pow.light = pow.light;
     // @ts-expect-error: the option is a boolean
     init({ simd: 'no' });`,
  );
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const files = ['pay.ts', 'others.ts'].map((name) => join(project, name));
  for (const language of ['--target esnext --lib esnext,dom --types node', '--target es2022']) {
    const flags = `--noEmit --strict --module nodenext ${language}`.split(' ');
    const done = run(process.execPath, [compiler, ...flags, ...files], { cwd: project });
    await done.catch((error: { stdout: string }) => assert.fail(error.stdout));
  }
});

test('the program with types runs from the release', async () => {
  const project = await newProject();
  writeFileSync(join(project, 'typed.ts'), program(guide, 'ts typed'));
  const { stdout } = await run(process.execPath, ['typed.ts', manifestWith().json], {
    cwd: project,
  });
  assert.match(stdout, /^[0-9a-f]{96} 0\.000\d{5}\n$/);
});
