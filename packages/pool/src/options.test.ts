import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError, EXIT } from 'svc-base/cli';
import { init } from 'svc-wasm';
import { DEFAULTS, type PoolFlags, poolOptions } from './options.ts';

const FLAGS: PoolFlags = {
  ...DEFAULTS,
  node: [DEFAULTS.node],
  pplnsListen: [DEFAULTS.pplnsListen],
  address: 'dsvc1pool',
  wallet: 'off',
  metrics: true,
  pow: 'full',
  log: 'info',
};

await init();

test('without more than an address and a wallet a pool has what it needs', () => {
  const options = poolOptions(FLAGS, '0.1.0');
  assert.deepEqual(options.pplns.listen, [{ host: '127.0.0.1', port: 28_781 }]);
  assert.deepEqual(options.solo.listen, []);
  assert.deepEqual(options.web, { host: '127.0.0.1', port: 28_772 }, 'this machine alone');
  assert.deepEqual([options.feeBasisPoints, options.windowBlocks], [100n, 1_000n]);
  assert.equal(options.payouts.threshold, 100_000_000n);
  assert.equal(options.explorer, null);
  const explorer = 'https://node.example.org/ui/';
  assert.equal(poolOptions({ ...FLAGS, explorer }, '0.1.0').explorer, explorer.slice(0, -1));
});

test('options that cannot be understood are reported with what was expected', () => {
  const cases: readonly (readonly [Partial<PoolFlags>, RegExp])[] = [
    [{ wallet: DEFAULTS.wallet }, /--wallet-token-file is missing/],
    [{ wallet: DEFAULTS.wallet, walletTokenFile: '/no/such/file' }, /--wallet-token-file/],
    [{ pplnsListen: ['off'] }, /nothing to listen on/],
    [{ pplnsListen: ['nowhere'] }, /--pplns-listen: expected an address and a port/],
    [{ soloListenTls: ['127.0.0.1:0'] }, /--solo-listen-tls needs --tls-certificate/],
    [{ wsOrigin: ['evil'] }, /--ws-origin: expected an origin/],
    [{ fee: '100.01' }, /--fee: expected percent/],
    [{ fee: '-1' }, /--fee: expected percent/],
    [{ window: '0' }, /--window: expected a whole number/],
    [{ payoutThreshold: '0.001' }, /--payout-threshold: expected coins from 0\.01/],
    [{ payoutInterval: 'soon' }, /--payout-interval: expected a whole number/],
    [{ name: '<b>' }, /--name/],
    [{ api: 'ftp://x' }, /--api: expected an address/],
    [{ explorer: 'javascript:alert(1)' }, /--explorer: expected an address/],
    [{ pow: 'none' }, /--pow: expected light or full/],
  ];
  for (const [flags, message] of cases)
    assert.throws(
      () => poolOptions({ ...FLAGS, ...flags }, '0.1.0'),
      (error) => {
        assert.ok(error instanceof CliError && error.exitCode === EXIT.usage);
        assert.match(error.message, message);
        return true;
      },
    );
  const { address: _, ...nameless } = FLAGS;
  assert.throws(() => poolOptions(nameless, '0.1.0'), /--address is missing/);
});
