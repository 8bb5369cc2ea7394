/**
 * The ceremony before a chain, without processes: folders of validators, their applications, the genesis out of them.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { decodeSignState } from 'svc-consensus/machine';
import { chainIdOf, parseGenesis } from 'svc-ledger';
import { init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { hashLabel, keyHash } from 'svc-wasm/protocol';
import { parseConfig, Settings } from '../../config/layers.ts';
import { resolveConfig } from '../../config/resolve.ts';
import { devKeys } from '../../dev/dev-genesis.ts';
import { readConsensusKeyFile, readFeeKeyFile } from '../../validator/key-files.ts';
import { makeValidatorFolder } from '../validator/validator-folder.ts';
import { addApplications, readApplications } from './add-applications.ts';
import { parseApplication } from './application.ts';
import { summarize } from './check-genesis.ts';
import { genesisText, parseStartTime } from './make-genesis.ts';

describe('the ceremony of a genesis', () => {
  const VALIDATORS = [1, 2, 3, 4];
  const STAKE = 10_000_000_000_000n;
  let directory: string;
  let owners: string[];
  before(async () => {
    await init();
    directory = temporaryDirectory();
    owners = devKeys(1).accounts.map(({ text }) => text);
    for (const place of VALIDATORS) await make(place);
  });
  after(() => rmSync(directory, { recursive: true }));

  const folderOf = (place: number): string => join(directory, `validator-${place}`);
  const fileOf = (place: number): string => join(folderOf(place), 'application.json');

  function make(place: number): ReturnType<typeof makeValidatorFolder> {
    const owner = owners[place] as string;
    return makeValidatorFolder({
      directory: folderOf(place),
      network: 'development',
      routes: [{ host: `v${place}.example`, port: 28_704 }],
      ownerAddress: owner,
      rewardAddress: owner,
      amountAtoms: STAKE,
      commissionBps: 500,
      settings: {},
    });
  }

  test('a folder has sealed keys that open, an empty record, and settings that a node takes', () => {
    const folder = folderOf(1);
    const { keys, files } = { keys: readdirSync(join(folder, 'keys')), files: readdirSync(folder) };
    assert.deepEqual(keys.toSorted(), [
      'consensus',
      'consensus.password',
      'heartbeat_fee',
      'heartbeat_fee.password',
    ]);
    for (const name of keys)
      assert.equal(statSync(join(folder, 'keys', name)).mode & 0o777, 0o600, name);
    assert.ok(files.includes('network'));
    const text = readFileSync(join(folder, 'node.json'), 'utf8');
    const settings = new Settings([parseConfig(text, 'node.json')]);
    const { config } = resolveConfig(settings, { directory: folder, home: folder });
    assert.ok(config.validator?.signer === null && config.validator.heartbeat !== null);
    const key = readConsensusKeyFile(config.validator, 'development');
    const { terms } = parseApplication(readFileSync(fileOf(1), 'utf8'));
    assert.equal(Buffer.from(key.publicKey).toString('hex'), terms.consensus_public_key);
    readFeeKeyFile(config.validator.heartbeat, 'development');
    const record = decodeSignState(readFileSync(join(folder, 'validator', 'own', 'sign-state')));
    assert.deepEqual(Buffer.from(record?.keyId ?? []), Buffer.from(key.id));
    assert.deepEqual([record?.silentThrough, record?.stopped, record?.last], [0, false, undefined]);
  });

  test('nothing is written over', async () => {
    await assert.rejects(make(1), /is there already/);
  });

  test('an application that was changed in any field is refused', () => {
    const document = JSON.parse(readFileSync(fileOf(1), 'utf8')) as Record<string, string>;
    const changes: Record<string, string> = {
      owner_address: owners[2] as string,
      reward_address: owners[2] as string,
      fee_address: owners[2] as string,
      amount: String(STAKE + 1n),
      commission_bps: '0',
      overlay_endpoint: JSON.parse(readFileSync(fileOf(2), 'utf8')).overlay_endpoint,
      consensus_public_key: JSON.parse(readFileSync(fileOf(2), 'utf8')).consensus_public_key,
    };
    for (const [name, value] of Object.entries(changes)) {
      const changed = JSON.stringify({ ...document, [name]: value });
      assert.throws(() => parseApplication(changed), /the signature does not fit/, name);
    }
  });

  test('collected applications make one genesis, whoever makes it, and odd things are told', async () => {
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    await addApplications(first, VALIDATORS.map(fileOf));
    for (const place of VALIDATORS.toReversed()) await addApplications(second, [fileOf(place)]);
    await assert.rejects(addApplications(first, [fileOf(1)]), /the same consensus key/);
    const time = Date.UTC(2100, 0, 31, 12);
    const options = { rest: owners[0] as string };
    const text = genesisText(options, readApplications(first), time);
    assert.equal(text, genesisText(options, readApplications(second), time));
    const genesis = parseGenesis(text);
    assert.deepEqual(
      [genesis.network, genesis.timeMillis, genesis.validators.length, genesis.outputs.length],
      ['development', time, 4, 5],
    );
    const named = { genesis, chainId: chainIdOf(hashLabel, genesis) };
    const summary = await summarize(named, time - 1);
    assert.deepEqual(summary.odd, []);
    assert.match(summary.state_root, /^[0-9a-f]{96}$/);
    const hashes = genesis.validators.map((one) => keyHash(one.consensusPublicKey));
    assert.deepEqual(
      summary.validators.map((one) => fromHex(one.consensus_key_hash)),
      hashes,
    );
    assert.equal(new Set(summary.validators.map((one) => one.validator_id)).size, 4);
    const late = await summarize(named, time);
    assert.match(late.odd.join(), /the chain has begun/);
  });

  test('two folders of one overlay key, and applications of two networks, are refused', async () => {
    const folder = join(directory, 'third');
    await addApplications(folder, [fileOf(1)]);
    const file = join(directory, 'other.json');
    writeFileSync(file, readFileSync(fileOf(2), 'utf8').replace('"development"', '"testnet"'));
    await assert.rejects(addApplications(folder, [file]), /other\.json: /);
    await assert.rejects(addApplications(folder, [join(directory, 'none.json')]), /ENOENT/);
    assert.equal(readApplications(folder).length, 1);
  });

  test('a start is an instant in UTC or a span ahead, and never in the past', () => {
    const now = Date.UTC(2027, 0, 1);
    const table: [string, number][] = [
      ['2027-01-01T00:00:01Z', now + 1_000],
      ['2027-01-02T00:00Z', now + 86_400_000],
      ['+90s', now + 90_000],
      ['+15m', now + 900_000],
      ['+2h', now + 7_200_000],
      ['+1d', now + 86_400_000],
    ];
    for (const [text, expected] of table) assert.equal(parseStartTime(text, now), expected, text);
    for (const text of ['2027-01-01T00:00:00Z', '2026-12-31T23:59:59Z'])
      assert.throws(() => parseStartTime(text, now), /in the future/, text);
    for (const text of [
      '',
      'now',
      '+0s',
      '+1w',
      '2027-13-01T00:00:00Z',
      '1798761600000',
      '2027-01-02',
    ])
      assert.throws(() => parseStartTime(text, now), /expected a time/, text);
    assert.throws(() => parseStartTime(undefined, now), /--start: the time/);
  });
});
