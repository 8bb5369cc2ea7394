import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { init, mnemonicFromEntropy, WalletRoot } from 'svc-wasm';
import { openState, type State } from '../state/open-state.ts';
import { markChangeReused } from '../state/readings.ts';
import { AddressBook } from './address-book.ts';
import { Keychain } from './keychain.ts';

async function opened(
  t: TestContext,
  changeAddresses: number | null = null,
): Promise<{ keychain: Keychain; state: State }> {
  await init();
  const words = mnemonicFromEntropy(new Uint8Array(32).fill(7));
  const root = WalletRoot.fromMnemonic(words, '', 'development');
  const identity = { fingerprint: root.fingerprint(), network: 'development' };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  const keychain = new Keychain({
    ...{ root, state, network: 'development', log: SILENT_LOG, clock: new ManualClock() },
    book: new AddressBook(state.addresses),
    changeAddresses,
    afterIssue: () => undefined,
  });
  t.after(() => {
    keychain.free();
    state.close();
  });
  return { keychain, state };
}

test('the address that owns positions and receives rewards is given to nobody', async (t) => {
  const { keychain, state } = await opened(t);
  const first = keychain.issue(0, 'customer 1', 'customer-1');
  const second = keychain.issue(0, 'customer 2');
  assert.deepEqual([first.position, second.position], [1, 2]);
  assert.notEqual(first.address, keychain.first().address);
  assert.deepEqual([keychain.first().position, keychain.first().label], [0, null]);
  assert.equal(state.addresses.requestFor(keychain.first().id), undefined);
  assert.equal(keychain.issue(1, null).position, 0, 'change begins with the first of its own');
});

test('the first address is kept together with the one that is given out, or not at all', async (t) => {
  const { keychain, state } = await opened(t);
  const { addresses } = state;
  const issue = addresses.issue.bind(addresses);
  let calls = 0;
  addresses.issue = (...given) => {
    if (++calls === 2) throw new Error('the process ends here');
    return issue(...given);
  };
  assert.throws(() => keychain.issue(0, 'customer 1'), /ends here/);
  assert.equal(addresses.next(0), 0);
});

test('a wallet that gave its first address out before goes on behind it', async (t) => {
  const { keychain, state } = await opened(t);
  keychain.ahead(0, 0);
  state.addresses.issue(0, 'customer 1', 1);
  assert.equal(keychain.issue(0, 'customer 2').position, 1);
  assert.equal(state.addresses.at(0, 0)?.label, 'customer 1');
});

test('change goes to a new address each time', async (t) => {
  const { keychain } = await opened(t);
  keychain.issue(1, null);
  assert.equal(keychain.changeAgain(), null);
});

test('change goes to few addresses in turn once they were all given out', async (t) => {
  const { keychain, state } = await opened(t, 2);
  markChangeReused(state);
  const few = [];
  for (let position = 0; position < 2; position++) {
    assert.equal(keychain.changeAgain(), null, 'one that is not given out shows an old state');
    few.push(keychain.issue(1, null).address);
  }
  const [first, second] = few;
  const taken = Array.from({ length: 4 }, () => keychain.changeAgain());
  assert.deepEqual(taken, [first, second, first, second]);
  assert.equal(state.addresses.next(1), 2);
});

test('an address is given out after change was told to come back, so that older states see it', async (t) => {
  const { keychain, state } = await opened(t, 1);
  const first = keychain.issue(1, null).address;
  markChangeReused(state);
  assert.equal(keychain.changeAgain(), null);
  assert.equal(keychain.issue(1, null).position, 1);
  assert.equal(keychain.changeAgain(), first);
});
