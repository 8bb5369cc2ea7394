/**
 * Writes the reference of the daemon.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/src/reference/write.ts
 */
import { writeFileSync } from 'node:fs';
import { JSON_RPC_PAGE, jsonRpcPage } from './json-rpc-page.ts';

writeFileSync(new URL(`../../../../${JSON_RPC_PAGE}`, import.meta.url), jsonRpcPage());
process.stdout.write(`${JSON_RPC_PAGE}\n`);
