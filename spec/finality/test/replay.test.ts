/** Traces of the model replayed with `step`, and rules of `step` broken on purpose, which they must notice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rules } from 'svc-finality';
import { type Decoded, simulate } from './quint.ts';
import {
  CodeNode,
  codeInput,
  type ModelInput,
  type ModelNode,
  type ModelTable,
  viewOfCode,
  viewOfModel,
} from './replay.ts';

interface ModelWorld {
  readonly nodes: ReadonlyMap<number, ModelNode>;
  readonly headers: ReadonlyMap<number, { readonly claim: ModelTable }>;
  readonly events: readonly ModelEvent[];
}
interface ModelEvent {
  readonly node: number;
  readonly inputs: readonly ModelInput[];
  readonly records: number;
}

/** Replays a trace and compares all validators after each of its states. */
function replay(states: readonly Decoded[], rules?: Rules): number {
  const nodes = new Map<number, CodeNode>();
  let inputs = 0;
  for (const [at, state] of states.entries()) {
    const world = state['world'] as ModelWorld;
    for (const self of world.nodes.keys())
      if (!nodes.has(self)) nodes.set(self, new CodeNode(self, rules));
    for (const event of world.events) {
      inputs += event.inputs.length;
      play(nodes.get(event.node) ?? assert.fail(), event, world);
    }
    for (const [self, node] of world.nodes)
      assert.deepEqual(
        viewOfCode(nodes.get(self) ?? assert.fail()),
        viewOfModel(node),
        `validator ${self} in state ${at}`,
      );
  }
  return inputs;
}

function play(node: CodeNode, { inputs, records }: ModelEvent, { headers }: ModelWorld): void {
  if (records >= 0) node.restart(records);
  for (const input of inputs) {
    if (input.tag === 'Built' && node.state.context.height > 1)
      assert.deepEqual(node.claim, headers.get(input.value.value)?.claim, 'the claim of a header');
    node.give(codeInput(input, node.state));
  }
}

test('the machine does what the model does', async (t) => {
  const { traces, output, isViolated } = await simulate({
    step: 'stepAndHeal', steps: 50, samples: 20, traces: 20, seed: '1', invariants: ['safety'],
  });
  t.diagnostic(output);
  for (const trace of traces) t.diagnostic(`${replay(trace)} inputs`);
});
