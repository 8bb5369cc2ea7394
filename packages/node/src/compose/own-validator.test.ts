import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { ValidatorKey } from 'svc-consensus/shell';
import { developmentGenesis } from 'svc-ledger';
import { init } from 'svc-wasm';
import { ChainCore } from '../chain/chain-core.ts';
import { devConfig } from '../dev/dev-config.ts';
import { devKeys } from '../dev/dev-genesis.ts';
import type { NodeCore } from './node-core.ts';
import { openOwnSeat } from './own-validator.ts';

const HOUR = 3_600_000;

suite('what a validator may take for granted of its past', () => {
  let directory: string;
  before(async () => {
    await init();
    directory = temporaryDirectory();
  });

  /** The choice for the first of so many validators, on a chain that begins at a time. */
  async function choiceOf(
    validators: number,
    timeMillis: number,
    newSignState = false,
  ): Promise<string> {
    const keys = devKeys(validators);
    const genesis = developmentGenesis({
      accounts: keys.accounts.map(({ address }) => address),
      validators: keys.consensus.map(({ publicKey }) => ({
        consensusPublicKey: publicKey,
        endpoint: Uint8Array.of(0),
      })),
      timeMillis,
      paceMillis: 500,
    });
    const chain = await ChainCore.open({
      directory: join(directory, `${validators}-${timeMillis}-${newSignState}`),
      genesis,
      mode: 'archive',
      cacheBytes: 1 << 20,
      clock: SYSTEM_CLOCK,
      log: SILENT_LOG,
      onFatal: (error) => assert.fail(String(error)),
    });
    const config = devConfig(
      directory,
      { http: 0, mining: 0 },
      {
        cutTime: 500,
        validators,
        port: 0,
        stateDir: null,
        wallet: false,
        miner: false,
        browserOrigins: [],
      },
    );
    const key = ValidatorKey.fromSeed(keys.consensus[0]?.seed as Uint8Array);
    const wish = {
      config,
      keys: { key, heartbeat: null },
      core: { chain } as unknown as NodeCore,
      newSignState,
      clock: SYSTEM_CLOCK,
      log: SILENT_LOG,
    };
    const { signState } = await openOwnSeat(wish, new AsyncDisposableStack());
    await chain.close();
    return signState;
  }

  test('a record of signatures may be missing before the chain begins, and where nobody else signs', async () => {
    assert.equal(await choiceOf(2, Date.now() + HOUR), 'first');
    assert.equal(await choiceOf(1, Date.now() - HOUR), 'first');
  });

  test('otherwise the key may have signed, whatever the chain here says', async () => {
    assert.equal(await choiceOf(2, Date.now() - HOUR), 'existing');
    assert.equal(await choiceOf(2, Date.now() - HOUR, true), 'new');
  });
});
