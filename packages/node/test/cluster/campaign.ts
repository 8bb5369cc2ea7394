/**
 * A campaign against a private network of real processes in network namespaces:
 * `node tools/bootstrap.mjs packages/node/test/cluster/campaign.ts [perturbation …]`. It ends with 1 if the
 * network does not recover, or if states differ.
 */
import { PERTURBATIONS } from './campaign/perturbations.ts';
import { PACE_MILLIS, Stage } from './campaign/stage.ts';
import { inNamespace } from './kit/wires.ts';

inNamespace();

const QUIET_CUTS = 8;
const wanted = process.argv.slice(2);
const chosen = PERTURBATIONS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

const started = performance.now();
const stage = await Stage.open();
let failures = 0;
try {
  say(`${stage.cluster.all.length} nodes are up after ${seconds(started)}`);
  const millis = await stage.cluster.advance(QUIET_CUTS, 120_000);
  const cut = Math.round(millis / QUIET_CUTS);
  say(
    `quiet: ${cut} ms a cut at a pace of ${PACE_MILLIS} ms, equal at ${await stage.cluster.agree()}`,
  );
  for (const { name, play } of chosen) {
    try {
      const seen = await play(stage);
      say(`${name}: ${seen}; recovered in ${await stage.recovery()} ms`);
    } catch (error) {
      failures++;
      say(`${name}: FAILED ${error instanceof Error ? error.stack : String(error)}`);
      stage.heal();
      const heights = stage.cluster.all.map(async (node) => `${node.name} ${await node.height()}`);
      say(`heights: ${(await Promise.all(heights)).join(', ')}`);
    }
  }
  const payments = await stage.settle();
  await stage.recovery();
  say(`${payments} payments executed, all states equal at ${await stage.cluster.agree()}`);
} catch (error) {
  failures++;
  say(`FAILED ${error instanceof Error ? error.stack : String(error)}`);
} finally {
  await stage.close();
}
process.exit(failures === 0 ? 0 : 1);

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}
