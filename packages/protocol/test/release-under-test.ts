/**
 * The published form of the package as tests see it: built once in a run, in a folder of its own,
 * and gone with the process.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Release } from '../../../tools/release/release.ts';
import { makeRelease } from '../../../tools/release/release.ts';

let building: Promise<Release> | undefined;
const folders: string[] = [];

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

export function newFolder(): string {
  if (folders.length === 0) process.once('exit', removeFolders);
  const folder = mkdtempSync(join(tmpdir(), 'svc-wasm-'));
  folders.push(folder);
  return folder;
}

export function releaseUnderTest(): Promise<Release> {
  building ??= makeRelease(join(newFolder(), 'svc-wasm'));
  return building;
}

/** A folder from which `svc-wasm` resolves to the release, as after `npm install`. */
export async function newProject(): Promise<string> {
  const { folder } = await releaseUnderTest();
  const project = newFolder();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(folder, join(project, 'node_modules', 'svc-wasm'), 'dir');
  return project;
}
