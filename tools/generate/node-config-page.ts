/**
 * The page on every setting of a node, and its schema for editors.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expectation } from '../../packages/node/src/config/check-value.ts';
import { configSchema } from '../../packages/node/src/config/schema.ts';
import type { Setting } from '../../packages/node/src/config/setting.ts';
import {
  environmentNames,
  SETTING_PATHS,
  SETTINGS,
  type SettingPath,
} from '../../packages/node/src/config/settings.ts';
import { ROOT } from '../release/paths.ts';
import { code, type Page, page } from './markdown.ts';

const INTRODUCTION = `Every setting of a node. It can stand in \`node.json\`, in a variable of the environment, or behind a flag of
\`svcd run\`; flags win over the environment, which wins over the file. [Configuring a node](../operate/config.md)
explains how they work together. An editor that knows JSON Schema can use
[node.schema.json](node.schema.json).`;

export function nodeConfigPage(): Page {
  return page('docs/reference/config.md', 'Settings', [
    INTRODUCTION,
    ...SETTING_PATHS.map((path) => sectionOf(path)),
  ]);
}

export function nodeSchemaFile(): Page {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'node.json',
    ...configSchema(),
  };
  const path = 'docs/reference/node.schema.json';
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const text = execFileSync(biome, ['format', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    encoding: 'utf8',
    input: JSON.stringify(schema, null, 2),
  });
  return { path, text };
}

function sectionOf(path: SettingPath): string {
  const { about, kind, flag, default: value } = SETTINGS[path] as Setting<unknown>;
  const names = environmentNames(path).map(code).join(', ');
  const given = flag === null ? names : `${names}, ${code(flag)}`;
  const facts = `Value: ${expectation(kind)}; default ${shownDefault(value)}; ${given}.`;
  return [`## ${path}`, about, facts].join('\n\n');
}

function shownDefault(value: unknown): string {
  if (value === null) return 'absent';
  if (Array.isArray(value)) return 'empty';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}
