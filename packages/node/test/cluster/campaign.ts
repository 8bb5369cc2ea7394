/**
 * A campaign against a private network of real processes in network namespaces:
 * `node tools/bootstrap.mjs packages/node/test/cluster/campaign.ts [--minutes n] [--validators 4|7] [--each-way ms] [perturbation …]`.
 * All of them that the validators allow if none is named; seven unless told, and 150 ms each way in bad weather. It ends with
 * a table, and with 1 if the pace was not kept, the network did not recover in time, or states differ. Namespaces and
 * processes are gone when it ends, however it ends.
 */
import { PERTURBATIONS } from './campaign/perturbations.ts';
import { Results } from './campaign/results.ts';
import { PACE_MILLIS, RECOVERY_MILLIS_MAX, Stage } from './campaign/stage.ts';
import { readWish } from './campaign/wish.ts';
import { inNamespace } from './testing/wires.ts';

const wish = readWish(process.argv.slice(2), PERTURBATIONS);
inNamespace();

const QUIET_CUTS = 8;
const HURRIED_CUTS_MAX = 60;
/** The mean of a few cuts may be a little above the pace; a network that cannot keep it falls behind steadily. */
const QUIET_MILLIS_MAX = 1.1 * PACE_MILLIS;
const results = new Results();
const stage = await results.measured('start', openStage);
if (stage !== undefined) {
  try {
    await results.measured('quiet', () => quiet(stage));
    for (const { name, play } of PERTURBATIONS)
      if (wish.names.includes(name)) await results.measured(name, () => perturb(stage, play));
    await results.measured('end', () => settle(stage));
  } finally {
    clearTimeout(stage.alarm);
    await stage.close();
  }
}
process.stdout.write(results.table());
process.exit(results.hasFailed ? 1 : 0);

async function openStage() {
  const opened = await Stage.open(wish, results.say);
  const late = (): void => giveUp(opened, `not done after ${wish.minutes} minutes`);
  const alarm = setTimeout(late, wish.minutes * 60_000);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => giveUp(opened, `ended by ${signal}`));
  const seen = `${opened.cluster.all.length} nodes and a miner`;
  return { seen, value: Object.assign(opened, { alarm }) };
}

/** A network that starts late hurries at first; what counts is the pace when it is on time. */
async function quiet(on: Stage) {
  for (let hurry = 0; hurry < HURRIED_CUTS_MAX; hurry++)
    if ((await on.cluster.advance(1, 30_000, [on.node('full1')])) > 0.8 * PACE_MILLIS) break;
  on.processorShare();
  const millis = (await on.cluster.advance(QUIET_CUTS, 120_000)) / QUIET_CUTS;
  const height = await on.cluster.agree();
  const load = on.processorShare();
  const seen = `${Math.round(millis)} ms a cut, ${load}, equal states at ${height}`;
  if (millis > QUIET_MILLIS_MAX) throw new Error(`the pace is ${PACE_MILLIS} ms: ${seen}`);
  return { seen };
}

async function perturb(on: Stage, play: (stage: Stage) => Promise<string>) {
  try {
    const seen = await play(on);
    return { seen, recoveryMillis: await on.recovery() };
  } catch (error) {
    results.say(`heights: ${await on.heights()}`);
    on.heal();
    await on.recovery().catch(() => results.say(`not even ${RECOVERY_MILLIS_MAX} ms later`));
    throw error;
  }
}

async function settle(on: Stage) {
  const payments = await on.settle();
  const recoveryMillis = await on.recovery();
  const height = await on.cluster.agree();
  return { seen: `${payments} payments executed, equal states at ${height}`, recoveryMillis };
}

function giveUp(on: Stage, reason: string): void {
  results.fail('whole', reason);
  process.stdout.write(results.table());
  void on.close().finally(() => process.exit(1));
}
