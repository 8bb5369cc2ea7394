/**
 * Everything that a language model needs to write programs for this project, in one text: the pages about packages,
 * module, client, tests and development networks as they stand, the names of the libraries from their comments, and routes,
 * sockets and methods from their contracts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapeOf } from '../../packages/api/src/base/schema-shape.ts';
import { METHOD_LIST, RPC_ERRORS } from '../../packages/api/src/rpc/index.ts';
import { httpReference } from './http-reference.ts';

/** Bytes; a text beyond this is of no use to most readers. */
const BYTES_MAX = 192 * 1024;

const PAGES = [
  'docs/integrate/packages.md',
  'docs/integrate/client.md',
  'docs/integrate/svc-wasm.md',
  'docs/integrate/browser-wallet.md',
  'docs/integrate/light-client.md',
  'docs/integrate/evidence.md',
  'docs/integrate/testing.md',
  'docs/integrate/sign-in.md',
  'docs/integrate/payment-links.md',
  'docs/integrate/offline-signing.md',
  'docs/reference/dev-control.md',
] as const;

const HEAD = `# svc, in full

> A proof-of-work ledger whose history is made final by cuts that a stake-weighted committee signs. This text is made of the
> project's documents and contracts by tools/generate.ts. A cut is one step of the chain; what it holds is final. Amounts are
> atoms; a coin has 100,000,000 atoms.`;

/** The reference of the libraries is handed in: making it runs the compiler. */
export function llmsFull(root: string, libraries: string): string {
  const pages = PAGES.map((page) => readFileSync(join(root, page), 'utf8').trimEnd());
  const references = [libraries, httpReference()].map((page) => page.trimEnd());
  const text = `${[HEAD, ...pages, ...references, daemonSection()].join('\n\n---\n\n')}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > BYTES_MAX) throw new Error(`llms-full.txt has ${bytes} bytes, at most ${BYTES_MAX}`);
  return text;
}

function daemonSection(): string {
  const methods = METHOD_LIST.map(({ name, summary, params, result }) => {
    const [taken, given] = [shapeOf(params), shapeOf(result)];
    return `- \`${name}\`: ${summary} Takes \`${taken}\`, gives \`${given}\`.`;
  });
  const errors = Object.entries(RPC_ERRORS).map(
    ([kind, { code, retry, sentence }]) => `- \`${kind}\` (${code}, retry: ${retry}): ${sentence}`,
  );
  return [
    '# JSON-RPC of the wallet daemon',
    '`POST /v1/rpc` on `127.0.0.1:28703` with `Authorization: Bearer <token>`; the WebSocket `/v1/ws` takes the same calls and tells of events. Amounts are decimal strings of coins. Payments take a `request_id`: repeating a call with it returns the first result and never pays twice.',
    methods.join('\n'),
    errors.join('\n'),
  ].join('\n\n');
}
