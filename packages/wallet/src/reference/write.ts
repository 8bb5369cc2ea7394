/**
 * Writes the reference of the daemon and of the command line.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/src/reference/write.ts
 */
import { writeFileSync } from 'node:fs';
import { CLI_PAGE, cliPage } from './cli-page.ts';
import { JSON_RPC_PAGE, jsonRpcPage } from './json-rpc-page.ts';

for (const [path, text] of [
  [JSON_RPC_PAGE, jsonRpcPage()],
  [CLI_PAGE, cliPage()],
] as const) {
  writeFileSync(new URL(`../../../../${path}`, import.meta.url), text);
  process.stdout.write(`${path}\n`);
}
