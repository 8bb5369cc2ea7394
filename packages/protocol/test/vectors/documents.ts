/**
 * The vector files made here, by name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { addressVectors } from './addresses.ts';
import { cutVectors } from './cuts.ts';
import { hashingVectors } from './hashing.ts';
import { keyVectors } from './keys.ts';
import { lightClientVectors } from './light-clients.ts';
import { manifestVectors } from './manifests.ts';
import { refusedPackageVectors } from './packages-refused.ts';
import { recoveryVectors } from './recoveries.ts';
import { stateProofVectors } from './state-proofs.ts';
import { textVectors } from './text.ts';
import { refusedTransactionVectors } from './transactions-refused.ts';
import { refusedWalletVectors } from './wallet-refused.ts';
import { workBlockVectors } from './work-blocks.ts';

export const DOCUMENTS: Readonly<Record<string, () => object>> = {
  'hashing.json': hashingVectors,
  'manifests.json': manifestVectors,
  'addresses.json': addressVectors,
  'transactions-refused.json': refusedTransactionVectors,
  'packages-refused.json': refusedPackageVectors,
  'work-blocks.json': workBlockVectors,
  'cuts.json': cutVectors,
  'light-clients.json': lightClientVectors,
  'recoveries.json': recoveryVectors,
  'state-proofs.json': stateProofVectors,
  'text.json': textVectors,
  'keys.json': keyVectors,
  'wallet-refused.json': refusedWalletVectors,
};

function fileOf(name: string): string {
  return fileURLToPath(new URL(`../../../../vectors/${name}`, import.meta.url));
}

export function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

export function readVectors(name: string): string {
  return readFileSync(fileOf(name), 'utf8');
}

export function writeVectors(name: string, text: string): void {
  writeFileSync(fileOf(name), text);
}
