/**
 * What has to hold of a recovery, one check for each rule. Each runs a chain of its own and throws when its rule is broken.
 */
import assert from 'node:assert/strict';
import { epochStart, setStart } from '../../src/parameters.ts';
import { type CommitteeMember, SINGLE_KEY, type ValidatorRecord } from '../../src/records.ts';
import { windowsPresent } from '../../src/rules/attendance.ts';
import { type RecoveryFault, recoveryFault, viewForNextCut } from '../../src/rules/recovery.ts';
import { executeAll } from '../testing/outcomes.ts';
import { referenceHash } from '../testing/reference-hash.ts';
import { COIN, publicKeyOf, TestChain } from '../testing/test-chain.ts';
import { recover, recoveryOf } from '../testing/test-recovery.ts';
import { TestWallet } from '../testing/test-wallet.ts';

const NAMES = ['alice', 'bruno', 'clara', 'dario'];
const INTERVAL = 24;
const HEIGHT = 7;

function chainAt(height = HEIGHT): { readonly chain: TestChain; readonly wallet: TestWallet } {
  const validators = NAMES.map((name, index) => ({
    name,
    amount: 1_000_000n * COIN + BigInt(index) * COIN,
  }));
  const chain = new TestChain(validators, { interval: INTERVAL });
  chain.runTo(height);
  return { chain, wallet: new TestWallet(chain) };
}

/** The cut after a recovery that leaves bruno and dario out. */
function recovered(chain: TestChain): void {
  recover(chain, recoveryOf(chain, ['alice', 'clara']));
  chain.cut();
}

function validatorOf(chain: TestChain, owner: string): ValidatorRecord {
  return chain.state.get('validators', chain.validatorId(owner)) as ValidatorRecord;
}

function faultOf(
  chain: TestChain,
  owner: string,
  change?: Parameters<typeof recoveryOf>[2],
): RecoveryFault | null {
  return recoveryFault(chain.state, recoveryOf(chain, [owner], change));
}

export const RECOVERY_CHECKS: Readonly<Record<string, () => void>> = {
  seats() {
    const { chain } = chainAt();
    const seats = NAMES.filter((name) => chain.bitOf(name) !== 0n);
    recovered(chain);
    assert.equal(seats.length, 4);
    const keyOf = ({ validatorId }: CommitteeMember) =>
      ['alice', 'clara'].find((name) => chain.validatorId(name) === validatorId);
    for (const member of chain.epoch.members)
      assert.deepEqual(member.publicKey, publicKeyOf(`recovered ${keyOf(member)} at 7`).publicKey);
    assert.equal(chain.epoch.members.length, 2);
  },
  jailed() {
    const { chain } = chainAt();
    const jailedUntil = () => NAMES.map((name) => validatorOf(chain, name).jailedUntilEpoch);
    const [alice, , clara] = jailedUntil();
    recovered(chain);
    assert.deepEqual(jailedUntil(), [alice, 3, clara, 3]);
  },
  keys() {
    const { chain, wallet } = chainAt();
    const rotation = {
      type: 'rotate_key',
      validatorId: chain.validatorId('alice'),
      consensusKey: publicKeyOf('pending'),
      endpoint: Uint8Array.of(3),
    } as const;
    executeAll(chain, wallet.operate('alice', rotation));
    recovered(chain);
    assert.equal(validatorOf(chain, 'alice').pendingKey, null);
    const { keyHash } = validatorOf(chain, 'alice').consensusKey;
    assert.notEqual(chain.state.get('keys', keyHash), undefined);
  },
  attendance() {
    const { chain } = chainAt(15);
    recovered(chain);
    assert.deepEqual(chain.epoch.attendance.map(windowsPresent), [8, 8]);
  },
  refusals() {
    const { chain, wallet } = chainAt();
    executeAll(
      chain,
      wallet.operate('dario', { type: 'exit', validatorId: chain.validatorId('dario') }),
    );
    const { consensusKey } = validatorOf(chain, 'bruno');
    assert.equal(faultOf(chain, 'alice'), null);
    assert.equal(faultOf(chain, 'dario'), 'not_active');
    const withStake = faultOf(chain, 'alice', (one) => ({ ...one, stake: one.stake + 1n }));
    assert.equal(withStake, 'other_stake');
    const withKey = faultOf(chain, 'alice', (one) => ({ ...one, ...consensusKey }));
    assert.equal(withKey, 'key_used_before');
    const stranger = { validatorId: chain.validatorId('alice').replace(/^../, 'zz') };
    assert.equal(
      faultOf(chain, 'alice', (one) => ({ ...one, ...stranger })),
      'unknown_member',
    );
  },
  height() {
    const { chain } = chainAt();
    recover(chain, recoveryOf(chain, ['alice', 'clara']));
    const ports = { hash: referenceHash, parameters: chain.parameters };
    assert.notEqual(viewForNextCut(ports, chain.state), chain.state);
    chain.cut();
    assert.equal(viewForNextCut(ports, chain.state), chain.state);
    const keys = chain.state.get('epoch', SINGLE_KEY)?.members.map(({ publicKey }) => publicKey);
    chain.cut();
    assert.deepEqual(
      chain.epoch.members.map(({ publicKey }) => publicKey),
      keys,
    );
  },
  setStart() {
    const { chain } = chainAt();
    recovered(chain);
    assert.deepEqual(
      [HEIGHT, HEIGHT + 1, INTERVAL, INTERVAL + 1].map((at) => setStart(chain.parameters, at)),
      [1, HEIGHT + 1, HEIGHT + 1, epochStart(1, INTERVAL)],
    );
  },
};

/** The names of the checks that fail. */
export function failedChecks(): string[] {
  return Object.entries(RECOVERY_CHECKS).flatMap(([name, check]) => {
    try {
      check();
      return [];
    } catch {
      return [name];
    }
  });
}
