/**
 * Vectors of the messages of validators other than votes, and of their records,
 * `docs/protocol.md` 8.6 and 8.7. Signatures in them are bytes without a meaning.
 */

import { encodeRecord } from 'svc-base/pure';
import { SvcError, toHex } from 'svc-wasm/base';
import type { Summary } from '../../../src/machine/base/messages.ts';
import type { CutId, Height, Round } from '../../../src/machine/base/types.ts';
import { NO_ROUND } from '../../../src/machine/base/types.ts';
import { createValidatorSet } from '../../../src/machine/base/validator-set.ts';
import type { SignState } from '../../../src/machine/signer/sign-state.ts';
import { encodeSignState } from '../../../src/machine/signer/sign-state-codec.ts';
import { encodeInput, type LoggedInput } from '../../../src/machine/wire/log-input.ts';
import type { WireMessage } from '../../../src/machine/wire/peer-message.ts';
import { decodeMessage, encodeMessage } from '../../../src/machine/wire/peer-message.ts';
import type { WireContext } from '../../../src/machine/wire/wire-context.ts';

const HEIGHT = 1000 as Height;
const SET_ID = '2b'.repeat(48);
const CUT = '5a'.repeat(48) as CutId;
const SIGNATURE = new Uint8Array(3309).fill(7);
const TIME = 1_800_000_000_000n;
const CONTEXT: WireContext = {
  chainId: new Uint8Array(48).fill(0x11),
  setIdAt: () => new Uint8Array(48).fill(0x2b),
};
const round = (value: number): Round => value as Round;

const SUMMARY: Summary = {
  kind: 'summary',
  height: HEIGHT,
  round: round(3),
  step: 'prevote',
  wantedPolka: { round: round(1), value: CUT },
  rounds: [
    { round: round(0), proposals: 2, prevotes: 7n, precommits: 0n },
    { round: round(3), proposals: 1, prevotes: 2n ** 64n - 1n, precommits: 1n << 63n },
  ],
};

const VOTE = {
  kind: 'prevote',
  height: HEIGHT,
  round: round(2),
  validRound: round(1),
  value: CUT,
  validatorIndex: 3,
  signature: SIGNATURE,
} as const;

const PLACE = { height: HEIGHT, round: round(2) };

const MESSAGES: Readonly<Record<string, WireMessage>> = {
  'a vote': VOTE,
  'a summary with a wanted polka': SUMMARY,
  'a summary before the height has started': {
    ...SUMMARY,
    round: NO_ROUND,
    step: 'unstarted',
    wantedPolka: undefined,
    rounds: [],
  },
  'a polka request': { kind: 'polkaRequest', ...PLACE, value: CUT },
  'a precommits request': { kind: 'precommitsRequest', ...PLACE, signers: 5n },
  'a cut request': { kind: 'cutRequest', height: HEIGHT, value: CUT },
  'a blocks request': { kind: 'blocksRequest', ids: ['01'.repeat(48), '02'.repeat(48)] },
  'a block': {
    kind: 'block',
    header: new Uint8Array(312).fill(4),
    body: new Uint8Array(20).fill(5),
  },
};

const INPUTS: Readonly<Record<string, LoggedInput>> = {
  'the height starts': {
    type: 'startHeight',
    context: {
      height: HEIGHT,
      startAtMs: TIME,
      self: undefined,
      set: createValidatorSet(SET_ID, [40n, 30n, 20n]),
      proposers: [2, 0, 1],
    },
  },
  'a timer ran out': { type: 'timer', timer: 'precommit', ...PLACE, nowMs: TIME + 1n },
  'a vote came': { type: 'vote', vote: VOTE },
  'the own cut was built': { type: 'cutBuilt', ...PLACE, value: CUT },
  'a cut was judged': { type: 'verdict', height: HEIGHT, value: CUT, verdict: 'valid' },
  'records of a cut were left out': {
    type: 'verdict',
    height: HEIGHT,
    value: CUT,
    verdict: 'unknown',
  },
  'an own message was signed': { type: 'signed', message: VOTE },
};

