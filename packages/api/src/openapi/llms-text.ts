/**
 * The interface in a few lines of Markdown for language models: conventions, routes, errors.
 */
import type { Route } from '../base/route.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors.ts';

const HEADING = `# svc node

> HTTP API of a ledger node. Public, no key and no account. JSON in and out.

- Documents carry \`api_version\` = 1. Amounts are atoms in decimal strings; 1 coin is 100,000,000 atoms.
- Identifiers are 96 lower-case hexadecimal characters. Heights are heights of finalized cuts.
- One finalized cut is final. \`finalized_height\` or \`indexed_height\` names the cut of an answer.
- Lists give \`next_cursor\`; pass it back as \`cursor\`. The cut list gives \`next_before\` for \`before\`.
- Refusals are \`{api_version, error: {code, message, path?, hint?}, retry_after_millis?}\`.
- Never repeat a submission after a lost answer: ask for the status of the transaction.
- The full description is at /openapi.json, that of the sockets at /asyncapi.json. Everything in one text: /llms-full.txt.
- Sockets are at /v1/ws (topics), /v1/events (cuts in order) and /v1/transactions/{id}/status/stream.
- JavaScript: \`svc-client\` pays, reads, proves, signs together and talks; \`svc-wasm\` is the protocol without a network;
  \`svc-devnet\` is a network inside a test. Other languages: this API, and JSON-RPC of the wallet daemon on 127.0.0.1:28703.
- A development network (\`svcd dev\`) has control routes as well: GET /v1/dev lists them.
`;

export function llmsText(routes: readonly Route[]): string {
  const lines = routes.map(
    ({ method, path, summary, extension }) =>
      `- \`${method} ${path}\`: ${summary}${extension ? ' (extension)' : ''}`,
  );
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
  const errors = codes.map((code) => {
    const { status, retry, meaning } = ERROR_CATALOGUE[code];
    return `- \`${code}\` (${status}, retry: ${retry}): ${meaning}`;
  });
  return `${HEADING}\n## Routes\n\n${lines.join('\n')}\n\n## Errors\n\n${errors.join('\n')}\n`;
}
