/**
 * The vector files made here, by name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cutVectors } from './cuts.ts';
import { hashingVectors } from './hashing.ts';
import { stateProofVectors } from './state-proofs.ts';
import { workBlockVectors } from './work-blocks.ts';

export const DOCUMENTS: Readonly<Record<string, () => object>> = {
  'hashing.json': hashingVectors,
  'work-blocks.json': workBlockVectors,
  'cuts.json': cutVectors,
  'state-proofs.json': stateProofVectors,
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