const SIGN_STATES: Readonly<Record<string, SignState>> = {
  'nothing signed': {
    keyId: new Uint8Array(48).fill(9),
    silentThrough: HEIGHT,
    stopped: false,
    last: undefined,
  },
  'a precommit signed, then stopped': {
    keyId: new Uint8Array(48).fill(9),
    silentThrough: 0 as Height,
    stopped: true,
    last: { ...PLACE, step: 2, signedBytes: new Uint8Array(162).fill(3), signature: SIGNATURE },
  },
};

function withBytes(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set(values, at);
  return copy;
}

function codeOf(bytes: Uint8Array): string {
  try {
    decodeMessage(CONTEXT, bytes);
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
  throw new Error('a message that must be refused is accepted');
}

function refused(): object[] {
  const summary = encodeMessage(CONTEXT, SUMMARY);
  const request = encodeMessage(CONTEXT, { kind: 'polkaRequest', ...PLACE, value: CUT });
  const blocks = encodeMessage(CONTEXT, MESSAGES['a blocks request'] as WireMessage);
  const roundsAt = 1 + 8 + 4 + 1 + 1 + 52;
  const cases: Record<string, Uint8Array> = {
    nothing: new Uint8Array(0),
    'the tag 16': Uint8Array.of(16),
    'a summary one byte short': summary.slice(0, -1),
    'a round of −2': withBytes(summary, 9, 0xfe, 0xff, 0xff, 0xff),
    'the step 5': withBytes(summary, 13, 5),
    'the flag 2': withBytes(summary, 14, 2),
    'twelve rounds': withBytes(summary, roundsAt, 12),
    'a round twice': withBytes(summary, roundsAt + 1 + 21, 0),
    'three proposals in a round': withBytes(summary, roundsAt + 1 + 4, 3),
    'a request one byte long': Uint8Array.of(...request, 0),
    'a request for a round of 2^31': withBytes(request, 9, 0, 0, 0, 0x80),
    'a height of 2^53': withBytes(request, 1, 0, 0, 0, 0, 0, 0, 0x20, 0),
    'a blocks request for none': Uint8Array.of(12, 0),
    'a blocks request for nine': withBytes(blocks, 1, 9),
    'a blocks request for one twice': withBytes(blocks, 50, ...new Uint8Array(48).fill(1)),
    'a block without a body': new Uint8Array(313).fill(13),
    'a vote of another validator set': withBytes(encodeMessage(CONTEXT, VOTE), 1 + 68, 0),
  };
  return Object.entries(cases).map(([name, bytes]) => ({
    name,
    message_hex: toHex(bytes),
    code: codeOf(bytes),
  }));
}

export function validatorVectors(): object {
  const payloads = Object.values(INPUTS).map((input) => encodeInput(CONTEXT, input));
  const synced = (index: number) => (index < 2 ? 0 : 2);
  const records = payloads.map((payload, index) =>
    encodeRecord({ sequence: index, synced: synced(index), payload }),
  );
  return {
    note: 'Between validators and on their disks, sections 8.6 and 8.7 of docs/protocol.md. `log_hex` holds the inputs in their order, written in two turns: the first two records, then the rest.',
    validator_set_id: SET_ID,
    messages: Object.entries(MESSAGES).map(([name, message]) => ({
      name,
      message_hex: toHex(encodeMessage(CONTEXT, message)),
    })),
    refused: refused(),
    inputs: Object.keys(INPUTS).map((name, index) => ({
      name,
      payload_hex: toHex(payloads[index] as Uint8Array),
    })),
    log_hex: records.map(toHex).join(''),
    sign_states: Object.entries(SIGN_STATES).map(([name, state]) => ({
      name,
      sign_state_hex: toHex(encodeSignState(state)),
    })),
  };
}
