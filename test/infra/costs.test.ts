import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { METRIC_NAMES, REQUEST_METRICS } from '../../shared/runtime/metrics.ts';
import { KINDS, toRow } from '../bench/costs/kinds.ts';
import { stageTemplates } from '../support/rights/stack-template.ts';

const COSTS = readFileSync(join(import.meta.dirname, '../../infra/cloud/costs.md'), 'utf8');

/** Returns the cells of the only row whose first cell matches. */
function cellsOf(what: RegExp): string[] {
  const rows = COSTS.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const found = rows.filter(([, first = '']) => what.test(first));
  expect(found, String(what)).toHaveLength(1);
  return found[0] ?? [];
}

/** Returns the first whole number of a row behind a colon, and its USD. */
function countAndPrice(what: RegExp): [number, number] {
  const [, text = '', usd = ''] = cellsOf(what);
  return [Number(/: (\d+)\b/.exec(text)?.[1]), Number(usd)];
}

// The secrets of the providers are not of the stack.
describe.each([
  ['demo', 'a demonstration', 0],
  ['production-example', 'production', 2],
])('the costs of a month of %s', (stage, words, secretsOfOthers) => {
  let templates: Template[];
  beforeAll(() => {
    templates = stageTemplates(stage);
  });
  // biome-ignore lint/suspicious/noExplicitAny: a template has no types
  const find = (type: string): any[] =>
    templates.flatMap((template) => Object.values(template.findResources(type)).map(({ Properties }) => Properties));

  it('count each metric that an alarm watches', () => {
    const watched = find('AWS::CloudWatch::Alarm').flatMap(({ Metrics = [{ MetricStat: {} }] }) =>
      Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat),
    );
    const [count, usd] = countAndPrice(new RegExp(`^Alarms of ${words}`));
    expect(count).toBe(watched.length);
    expect(usd).toBeCloseTo(0.1 * watched.length);
  });

  it('count each metric from logs, but for those that some failure, client or key makes', () => {
    const filters = find('AWS::Logs::MetricFilter');
    const wholes = Object.values<readonly (readonly string[])[]>(REQUEST_METRICS).filter(([first]) => !first?.length);
    const made = filters.length + METRIC_NAMES.length + wholes.length;
    const [count, usd] = countAndPrice(/^Metrics from logs/);
    expect(count).toBe(made);
    expect(usd).toBeCloseTo(0.3 * made);
  });

  it('add up to those of a quiet stage, with its dashboard, secrets and jobs', () => {
    const kind = words.split(' ').at(-1);
    const [, told] = new RegExp(`\\bquiet ${kind}\\D+(\\d+\\.\\d\\d)`).exec(COSTS) ?? [];
    const rows = [new RegExp(`^Alarms of ${words}`), /^Metrics from logs/, /^Dashboard/, /^Jobs/];
    const ofRows = rows.map((what) => Number(cellsOf(what)[2])).reduce((sum, usd) => sum + usd);
    const secrets = find('AWS::SecretsManager::Secret').length + secretsOfOthers;
    // It is rounded to 10 cents.
    expect(Number(told)).toBeCloseTo(ofRows + 0.4 * secrets, 1);
  });
});

describe('the costs of a million requests', () => {
  it.each(KINDS)('are those of the bench for its bytes and read units: $what', (kind) => {
    const line = COSTS.split('\n').find((each) => each.startsWith(`| ${kind.what} |`)) ?? '';
    const [, , bytes = '', units = ''] = line.split('|');
    const [sent, logBytes] = bytes.split(',').map(Number);
    const readUnits = Number(units.split(',')[0]);
    expect(line).toBe(toRow(kind, { bytes: sent ?? 0, logBytes: logBytes ?? 0, readUnits }));
  });
});
