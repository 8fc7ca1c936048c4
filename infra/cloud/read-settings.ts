import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type * as z from 'zod';
import { servedRoutes } from '../../shared/api/routes.ts';
import { functionName } from '../stack-names.ts';
import { jobs } from './functions/jobs.ts';
import { type Settings, SettingsError, settingsShape } from './settings.ts';

const FOLDER = join(import.meta.dirname, 'stages');

export const listStages = (): string[] => readdirSync(FOLDER).map((file) => parse(file).name);

const DEFAULT_STAGE = 'demo';

/** Reads the settings of comma-separated stages. Throws SettingsError. */
export const readStages = (names: unknown): Settings[] =>
  String(names ?? DEFAULT_STAGE)
    .split(',')
    .map(readSettings);

/** Throws SettingsError. */
export function readSettings(stage: unknown): Settings {
  if (typeof stage !== 'string' || !/^[a-z][a-z\d-]{0,19}$/.test(stage)) {
    throw new SettingsError('Name the stage with -c stage=<name>: up to 20 lower-case letters, digits and hyphens.');
  }
  const file = join(FOLDER, `${stage}.json`);
  if (!existsSync(file)) throw new SettingsError(`The settings of stage ${stage} are missing: write ${file}.`);
  return parseSettings(stage, readFileSync(file, 'utf8'));
}

/** Throws SettingsError. */
export function parseSettings(stage: string, json: string): Settings {
  const input = parseJson(stage, json);
  const { data, error } = settings.safeParse(input);
  if (!error) return { stage, ...data };
  const sentences = error.issues.map((issue) => describeSettingIssue(issue, input));
  throw new SettingsError(sentences.map((sentence) => `Stage ${stage}: ${sentence}`).join('\n'));
}

function parseJson(stage: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new SettingsError(`Stage ${stage}: its settings are not JSON: ${(error as Error).message}.`);
  }
}

function describeSettingIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const setting = issue.path.join('.');
  if (setting === '' && issue.code === 'invalid_type') return 'its settings must be one object.';
  if (issue.code === 'unrecognized_keys') return `there is no setting ${[...issue.path, issue.keys[0]].join('.')}.`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  const reason = issue.code === 'custom' && issue.params?.reason;
  if (value === undefined) return `the setting ${setting} is missing${reason ? `: ${reason}` : ''}.`;
  return `the setting ${setting} must be ${issue.message}, not ${JSON.stringify(value)}.`;
}

const FUNCTIONS = new Set([...servedRoutes, ...jobs].map(({ handler }) => functionName(handler)));
const ROUTE_FUNCTIONS = new Set(servedRoutes.map(({ handler }) => functionName(handler)));
// A release keeps two versions' environments within the function's limit (Lambda's "Configuring provisioned concurrency").
const VERSIONS_AT_ONCE = 2;

type Numbers = Readonly<Record<string, number>>;
type Concurrency = { readonly reservedConcurrency: Numbers; readonly provisionedConcurrency: Numbers };

function checkConcurrency(concurrency: Concurrency, { addIssue }: z.RefinementCtx): void {
  const { reservedConcurrency, provisionedConcurrency } = concurrency;
  const refuse = (path: [keyof Concurrency, string], message: string) => addIssue({ code: 'custom', path, message });
  for (const name of Object.keys(reservedConcurrency)) {
    if (!FUNCTIONS.has(name))
      refuse(['reservedConcurrency', name], 'under the name of a function, such as orders-create');
  }
  for (const [name, provisioned] of Object.entries(provisionedConcurrency)) {
    const path = ['provisionedConcurrency', name] as [keyof Concurrency, string];
    if (!ROUTE_FUNCTIONS.has(name)) refuse(path, 'under the name of a route’s function, such as orders-create');
    const most = reservedConcurrency[name];
    if (most !== undefined && VERSIONS_AT_ONCE * provisioned > most)
      refuse(path, `at most half of the ${most} of reservedConcurrency`);
  }
}

// The shape does not know the functions, which are created from the settings.
const settings = settingsShape.superRefine(checkConcurrency);
