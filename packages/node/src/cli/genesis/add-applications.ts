/**
 * `svcd genesis add`: checks applications of validators and collects them in a folder, out of which the genesis is
 * made. The folder is all there is: a file that is deleted from it takes no part.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, columns, EXIT, note, result } from 'svc-base/cli';
import { replaceFileSync } from 'svc-base/node';
import { formatAmount, init } from 'svc-wasm';
import { type Application, expectDistinct, readApplication, shortName } from './application.ts';

/** As many as one genesis can have. */
const APPLICATIONS_MAX = 64;

export async function addApplications(folder: string, files: readonly string[]): Promise<void> {
  await init();
  mkdirSync(folder, { recursive: true });
  const before = readApplications(folder);
  const added = files.map((file) => ({ file, application: readApplication(file) }));
  const all = [...before, ...added.map(({ application }) => application)];
  expectOneNetwork(all);
  expectDistinct(all);
  if (all.length > APPLICATIONS_MAX) {
    const found = `found ${all.length}`;
    throw new CliError(EXIT.refused, `expected at most ${APPLICATIONS_MAX} validators, ${found}`);
  }
  for (const { file, application } of added)
    replaceFileSync(join(folder, `${shortName(application)}.json`), readFileSync(file, 'utf8'));
  note(`${all.length} validators in ${folder}`);
  result(columns(all.map(row)));
}

/** The applications of a folder, in the order of their keys' names: everybody who has the files makes the same genesis. */
export function readApplications(folder: string): Application[] {
  if (!existsSync(folder))
    throw new CliError(EXIT.usage, `${folder}: there is no such folder; run \`svcd genesis add\``);
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => readApplication(join(folder, name)));
}

function expectOneNetwork(applications: readonly Application[]): void {
  const networks = [...new Set(applications.map(({ terms }) => terms.network))];
  if (networks.length <= 1) return;
  throw new CliError(EXIT.refused, `applications are for ${networks.join(' and ')}`);
}

function row(application: Application): string[] {
  const { terms, endpoint } = application;
  const routes = endpoint.routes.map(({ host, port }) => `${host}:${port}`);
  return [
    shortName(application),
    `${formatAmount(terms.amount)} coins`,
    `commission ${terms.commission_bps}`,
    routes.join(' ') || 'no route',
    terms.owner_address,
  ];
}
