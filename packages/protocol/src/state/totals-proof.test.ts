import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import { SAMPLE_ROOTS } from '../../test/testing/outputs.ts';
import { concatBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Writer } from '../base/writer.ts';
import type { CertifiedCut } from '../cut/certified-cut.ts';
import { init } from '../entry/node.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { stateRoot } from './state-root.ts';
import { encodeSubtree } from './subtree.ts';
import { certifiedTotals, checkTotalsProof, encodeTotalsProof } from './totals-proof.ts';

await init();

const OUTPUTS = encodeSubtree({ hash: new Uint8Array(48).fill(3), sum: 14n, count: 2n });
/** Twelve figures from 11 upwards, and something after them. */
const TOTALS = Array.from({ length: 12 }, (_, place) => BigInt(11 + place))
  .reduce((writer, figure) => writer.u64(figure), new Writer())
  .raw(new Uint8Array(100).fill(9))
  .finish();
const PROOF = encodeTotalsProof({ ...SAMPLE_ROOTS, outputs: OUTPUTS, totals: TOTALS });
const ROOT = stateRoot({
  ...SAMPLE_ROOTS,
  outputs: OUTPUTS,
  totalsRoot: hashLabel(LABELS.totals, TOTALS),
});

test('totals that lead to the state root are read, with the sums of the trees', () => {
  const { trees, ...totals } = checkTotalsProof(PROOF, ROOT);
  assert.deepEqual(totals, {
    height: 11n,
    minted: 12n,
    burned: 13n,
    outputs: 14n,
    bonded: 15n,
    unbonding: 16n,
    slashed: 17n,
    workReserve: 18n,
    stakeReserve: 19n,
    remaining: 20n,
    carry: 21n,
    intervalAmount: 22n,
  });
  assert.deepEqual([trees.outputs.sum, trees.outputs.count], [14n, 2n]);
});

test('every bit counts, and none may be missing or too many', () => {
  for (let bit = 0; bit < 8 * PROOF.length; bit++) {
    const changed = PROOF.slice();
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    refusal(() => checkTotalsProof(changed, ROOT));
  }
  for (let length = 0; length < PROOF.length; length++) {
    refusal(() => checkTotalsProof(PROOF.subarray(0, length), ROOT));
  }
  const longer = concatBytes(PROOF, new Uint8Array(1));
  expectRefused(() => checkTotalsProof(longer, ROOT), 'bad_proof', 'proof');
});

test('what is too long, too short for its figures, or no certified cut is refused', () => {
  const huge = new Uint8Array(65_537);
  expectRefused(() => checkTotalsProof(huge, ROOT), 'bad_length', 'proof');
  const totals = TOTALS.subarray(0, 90);
  const short = encodeTotalsProof({ ...SAMPLE_ROOTS, outputs: OUTPUTS, totals });
  const totalsRoot = hashLabel(LABELS.totals, totals);
  const root = stateRoot({ ...SAMPLE_ROOTS, outputs: OUTPUTS, totalsRoot });
  expectRefused(() => checkTotalsProof(short, root), 'truncated', 'proof');
  const lookalike = { stateRoot: ROOT, height: 11n } as unknown as CertifiedCut;
  expectRefused(() => certifiedTotals(PROOF, lookalike), 'bad_type', 'cut');
});
