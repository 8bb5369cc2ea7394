import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { CliError } from 'svc-base/cli';
import { temporaryDirectory } from 'svc-base/testing';
import { parseGenesis } from 'svc-ledger';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { type DevKeys, devKeys } from '../../dev/dev-genesis.ts';
import { svcd } from '../testing/svcd.ts';
import { type MakeOptions, makeGenesisFile } from './make-genesis.ts';

const START = ['--start', '+1h'];

describe('svcd genesis', () => {
  let directory: string;
  let keys: DevKeys;
  before(async () => {
    await init();
    directory = temporaryDirectory();
    keys = devKeys(1);
    const [owner] = keys.accounts;
    const [consensus] = keys.consensus;
    const validator = {
      owner_address: owner?.text,
      reward_address: owner?.text,
      amount: '100000000000000',
      commission_bps: '500',
      consensus_public_key: toHex(consensus?.publicKey as Uint8Array),
      overlay_endpoint: '01',
    };
    writeFileSync(join(directory, 'validator.json'), JSON.stringify(validator));
    writeFileSync(join(directory, 'poor.json'), JSON.stringify({ ...validator, amount: '1' }));
  });

  function address(index: number): string {
    return keys.accounts[index]?.text as string;
  }

  /** The options that the words of a command stand for; files lie in the directory of the test. */
  function optionsOf(words: readonly string[]): MakeOptions {
    const options: Record<string, string | string[]> = { start: '+1h' };
    for (let at = 0; at < words.length; at += 2) {
      const [name, value] = [(words[at] as string).slice(2), words[at + 1] as string];
      if (name === 'validator') options[name] = [join(directory, value)];
      else options[name] = name === 'output' ? [value] : value;
    }
    return options;
  }

  test('a genesis that was made is checked and gives the same chain id', async () => {
    const words = [
      'genesis',
      'make',
      '--validator',
      'validator.json',
      '--output',
      `${address(1)}=1000.5`,
    ];
    const made = await svcd(
      [...words, '--rest', address(2), '--start', '2100-01-31T12:00Z', '--out', 'genesis.json'],
      { directory },
    );
    assert.deepEqual([made.code, made.stderr], [0, '']);
    assert.match(made.stdout, /^[0-9a-f]{96}\n$/);
    const genesis = parseGenesis(readFileSync(join(directory, 'genesis.json'), 'utf8'));
    assert.equal(genesis.network, 'development');
    assert.equal(genesis.paceMillis, 500);
    assert.equal(genesis.timeMillis, Date.UTC(2100, 0, 31, 12));
    assert.deepEqual(
      genesis.outputs.map(({ amount }) => amount),
      [100_050_000_000n, 1_900_000_000_000_000n - 100_050_000_000n],
    );
    const checked = await svcd(['genesis', 'check', 'genesis.json'], { directory });
    assert.deepEqual([checked.code, checked.stdout], [0, made.stdout]);
    assert.match(
      checked.stderr,
      /network development, 2 outputs, 1 validators, a cut every 500 ms/,
    );
    const json = await svcd(['genesis', 'check', 'genesis.json', '--json'], { directory });
    const document = JSON.parse(json.stdout) as { chain_id: string; outputs: unknown[] };
    assert.equal(`${document.chain_id}\n`, made.stdout);
    assert.deepEqual(document.outputs[0], { address: address(1), amount: '100050000000' });
    const again = await svcd([...words, ...START, '--rest', address(2), '--out', 'genesis.json'], {
      directory,
    });
    assert.equal(again.code, 5);
    assert.match(again.stderr, /is there already/);
  });

  test('without a file the document is the result and the chain id a note', async () => {
    const made = await svcd(
      ['genesis', 'make', '--validator', 'validator.json', '--rest', address(0), ...START],
      { directory },
    );
    assert.equal(made.code, 0);
    assert.equal(parseGenesis(made.stdout).validators.length, 1);
    assert.match(made.stderr, /^chain id [0-9a-f]{96}\n$/);
  });

  test('what no chain can start from is refused with the path of the field', async () => {
    const rest = ['--rest', address(0)];
    const good = ['--validator', 'validator.json'];
    const table: [string[], number, RegExp][] = [
      [[...good], 2, /outputs and bonds must sum to 2000000000000000 atoms, found 100000000000000/],
      [['--validator', 'poor.json', ...rest], 2, /validators\[0\]\.amount/],
      [
        [...good, ...rest, '--network', 'mainnet'],
        2,
        /outputs\[0\]\.address: expected an address of mainnet/,
      ],
      [[...good, ...rest, '--network', 'othernet'], 2, /--network: expected one of mainnet/],
      [[...good, '--output', `${address(1)}=1.123456789`, ...rest], 2, /at most 8 decimals/],
      [[...good, '--output', `${address(1)}=20000000`, ...rest], 2, /--rest: nothing is left/],
      [[...good, ...rest, '--start', '2020-01-01T00:00:00Z'], 2, /--start: expected a time in the/],
      [['--validator', 'no.json', ...rest], 1, /--validator: .*no.json cannot be read \(ENOENT\)/],
    ];
    for (const [words, exitCode, message] of table) {
      await assert.rejects(makeGenesisFile(optionsOf(words)), (error) => {
        assert.ok(error instanceof CliError, String(error));
        assert.equal(error.exitCode, exitCode, words.join(' '));
        assert.match(error.message, message);
        return true;
      });
    }
    writeFileSync(join(directory, 'broken.json'), '{"genesis_version": "2"}');
    const broken = await svcd(['genesis', 'check', 'broken.json'], { directory });
    assert.equal(broken.code, 2);
    assert.match(broken.stderr, /broken\.json: /);
  });
});
