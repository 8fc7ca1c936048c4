import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { sourceMapFolder } from '../../source-maps.ts';
import { type Command, CommandRefusal, command, setting } from '../command.ts';
import { recordId, UsageError } from '../input.ts';
import { type LogQuery, listLogGroups, READ_AT_MOST, readLogEvents } from './log-events.ts';
import { formatLogLine, type LogLine, toLogLine } from './log-line.ts';
import { SourceLines } from './source-lines.ts';

// Errors and warnings of the functions, what Lambda itself writes (calls that failed), and requests answered 5xx.
const FAILURES = '{ ($.level = "ERROR") || ($.level = "WARN") || ($.type = "platform.*") || ($.status = "5*") }';

const logs = command({
  name: 'logs',
  effect: 'reads',
  summary: 'Show what failed in the last day, or every line of one request, with stack traces by source line',
  example: '--outputs .local/demo.json --request 5f1c0c53-9f1b-4a51-8f3a-2d0d4c1b7f55',
  options: {
    request: z.string().max(100).optional().meta({ title: 'X-Request-Id' }),
    function: z.string().optional().meta({ title: 'orders-create' }),
    from: z.string().prefault('1d').meta({ title: 'time' }),
    to: z.string().prefault('0m').meta({ title: 'time' }),
    limit: recordId.pipe(z.number().max(READ_AT_MOST)).prefault('100').meta({ title: 'number' }),
  },
  async run({ request, function: name, from, to, limit }, { isLocal }) {
    const range = { startTime: parseTime('--from', from), endTime: parseTime('--to', to) };
    if (isLocal) throw new CommandRefusal('The local server keeps no log: it writes each line to its own terminal.');
    const groups = await findGroups(name);
    const sources = new SourceLines(sourceMapFolder());
    const query = { ...range, filterPattern: request === undefined ? FAILURES : JSON.stringify(request) };
    const { lines, cut } = await readAll(groups, query, sources);
    const latest = lines.slice(-limit);
    const left = lines.length - latest.length;
    return {
      document: { lines: latest },
      text: latest.map(formatLogLine).join(''),
      remark: remarks({ left, cut, isEmpty: lines.length === 0, unknownFiles: sources.unknownFiles }).join('\n'),
    };
  },
});

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 24 * 60 };

/** Returns a time in milliseconds: one that is written out, or how long ago it was. */
function parseTime(option: string, written: string): number {
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(written) ?? [];
  const time =
    count === undefined ? Date.parse(written) : now().getTime() - Number(count) * (MINUTES[unit] ?? 0) * 60_000;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`${option}: It must be a time such as 2026-11-22T18:00Z, or how long ago: 90m, 6h or 3d.`);
}

type Group = { readonly log: string; readonly logGroupName: string };

/** Returns the log groups of the stage, or that of one function. */
async function findGroups(name: string | undefined): Promise<Group[]> {
  const prefix = setting('LOG_GROUP_PREFIX');
  const all = (await listLogGroups(prefix)).map((logGroupName) => ({
    log: logGroupName.slice(prefix.length),
    logGroupName,
  }));
  if (all.length === 0) throw new CommandRefusal(`There is no log group ${prefix}*.`);
  const found = all.filter(({ log }) => name === undefined || log === name);
  if (found.length > 0) return found;
  throw new UsageError(`--function: It must be one of: ${all.map(({ log }) => log).join(', ')}.`);
}

/** Reads the log groups one after the other, since CloudWatch allows few calls at a time. */
async function readAll(groups: readonly Group[], query: Omit<LogQuery, 'logGroupName'>, sources: SourceLines) {
  const lines: LogLine[] = [];
  const cut: string[] = [];
  for (const { log, logGroupName } of groups) {
    const { events, isComplete } = await readLogEvents({ ...query, logGroupName });
    lines.push(...events.map((event) => toLogLine(event, log, sources)));
    if (!isComplete) cut.push(log);
  }
  return { lines: lines.sort((one, other) => one.at.localeCompare(other.at)), cut };
}

type Reading = {
  readonly left: number;
  readonly cut: readonly string[];
  readonly isEmpty: boolean;
  readonly unknownFiles: readonly string[];
};

function remarks({ left, cut, isEmpty, unknownFiles }: Reading): string[] {
  return [
    ...(isEmpty ? ['There is no such line in this time.'] : []),
    ...(left > 0 ? [`${left} earlier lines are left out: --limit shows more.`] : []),
    ...(cut.length > 0
      ? [`Only the first ${READ_AT_MOST} lines of ${cut.join(', ')} were read: take a shorter time.`]
      : []),
    ...(unknownFiles.length > 0
      ? [
          `No source map of ${unknownFiles.join(', ')} is here: \`npm run synth\` at the commit of that release makes it.`,
        ]
      : []),
  ];
}

export const logCommands: readonly Command[] = [logs];
