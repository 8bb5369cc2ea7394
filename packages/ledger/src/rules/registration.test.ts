import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestChain } from '../../test/testing/test-chain.ts';
import { applyCut } from '../apply-cut.ts';
import { LedgerAssertionError } from '../assertion.ts';
import { checkCut } from '../check-cut.ts';
import type { RegisteredBlock } from '../cut.ts';
import { BLOCK_BODY_BYTES_MAX, BLOCK_MASS_MAX, BLOCKS_PER_CUT_MAX } from '../parameters.ts';
import { isRegistrable, registrationFault } from './registration.ts';

function faultOf(chain: TestChain, blocks: readonly RegisteredBlock[]): unknown {
  return registrationFault(chain.state, chain.height + 1, blocks);
}

test('[LIMIT-21] an anchor registers blocks in the 95 cuts after it and closes 96 cuts after it', () => {
  const anchor = 10;
  const table: [number, boolean][] = [
    [9, false],
    [10, false],
    [11, true],
    [105, true],
    [106, false],
    [107, false],
  ];
  for (const [height, expected] of table) {
    assert.equal(isRegistrable(anchor, height), expected, `cut ${height}`);
    const chain = new TestChain();
    chain.runTo(height - 1);
    if (anchor > chain.height && height <= anchor) continue;
    const fault = faultOf(chain, [chain.block(height, { anchor })]);
    assert.equal(fault, expected ? null : 'outside_window', `cut ${height}`);
  }
});

test('[LIVE-11] a block is registered once, and its body is not used for a second block', () => {
  const chain = new TestChain();
  const block = chain.block(1, {});
  const twin = { ...chain.block(1, {}), bodyRoot: block.bodyRoot };
  assert.equal(faultOf(chain, [block]), null);
  const both = [block, twin].sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.equal(faultOf(chain, both), 'body_known');
  assert.equal(faultOf(chain, [block, block]), 'out_of_order');
  chain.apply({ ...chain.input(), registered: [block] });
  assert.equal(faultOf(chain, [block]), 'block_known');
  assert.equal(faultOf(chain, [twin]), 'body_known');
});

test('[LIVE-11] a body is used up for as long as an anchor can have its parents, and no longer', () => {
  const chain = new TestChain();
  chain.cut({ blocks: [{}] });
  const first = chain.block(2, { anchor: 1 });
  chain.apply({ ...chain.input(), registered: [first] });
  const again = (height: number, anchor: number) => ({
    ...chain.block(height, { anchor, parents: first.parents }),
    bodyRoot: first.bodyRoot,
  });
  for (const height of [96, 97, 98, 190, 191]) {
    chain.runTo(height - 1);
    const anchor = Math.min(96, height - 1);
    assert.equal(faultOf(chain, [again(height, anchor)]), 'body_known', `cut ${height}`);
  }
  chain.runTo(192);
  assert.equal(chain.state.get('bodies', first.bodyRoot), undefined);
  assert.equal(faultOf(chain, [again(193, 98)]), 'unknown_parent');
});

test('blocks come in the order of their anchors, then of their ids', () => {
  const chain = new TestChain();
  chain.runTo(5);
  const older = chain.block(6, { anchor: 3 });
  const newer = ['a', 'b'].map(() => chain.block(6, { anchor: 4 }));
  const [first, second] = newer.sort((a, b) => (a.id < b.id ? -1 : 1)) as [
    RegisteredBlock,
    RegisteredBlock,
  ];
  assert.equal(faultOf(chain, [older, first, second]), null);
  assert.equal(faultOf(chain, [older, second, first]), 'out_of_order');
  assert.equal(faultOf(chain, [first, older, second]), 'out_of_order');
});

test('a cut registers 256 blocks and not 257; blocks have limits of size and mass', () => {
  const chain = new TestChain();
  const blocks = Array.from({ length: BLOCKS_PER_CUT_MAX + 1 }, () => chain.block(1, {})).sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
  assert.equal(faultOf(chain, blocks), 'too_many');
  assert.equal(faultOf(chain, blocks.slice(1)), null);
  const block = chain.block(1, {});
  assert.equal(faultOf(chain, [{ ...block, bodyBytes: BLOCK_BODY_BYTES_MAX }]), null);
  assert.equal(faultOf(chain, [{ ...block, bodyBytes: BLOCK_BODY_BYTES_MAX + 1 }]), 'too_large');
  assert.equal(faultOf(chain, [{ ...block, mass: BLOCK_MASS_MAX }]), null);
  assert.equal(faultOf(chain, [{ ...block, mass: BLOCK_MASS_MAX + 1n }]), 'too_heavy');
});

test('every part of a cut that is not in order is named, and never applied', () => {
  const chain = new TestChain();
  chain.cut({ blocks: [{}] });
  const good = chain.input();
  const validatorId = chain.validatorId('alice');
  const table: [object, object][] = [
    [{ height: 3 }, { part: 'height' }],
    [{ timeMillis: good.timeMillis - 400 }, { part: 'time' }],
    [{ timeMillis: Number.NaN }, { part: 'time' }],
    [{ previousSigners: 2n }, { part: 'signers' }],
    [{ previousSigners: -1n }, { part: 'signers' }],
    [{ executed: [] }, { part: 'executed' }],
    [
      { registered: [chain.block(2, { anchor: 2 })] },
      { part: 'registered', fault: 'outside_window' },
    ],
    [{ evidence: [{ validatorId, height: 3 }] }, { part: 'evidence', fault: 'too_early' }],
    [
      { evidence: [{ validatorId: 'unknown', height: 1 }] },
      { part: 'evidence', fault: 'unknown_validator' },
    ],
  ];
  assert.equal(checkCut(chain.parameters, chain.state, good), null);
  for (const [change, expected] of table) {
    const cut = { ...good, ...change };
    assert.deepEqual(checkCut(chain.parameters, chain.state, cut), expected);
    if ('part' in expected && expected.part === 'time') continue;
    assert.throws(() => applyCut(chain.ports, chain.state, cut), LedgerAssertionError);
  }
});
