/**
 * Light clients of section 8.5: a step, a skip, and refused ones.
 */
import { toHex } from '../../src/base/bytes.ts';
import { trustingPeriodMillis } from '../../src/base/networks.ts';
import { advanceValidatorSet } from '../../src/cut/advance-validator-set.ts';
import { encodeCertificate } from '../../src/cut/certificate.ts';
import type { CutHeader } from '../../src/cut/cut-header.ts';
import { trustedSetJson } from '../../src/cut/trusted-set.ts';
import { init } from '../../src/entry/node.ts';
import { seededBytes } from '../seeded-bytes.ts';
import type { Committee, Signer } from '../testing/validators.ts';
import {
  CHAIN_ID,
  committeeOf,
  sampleHeader,
  sampleSigner,
  signHeader,
} from '../testing/validators.ts';
import { codeOf } from './refused.ts';

await init();

const TIME = 1_800_000_000_000n;
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((name) => sampleSigner(name, 10n)) as [
  Signer,
  Signer,
  Signer,
  Signer,
];
const SETS = {
  abc: committeeOf([A, B, C]),
  bcd: committeeOf([B, C, D]),
  cd: committeeOf([C, D]),
  d: committeeOf([D]),
};
type SetName = keyof typeof SETS;

interface Case {
  readonly name: string;
  readonly signedBy: SetName;
  readonly members: readonly number[];
  readonly header: Partial<CutHeader>;
  readonly next: SetName;
  readonly now?: bigint;
}

const TRUSTED = JSON.parse(
  trustedSetJson({
    network: 'mainnet',
    chainId: CHAIN_ID,
    height: 999n,
    time: TIME - 5000n,
    cutId: seededBytes('trusted cut', 48),
    encodedSet: SETS.abc.encodedSet,
  }),
) as object;

const NAMES_BCD = { nextValidatorSetId: SETS.bcd.set.id };
const ACCEPTED: readonly Case[] = [
  {
    name: 'a step to the next set',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: NAMES_BCD,
    next: 'bcd',
  },
  { name: 'a step within an epoch', signedBy: 'abc', members: [0, 1, 2], header: {}, next: 'abc' },
  {
    name: 'a skip: 20 of 30 trusted stake among the signers',
    signedBy: 'bcd',
    members: [0, 1, 2],
    header: { height: 5000n },
    next: 'bcd',
  },
];

const REFUSED: readonly Case[] = [
  {
    name: 'a step to another set than the header names',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: NAMES_BCD,
    next: 'cd',
  },
  {
    name: 'two thirds of the stake are not more than two thirds',
    signedBy: 'abc',
    members: [0, 1],
    header: {},
    next: 'abc',
  },
  {
    name: 'a third of the trusted stake is not more than a third',
    signedBy: 'cd',
    members: [0, 1],
    header: { height: 5000n },
    next: 'cd',
  },
  {
    name: 'a set without a trusted member',
    signedBy: 'd',
    members: [0],
    header: { height: 5000n },
    next: 'd',
  },
  {
    name: 'a skip to the last header of an epoch',
    signedBy: 'bcd',
    members: [0, 1, 2],
    header: { nextValidatorSetId: SETS.cd.set.id },
    next: 'cd',
  },
  {
    name: 'a header of the same height',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: { height: 999n },
    next: 'abc',
  },
  {
    name: 'a header that is not later',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: { time: TIME - 5000n },
    next: 'abc',
  },
  {
    name: 'a header of another chain',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: { chainId: seededBytes('other chain', 48) },
    next: 'abc',
  },
  {
    name: 'a header more than ten seconds ahead',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: {},
    next: 'abc',
    now: TIME - 10_001n,
  },
  {
    name: 'a trusted cut five days old',
    signedBy: 'abc',
    members: [0, 1, 2],
    header: {},
    next: 'abc',
    now: TIME - 5000n + trustingPeriodMillis('mainnet'),
  },
];

function exchange({ name, signedBy, members, header, next, now = TIME + 1000n }: Case) {
  const committee: Committee = SETS[signedBy];
  const signed = signHeader(
    committee,
    members,
    sampleHeader(committee.set, { time: TIME, ...header }),
  );
  const certificate = encodeCertificate(signed.certificate);
  const { encodedSet } = SETS[next];
  return {
    document: {
      name,
      header_hex: toHex(signed.header),
      certificate_hex: toHex(certificate),
      next_set: next,
      now: String(now),
    },
    advance: () =>
      advanceValidatorSet(
        JSON.stringify(TRUSTED),
        signed.header,
        certificate,
        encodedSet,
        String(now),
      ),
  };
}

export function lightClientVectors(): object {
  return {
    note: 'Light clients of section 8.5 of docs/protocol.md. Everything starts from `trusted`; a header with its certificate, the set to trust next and the clock lead to a new height and set, or are refused.',
    trusted: TRUSTED,
    validator_sets: Object.fromEntries(
      Object.entries(SETS).map(([name, { encodedSet }]) => [name, toHex(encodedSet)]),
    ),
    accepted: ACCEPTED.map((one) => {
      const { document, advance } = exchange(one);
      const { height, time, cut_id } = JSON.parse(advance()) as Record<string, string>;
      return { ...document, height, time, cut_id };
    }),
    refused: REFUSED.map((one) => {
      const { document, advance } = exchange(one);
      return { ...document, code: codeOf(one.name, advance) };
    }),
  };
}
