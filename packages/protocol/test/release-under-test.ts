/**
 * The published form of the package as tests see it: built once in a run, in a folder of its own,
 * and gone with the process.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from 'svc-base/testing';
import type { Release } from '../../../tools/release/release.ts';
import { makeRelease } from '../../../tools/release/release.ts';

let building: Promise<Release> | undefined;

export function releaseUnderTest(): Promise<Release> {
  building ??= makeRelease(join(temporaryDirectory(), 'svc-wasm'));
  return building;
}

/** A folder from which `svc-wasm` resolves to the release, as after `npm install`. */
export async function newProject(): Promise<string> {
  const { folder } = await releaseUnderTest();
  const project = temporaryDirectory();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(folder, join(project, 'node_modules', 'svc-wasm'), 'dir');
  return project;
}
