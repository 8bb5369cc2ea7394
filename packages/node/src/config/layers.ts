/**
 * The layers of a configuration: the file, the environment, the command line; later ones win.
 */
import { readFileSync } from 'node:fs';
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { ConfigError } from 'svc-base/node';
import { acceptText, acceptValue } from './check-value.ts';
import { nearest, suggestion } from './nearest.ts';
import type { Setting } from './setting.ts';
import {
  environmentNames,
  flagName,
  isSettingPath,
  SETTING_PATHS,
  SETTINGS,
  type SettingPath,
  type SettingValue,
} from './settings.ts';

interface Given {
  readonly value: unknown;
  /** A place in a file, a variable or a flag, for messages. */
  readonly origin: string;
}

export type Layer = ReadonlyMap<SettingPath, Given>;

/**
 * Settings from one source, each with the place it was given, and several sources laid over each other.
 */
export class Settings {
  readonly #given = new Map<SettingPath, Given>();

  /** A later layer wins over an earlier one, setting by setting. */
  constructor(layers: readonly Layer[]) {
    for (const layer of layers) {
      for (const [path, given] of layer) this.#given.set(path, given);
    }
  }

  get<Path extends SettingPath>(path: Path): SettingValue<Path> {
    const { default: fallback } = SETTINGS[path] as Setting<SettingValue<Path>>;
    return (this.#given.get(path)?.value as SettingValue<Path> | undefined) ?? fallback;
  }

  /** Where the setting was given; `default` if it was not. */
  origin(path: SettingPath): string {
    return this.#given.get(path)?.origin ?? 'default';
  }

  isGiven(path: SettingPath): boolean {
    return this.#given.has(path);
  }

  /** Whether any setting of a section was given. */
  hasSection(section: string): boolean {
    return SETTING_PATHS.some((path) => path.startsWith(`${section}.`) && this.isGiven(path));
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;
/** Flags as the command line gives them: text, true, or a list of texts. */
export type FlagValues = ReadonlyMap<SettingPath, string | boolean | readonly string[]>;

/** Names a node reads that are not settings of it. */
const OTHER_NAMES = ['SVC_CONFIG'];

/**
 * Settings from the environment and from flags.
 */
export function environmentLayer(environment: Environment): Layer {
  const layer = new Map<SettingPath, Given>();
  for (const path of SETTING_PATHS) {
    const name = environmentNames(path).find((variable) => (environment[variable] ?? '') !== '');
    if (name === undefined) continue;
    const accepted = acceptText(SETTINGS[path].kind, environment[name] as string);
    if ('problem' in accepted) throw new ConfigError(name, path, accepted.problem);
    layer.set(path, { value: accepted.value, origin: name });
  }
  return layer;
}

/** Variables that look like settings and are none; most are typing errors. */
export function unknownVariables(environment: Environment): string[] {
  const known = [...SETTING_PATHS.flatMap(environmentNames), ...OTHER_NAMES];
  return Object.keys(environment)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      return meant === null ? [] : [`${name} is not a setting; did you mean ${meant}?`];
    });
}

export function flagLayer(flags: FlagValues): Layer {
  const layer = new Map<SettingPath, Given>();
  for (const [path, found] of flags) {
    const { kind } = SETTINGS[path];
    const origin = flagName(path) ?? path;
    const accepted = typeof found === 'string' ? acceptText(kind, found) : acceptValue(kind, found);
    if ('problem' in accepted) throw new ConfigError(origin, '', accepted.problem);
    layer.set(path, { value: accepted.value, origin });
  }
  return layer;
}

const FILE_BYTES_MAX = 262_144;
const DEPTH_MAX = 16;
/** Names the schema for editors; it may stand at the top and means nothing to a node. */
const SCHEMA_NAME = '$schema';

/**
 * Settings from `node.json`: JSON with comments, read strictly. Every problem names line and column.
 */
export function readConfigFile(file: string): Layer {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(file, '', `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return parseConfig(text, file);
}

/** `file` is only named in messages. */
export function parseConfig(text: string, file: string): Layer {
  const reader = new FileReader(text, file);
  return reader.read();
}

class FileReader {
  readonly #text: string;
  readonly #file: string;
  readonly #layer = new Map<SettingPath, Given>();

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  read(): Layer {
    this.#expectShallow();
    const errors: ParseError[] = [];
    const root = parseTree(this.#text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error !== undefined) throw this.#error(error.offset, '', syntaxProblem(error));
    if (root === undefined) throw this.#error(0, '', 'expected an object, found nothing');
    this.#readObject(root, '');
    return this.#layer;
  }

  /** Refuses a document nested deeper than the recursion of the parser can go. */
  #expectShallow(): void {
    const { length } = this.#text;
    if (length > FILE_BYTES_MAX) {
      throw this.#error(0, '', `expected at most ${FILE_BYTES_MAX} characters, found ${length}`);
    }
    const scanner = createScanner(this.#text, true);
    let depth = 0;
    while (scanner.getPosition() < length) {
      scanner.scan();
      const first = this.#text[scanner.getTokenOffset()];
      if (first === '{' || first === '[') depth++;
      if (first === '}' || first === ']') depth--;
      if (depth > DEPTH_MAX) throw this.#error(scanner.getTokenOffset(), '', 'nested too deeply');
    }
  }

  #readObject(node: Node, path: string): void {
    if (node.type !== 'object') {
      throw this.#error(node.offset, path, `expected an object, found ${typeName(node)}`);
    }
    const seen = new Set<string>();
    for (const property of node.children ?? []) {
      const [key, value] = property.children as [Node, Node];
      const name = String(key.value);
      if (seen.has(name)) throw this.#error(key.offset, joined(path, name), 'given twice');
      seen.add(name);
      if (path === '' && name === SCHEMA_NAME) continue;
      this.#readValue(key, value, joined(path, name));
    }
  }

  #readValue(key: Node, value: Node, path: string): void {
    if (!isSettingPath(path)) {
      const isSection = SETTING_PATHS.some((known) => known.startsWith(`${path}.`));
      if (!isSection) {
        throw this.#error(key.offset, path, `unknown setting${suggestion(path, namesNear(path))}`);
      }
      this.#readObject(value, path);
      return;
    }
    const accepted = acceptValue(SETTINGS[path].kind, plainValue(value));
    if ('problem' in accepted) throw this.#error(value.offset, path, accepted.problem);
    this.#layer.set(path, { value: accepted.value, origin: this.#place(key.offset) });
  }

  #place(offset: number): string {
    const before = this.#text.slice(0, offset);
    const line = before.split('\n').length;
    return `${this.#file}:${line}:${offset - before.lastIndexOf('\n')}`;
  }

  #error(offset: number, path: string, problem: string): ConfigError {
    return new ConfigError(this.#place(offset), path, problem);
  }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** All names of the same depth, settings and sections, so that a wrong section gets a suggestion too. */
function namesNear(path: string): string[] {
  const depth = path.split('.').length;
  return [...new Set(SETTING_PATHS.map((known) => known.split('.').slice(0, depth).join('.')))];
}

function typeName(node: Node): string {
  return node.type === 'array' ? 'a list' : node.type;
}

/** Lists of plain values are accepted as they are; an object where a value belongs becomes one that fits nothing. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map((item) => item.value as unknown);
  return node.type === 'object' ? {} : (node.value as unknown);
}

function syntaxProblem({ error }: ParseError): string {
  const words = printParseErrorCode(error).replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return `not JSON: ${words.toLowerCase()}`;
}
