/**
 * Every generated file of the repository: sources of the kernel, the client's paths of routes, the list of decisions, and the
 * reference pages.
 */
import { join } from 'node:path';
import { ROOT } from '../release/paths.ts';
import { clientPaths } from './client-paths.ts';
import { decisionList } from './decision-list.ts';
import { withErrorTable } from './error-table.ts';
import { httpReference } from './http-reference.ts';
import { generateKeccak } from './keccak.ts';
import type { GeneratedFile } from './kernel-file.ts';
import { libraryReference } from './library-reference.ts';
import type { Page } from './markdown.ts';
import { miningReference } from './mining-reference.ts';
import { generateMlDsaConstants } from './mldsa-constants.ts';
import { nodeCliPage } from './node-cli-page.ts';
import { nodeConfigPage, nodeSchemaFile } from './node-config-page.ts';
import { nodeMetricsPage } from './node-metrics-page.ts';
import { generatePow } from './pow.ts';
import { generateSha512 } from './sha512.ts';
import { walletCliPage } from './wallet-cli-page.ts';
import { walletRpcPage } from './wallet-rpc-page.ts';

const KERNEL = 'packages/protocol/assembly/generated';

export function generatedFiles(): Page[] {
  return [
    ...kernelSources().map(({ name, text }) => ({ path: `${KERNEL}/${name}`, text })),
    { path: 'packages/client/src/routes/paths.ts', text: clientPaths() },
    { path: 'docs/adr/README.md', text: decisionList(join(ROOT, 'docs', 'adr')) },
    withErrorTable(ROOT),
    ...referencePages(),
    { path: 'docs/reference/http.md', text: httpReference() },
    { path: 'docs/reference/mining-http.md', text: miningReference() },
    { path: 'docs/reference/client.md', text: libraryReference() },
  ];
}

export function kernelSources(): GeneratedFile[] {
  return [generateKeccak, generateSha512, generateMlDsaConstants, generatePow].flatMap((generate) =>
    generate(),
  );
}

/** The pages about the programs: commands, settings, metrics and methods. */
export function referencePages(): Page[] {
  return [
    nodeCliPage(),
    nodeConfigPage(),
    nodeSchemaFile(),
    nodeMetricsPage(),
    walletCliPage(),
    walletRpcPage(),
  ];
}
