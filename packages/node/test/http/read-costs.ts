/**
 * What reads cost beside the units they are charged: `node packages/node/test/http/read-costs.ts [calls]`, 40 calls of
 * each route with its longest page unless told. It prints the processor time of each answer beyond that of `/health`, client
 * included, for one unit. Signatures and submissions have budgets of their own and are left out.
 */
import { ROUTES, type Route } from 'svc-api';
import { longestRequest } from './testing/example-requests.ts';
import { HttpNode } from './testing/http-node.ts';
import { story } from './testing/story.ts';

const [calls = 40] = process.argv.slice(2).map(Number);
const WARM_UP = 20;
const LEFT_OUT: readonly string[] = ['transactionSubmit', 'health', 'ready'];

interface Cost {
  readonly name: string;
  readonly units: number;
  readonly millis: number;
}

const told = await story();
const endings: (() => Promise<void>)[] = [];
const ending = { after: (end: () => Promise<void>) => void endings.push(end) };
const node = await HttpNode.start(ending, {}, told.services);

async function processorOf(target: string, body: string | undefined): Promise<number> {
  const send = async (): Promise<void> => {
    const { status, text } = await node.send(target, body === undefined ? {} : { body });
    if (status !== 200) throw new Error(`${target}: ${status} ${text}`);
  };
  for (let call = 0; call < WARM_UP; call++) await send();
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) await send();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / calls;
}

const costs: Cost[] = [];
for (const route of Object.values(ROUTES) as Route[]) {
  if (LEFT_OUT.includes(route.name)) continue;
  const { target, body, items } = longestRequest(route, told);
  const units = route.weight.base + (route.weight.perItem ?? 0) * items;
  costs.push({ name: route.name, units, millis: await processorOf(target, body) });
}
// The engine has compiled everything by now.
const base = await processorOf('/health', undefined);
process.stdout.write('| route | units | ms | ms for a unit |\n|---|---:|---:|---:|\n');
const forUnit = ({ millis, units }: Cost): number => (millis - base) / units;
for (const cost of costs.toSorted((a, b) => forUnit(b) - forUnit(a))) {
  const { name, units, millis } = cost;
  const cells = [name, units.toFixed(1), (millis - base).toFixed(2), forUnit(cost).toFixed(3)];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
for (const end of endings) await end();
