import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CutToInstall, Installation } from '../application.ts';
import { Installer, type InstallerOptions } from './installer.ts';

/** An installer whose cuts are all there up to a height, and whose node answers when the test says so. */
function slowNode() {
  const answers = new Map<number, (installation: Installation) => void>();
  const handed: number[] = [];
  const node = { tip: 0, completeTo: 3 };
  const options = {
    application: {
      get tip() {
        return { height: node.tip, cutId: '' };
      },
      identity: { protocolVersion: 1 },
      vouch: async () => true,
      install: ({ height }: CutToInstall) => {
        handed.push(height);
        return new Promise<Installation>((resolve) => void answers.set(height, resolve));
      },
    },
    headers: {
      rangeOf: (height: number) => ({
        headers: [{ height, fields: { protocolVersion: 1 } }],
        certificate: new Uint8Array(1),
        place: 0,
      }),
    },
    slots: {
      complete: (height: number) => (height <= node.completeTo ? { height } : undefined),
      refetch: () => {},
    },
    fetchSets: async () => {},
    onChange: () => {},
    onStop: (reason: string) => assert.fail(reason),
  };
  const installer = new Installer(options as unknown as InstallerOptions);
  const answer = async (height: number, installation: Installation): Promise<void> => {
    answers.get(height)?.(installation);
    await new Promise((resolve) => void setImmediate(resolve));
    installer.turn();
  };
  return { installer, handed, node, answer };
}

test('a cut that was refused is handed over again before any cut after it, however many come', async () => {
  const { installer, handed, node, answer } = slowNode();
  installer.turn();
  assert.deepEqual(handed, [1, 2, 3]);
  node.completeTo = 9;
  await answer(1, 'missing_blocks');
  await answer(2, 'ahead');
  assert.deepEqual(handed, [1, 2, 3], 'nothing follows while a refused cut is in the way');
  await answer(3, 'ahead');
  assert.deepEqual(handed.slice(3, 5), [1, 2]);
  node.tip = 1;
  await answer(1, 'installed');
  assert.deepEqual(handed.slice(3), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a range that the node did not accept as proven is shown to it again', async () => {
  const shown: number[] = [];
  const answers: ((installation: Installation) => void)[] = [];
  const turn = () => new Promise((resolve) => void setImmediate(resolve));
  const range = [1, 2, 3].map((height) => ({
    height,
    bytes: Uint8Array.of(height),
    fields: { protocolVersion: 1 },
  }));
  const installer = new Installer({
    application: {
      tip: { height: 0, cutId: '' },
      identity: { protocolVersion: 1 },
      vouch: async (headers: readonly Uint8Array[]) => {
        shown.push(headers[0]?.[0] as number);
        return shown.length > 1;
      },
      install: () => new Promise<Installation>((resolve) => void answers.push(resolve)),
    },
    headers: {
      rangeOf: (height: number) => ({
        headers: range,
        certificate: new Uint8Array(1),
        place: height - 1,
      }),
    },
    slots: { complete: (height: number) => (height === 1 ? { height } : undefined) },
    fetchSets: async () => {},
    onChange: () => {},
    onStop: (reason: string) => assert.fail(reason),
  } as unknown as InstallerOptions);
  installer.turn();
  answers.shift()?.('unproven');
  await turn();
  installer.turn();
  assert.deepEqual(shown, [1, 1]);
});
