/** Errors lead into the documents: the page exists, has the heading, and lists what the error says. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HTTP_ERRORS } from 'svc-api';
import { SvcError } from 'svc-wasm';
import { ERROR_CODES } from 'svc-wasm/error-codes';
import { ClientError, type ClientErrorKind } from './client-error.ts';
import { WalletRpcError } from './wallet/wallet-rpc-error.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The text under the heading that an error names. */
function explanationOf({ docs }: { readonly docs: string }): string {
  const [page = '', anchor = ''] = docs.split('#', 2);
  const sections = readFileSync(join(root, page), 'utf8').split(/^## /m);
  const found = sections.find((section) => slugOf(section.split('\n', 1)[0] ?? '') === anchor);
  assert.ok(found !== undefined, `${page} has no heading for #${anchor}`);
  return found;
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function expectListed(error: { readonly docs: string }, words: readonly string[]): void {
  assert.ok(words.length > 0);
  const text = explanationOf(error);
  for (const word of words)
    assert.match(text, new RegExp(`^(?:\\| \`${word}\` \\||- \`${word}\`[: ])`, 'm'), error.docs);
}

/** The codes that programs of a folder give to errors of the client. */
function codesIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(join(root, folder, name), 'utf8').matchAll(/\bcode: '([a-z_]+)'/g),
    ])
    .map(([, code]) => code as string);
}

test('every error names the heading under which its code is explained', () => {
  const module = new SvcError('bad_hex', 'not hexadecimal');
  expectListed(module, Object.keys(ERROR_CODES));
  const ofNode = new ClientError('refused', 'no such cut', { status: 404, code: 'not_found' });
  expectListed(ofNode, Object.keys(HTTP_ERRORS));
  const own = new ClientError('refused', 'too little', { code: 'insufficient_funds' });
  const codes = [...codesIn('packages/client/src'), ...codesIn('packages/devnet/src')];
  assert.ok(codes.includes('insufficient_funds') && codes.includes('not_final'));
  expectListed(own, codes);
  expectListed(own, ['ClientError', 'WalletRpcError']);
  assert.match(explanationOf(new WalletRpcError('no', { retry: 'never' })), /`parse_error`/);
});

/** Whether an error of the kind has a hint of its own: a refusal has that of the node or of the action. */
const HAS_HINT: Readonly<Record<ClientErrorKind, boolean>> = {
  refused: false,
  unreachable: true,
  answer_lost: true,
  unverified: true,
  bad_answer: true,
  aborted: false,
};

test('every kind is explained, and an exchange that brought no usable answer says what to do', () => {
  for (const [kind, hasHint] of Object.entries(HAS_HINT)) {
    const error = new ClientError(kind as ClientErrorKind, 'it failed');
    assert.equal((error.hint ?? '').length > 0, hasHint, kind);
    expectListed(error, [kind]);
  }
  const told = new ClientError('unreachable', 'it failed', { hint: 'wait' });
  assert.equal(told.hint, 'wait');
});
