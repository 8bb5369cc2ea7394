import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { init, WalletRoot } from 'svc-wasm';
import { AddressBook } from '../keys/address-book.ts';
import { Keychain } from '../keys/keychain.ts';
import { openState } from '../state/open-state.ts';
import { findOwnPosition, type PositionReader, readPositions } from './operation.ts';

const network = 'development';

test('stakes that a genesis gave to later addresses of a restored wallet are found', async (t) => {
  await init();
  const root = WalletRoot.fromEntropy(new Uint8Array(32).fill(1));
  const identity = { fingerprint: root.fingerprint(), network };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  const book = new AddressBook(state.addresses);
  const ports = { book, clock: new ManualClock(), log: SILENT_LOG, afterIssue: () => {} };
  const keychain = new Keychain({ root, network, state, ...ports });
  t.after(() => {
    state.close();
    root.free();
  });
  const owner = keychain.ahead(0, 4).address;
  keychain.ahead(0, 99);
  const asked: number[] = [];
  const client = {
    stakingPositions: async ({ addresses }: { addresses: readonly string[] }) => {
      asked.push(addresses.length);
      const owned = addresses.filter((address) => address === owner);
      return { positions: owned.map((address) => ({ position: 'stake', owner_address: address })) };
    },
  };
  const builder = { client, keychain, state } as unknown as PositionReader;
  const found = (await readPositions(builder)).map(({ owner_address }) => owner_address);
  assert.deepEqual(found, [owner]);
  assert.equal((await findOwnPosition(builder, 'stake')).owner.address, owner);
  assert.deepEqual(asked, [64, 64], 'one request, however many addresses were derived');
});
