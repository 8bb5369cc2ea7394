import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mnemonicEntropy, parseAddress } from '../src/entry/node.ts';
import { runDemo } from './demo.ts';

const start = fileURLToPath(new URL('../../../tools/demo.ts', import.meta.url));

function run(...options: string[]): string {
  return execFileSync(process.execPath, [start, ...options], {
    encoding: 'utf8',
    timeout: 240_000,
  });
}

test('npm run demo shows a wallet, a payment, a multisig and a mined block, without colours', () => {
  const text = run();
  for (const title of ['A wallet', 'A payment', 'Two of three', 'A work block', 'try next']) {
    assert.ok(text.includes(title), title);
  }
  assert.ok(!text.includes('\x1b'));
  const words = [...text.matchAll(/^ {1,3}(?: *\d+ [a-z]+){6}$/gm)].flatMap(([line]) =>
    line.match(/[a-z]+/g),
  );
  assert.equal(mnemonicEntropy(words.join(' ')).length, 32);
  assert.match(text, /These words are the key to the wallet/);
  assert.match(text, /signed with ML-DSA-65 in [\d.]+ ms, verified in [\d.]+ ms/);
  assert.match(text, /one bit of the signature changed: refused with bad_spend_signature/);
  assert.match(text, /another digest than the one reviewed: refused with wrong_digest/);
  assert.match(text, /digest +[0-9a-f]{96}$/m);
  assert.match(text, /tries +\d+, at \d+ hashes a second/);
  assert.match(text, /checked in light mode/);
  for (const next of ['npm test', 'npm run bench', 'docs/protocol.md']) {
    assert.ok(text.includes(next), next);
  }
});

test('npm run demo on a terminal has colours and progress, and its facts hold', async () => {
  let text = '';
  const facts = await runDemo({ isTTY: true, write: (part) => (text += part) });
  assert.ok(text.includes('\x1b[36m'));
  assert.match(text, /dataset █+/);
  assert.equal(facts.addresses.length, 3);
  for (const address of facts.addresses) {
    assert.equal(JSON.parse(parseAddress(address)).network, 'development');
  }
  assert.equal(facts.payment.forged_is_refused_with, 'bad_spend_signature');
  assert.match(facts.payment.transaction_id, /^[0-9a-f]{96}$/);
  assert.equal(JSON.parse(parseAddress(facts.multisig.address)).type, 'multisig');
  assert.equal(facts.multisig.other_digest_is_refused_with, 'wrong_digest');
  assert.ok(facts.mining.light_verification);
  assert.ok(facts.mining.tries >= 1 && facts.mining.hashes_per_second > 0);
});

test('npm run demo -- --help explains itself, and an unknown option is refused', () => {
  assert.match(run('--help'), /^Usage: npm run demo/);
  assert.throws(() => execFileSync(process.execPath, [start, '--fast'], { stdio: 'pipe' }));
});
