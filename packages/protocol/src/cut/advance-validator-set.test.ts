import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import type { Committee, Signer } from '../../test/testing/validators.ts';
import {
  CHAIN_ID,
  committeeOf,
  sampleHeader,
  sampleSigner,
  signHeader,
} from '../../test/testing/validators.ts';
import { toHex } from '../base/bytes.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { type Network, trustingPeriodMillis } from '../base/networks.ts';
import { init } from '../entry/node.ts';
import {
  advanceValidatorSet,
  advanceWithinEpoch,
  CLOCK_DRIFT_MS_MAX,
} from './advance-validator-set.ts';
import { encodeCertificate } from './certificate.ts';
import { certifyCut } from './certified-cut.ts';
import type { CutHeader } from './cut-header.ts';
import { cutId } from './cut-header.ts';
import { parseTrustedSet, trustedSetJson } from './trusted-set.ts';

await init();

const TIME = 1_800_000_000_000n;
const DAY = 86_400_000n;

/** Members a to f; the trusted set is a, b, c, the next one b, c, d. */
const [A, B, C, D, E, F] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
  sampleSigner(name, 10n),
) as [Signer, Signer, Signer, Signer, Signer, Signer];
const TRUSTED = committeeOf([A, B, C]);
const NEXT = committeeOf([B, C, D]);
const ALL = [0, 1, 2];

function trust(
  committee: Committee,
  change: { time?: bigint; chainId?: Uint8Array; network?: Network } = {},
): string {
  return trustedSetJson({
    network: 'mainnet',
    chainId: CHAIN_ID,
    height: 999n,
    time: TIME - 5000n,
    cutId: CHAIN_ID,
    encodedSet: committee.encodedSet,
    ...change,
  });
}

function signed(committee: Committee, change: Partial<CutHeader>, members = ALL) {
  const { header, certificate } = signHeader(
    committee,
    members,
    sampleHeader(committee.set, { time: TIME, ...change }),
  );
  return { header, certificate: encodeCertificate(certificate) };
}

function advance(
  trusted: string,
  { header, certificate }: { header: Uint8Array; certificate: Uint8Array },
  next: Committee,
  now: bigint = TIME + 1000n,
) {
  return advanceValidatorSet(trusted, header, certificate, next.encodedSet, now.toString());
}

const LAST_OF_EPOCH = { nextValidatorSetId: NEXT.set.id };

test('the trusted set hands over to the set that its last header names', () => {
  const last = signed(TRUSTED, LAST_OF_EPOCH);
  const trusted = JSON.parse(advance(trust(TRUSTED), last, NEXT));
  assert.deepEqual(trusted, {
    api_version: 1,
    network: 'mainnet',
    chain_id: toHex(CHAIN_ID),
    height: '1000',
    time: TIME.toString(),
    cut_id: toHex(cutId(last.header)),
    validator_set: toHex(NEXT.encodedSet),
  });
  const following = signed(NEXT, { height: 1001n, time: TIME + 2500n });
  const kept = JSON.parse(advance(JSON.stringify(trusted), following, NEXT, TIME + 3000n));
  assert.equal(kept.height, '1001');
});

test('within an epoch trust moves to a certified cut without its signatures, and to no other', () => {
  const trusted = parseTrustedSet(trust(TRUSTED));
  const within = signed(TRUSTED, { nextValidatorSetId: TRUSTED.set.id });
  const certify = ({ header, certificate }: typeof within, committee = TRUSTED) =>
    certifyCut(header, certificate, committee.encodedSet, CHAIN_ID);
  const cut = certify(within);
  const now = TIME + 1000n;
  const { set: _, ...moved } = advanceWithinEpoch(trusted, cut, now);
  assert.equal(trustedSetJson(moved), advance(trust(TRUSTED), within, TRUSTED));
  const refused = (found: typeof cut, code: ErrorCode, at = now): void =>
    expectRefused(() => advanceWithinEpoch(trusted, found, at), code);
  refused({ ...cut } as typeof cut, 'bad_type');
  refused(certify(signed(TRUSTED, LAST_OF_EPOCH)), 'wrong_validator_set');
  refused(certify(signed(NEXT, { nextValidatorSetId: NEXT.set.id }), NEXT), 'not_trusted');
  refused(certify(signed(TRUSTED, { height: 999n })), 'not_trusted');
  refused(cut, 'not_trusted', TIME - CLOCK_DRIFT_MS_MAX - 1n);
  refused(cut, 'trust_expired', TIME + trustingPeriodMillis('mainnet'));
});

test('a step needs the set that the header names', () => {
  const last = signed(TRUSTED, LAST_OF_EPOCH);
  const other = committeeOf([B, C, E]);
  expectRefused(() => advance(trust(TRUSTED), last, other), 'wrong_validator_set', 'nextSet');
});

test('a step needs more than two thirds of the trusted set', () => {
  const last = signed(TRUSTED, LAST_OF_EPOCH, [0, 1]);
  expectRefused(() => advance(trust(TRUSTED), last, NEXT), 'insufficient_stake');
});

test('skipping needs more than a third of the trusted stake among the signers', () => {
  const two = signed(NEXT, { height: 5000n, time: TIME + DAY });
  const trusted = JSON.parse(advance(trust(TRUSTED), two, NEXT, TIME + DAY));
  assert.equal(trusted.height, '5000');
  const oneOfThree = committeeOf([C, D, E]);
  const third = signed(oneOfThree, { height: 5000n, time: TIME + DAY });
  const skip = () => advance(trust(TRUSTED), third, oneOfThree, TIME + DAY);
  expectRefused(skip, 'not_trusted', 'certificate.signers');
  const strangers = committeeOf([D, E, F]);
  const foreign = signed(strangers, { height: 5000n, time: TIME + DAY });
  expectRefused(() => advance(trust(TRUSTED), foreign, strangers, TIME + DAY), 'not_trusted');
});

test('a third of the trusted stake and one atom are enough to skip', () => {
  const richer = committeeOf([{ ...A, stake: 11n }, B, C]);
  const next = committeeOf([A, D, E]);
  const header = signed(next, { height: 5000n });
  assert.equal(JSON.parse(advance(trust(richer), header, next)).height, '5000');
  expectRefused(() => advance(trust(committeeOf([A, B, C])), header, next), 'not_trusted');
});

test('trusted validators count by their trusted key, not by their name', () => {
  const impostors = [B, C].map((real, index) => ({
    ...sampleSigner(`impostor ${index}`, 10n),
    id: real.id,
  }));
  const forged = committeeOf([...impostors, D]);
  const header = signed(forged, { height: 5000n });
  expectRefused(() => advance(trust(TRUSTED), header, forged), 'not_trusted');
});

test('skipping needs two thirds of the own set too, and no last header of an epoch', () => {
  const short = signed(NEXT, { height: 5000n }, [0, 1]);
  expectRefused(() => advance(trust(TRUSTED), short, NEXT), 'insufficient_stake');
  const last = signed(NEXT, { height: 5000n, nextValidatorSetId: TRUSTED.set.id });
  expectRefused(
    () => advance(trust(TRUSTED), last, NEXT),
    'not_trusted',
    'header.nextValidatorSetId',
  );
});

test('trust ends after five intervals of its network', () => {
  assert.equal(trustingPeriodMillis('mainnet'), 5n * DAY);
  assert.equal(trustingPeriodMillis('testnet'), 5n * DAY);
  const next = signed(NEXT, { height: 5000n });
  const periods = { testnet100: 75n * 60_000n, development: 5n * 60_000n } as const;
  for (const [network, period] of Object.entries(periods)) {
    const trusted = trust(TRUSTED, { network: network as Network });
    const end = TIME - 5000n + period;
    const { network: kept } = JSON.parse(advance(trusted, next, NEXT, end - 1n));
    assert.equal(kept, network);
    expectRefused(() => advance(trusted, next, NEXT, end), 'trust_expired', 'trusted.time');
  }
});

test('trust ends after five days by the clock of the caller', () => {
  const next = signed(NEXT, { height: 5000n });
  const end = TIME - 5000n + 5n * DAY;
  assert.ok(advance(trust(TRUSTED), next, NEXT, end - 1n));
  expectRefused(() => advance(trust(TRUSTED), next, NEXT, end), 'trust_expired', 'trusted.time');
  const step = signed(TRUSTED, LAST_OF_EPOCH);
  expectRefused(() => advance(trust(TRUSTED), step, NEXT, end), 'trust_expired');
});

test('a header from the future, or not newer than the trusted one, is refused', () => {
  const ahead = signed(NEXT, { height: 5000n, time: TIME + 11_001n });
  expectRefused(() => advance(trust(TRUSTED), ahead, NEXT), 'not_trusted', 'header.time');
  const sameHeight = signed(NEXT, { height: 999n });
  expectRefused(() => advance(trust(TRUSTED), sameHeight, NEXT), 'not_trusted', 'header.height');
  const sameTime = signed(NEXT, { height: 5000n, time: TIME - 5000n });
  expectRefused(() => advance(trust(TRUSTED), sameTime, NEXT), 'not_trusted');
});

test('another chain is refused', () => {
  const step = signed(TRUSTED, LAST_OF_EPOCH);
  const trusted = trust(TRUSTED, { chainId: NEXT.set.id });
  expectRefused(() => advance(trusted, step, NEXT), 'wrong_chain', 'header.chainId');
});

test('the trusted document and the clock are read strictly', () => {
  const step = signed(TRUSTED, LAST_OF_EPOCH);
  const good = JSON.parse(trust(TRUSTED));
  const call = (document: object, now = TIME.toString()) =>
    refusal(() =>
      advanceValidatorSet(
        JSON.stringify(document),
        step.header,
        step.certificate,
        NEXT.encodedSet,
        now,
      ),
    );
  assert.equal(call({ ...good, api_version: 2 }).path, 'trusted.api_version');
  assert.equal(call({ ...good, more: 1 }).code, 'unknown_field');
  assert.equal(call({ ...good, height: 999 }).path, 'trusted.height');
  assert.equal(call({ ...good, chain_id: 'ab' }).path, 'trusted.chain_id');
  assert.equal(call({ ...good, validator_set: '00' }).path, 'trusted.validator_set');
  assert.equal(call(good, '1e3').path, 'now');
});
