import type { SourceMap, SourceOrigin } from 'node:module';
import {
  CloudWatchLogsClient,
  type FilteredLogEvent,
  type FilterLogEventsCommandInput,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import * as z from 'zod';
import { readSourceMap, sourceMapFolder } from '../source-maps.ts';
import type { Context } from './context.ts';
import { CommandRefusal, setting, UsageError } from './errors.ts';
import { printable, tryParseJson } from './output.ts';

// Errors and warnings of the functions, what Lambda itself writes (calls that failed), and requests answered 5xx.
const FAILURES = '{ ($.level = "ERROR") || ($.level = "WARN") || ($.type = "platform.*") || ($.status = "5*") }';
/** The lines that are read of each log group; a page may have 10,000. */
const READ_AT_MOST = 1_000;
// CloudWatch answers some calls 5 times a second in most regions.
const PATIENCE = { maxAttempts: 10 };

const DAY_MS = 24 * 60 * 60 * 1_000;

type Input = {
  readonly request?: string | undefined;
  readonly function?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
};

export async function showLogs({ request, function: name, from, to, limit }: Input, { isLocal, now }: Context) {
  const range = { startTime: from?.getTime() ?? now.getTime() - DAY_MS, endTime: (to ?? now).getTime() };
  if (isLocal) throw new CommandRefusal('The local server keeps no log: it writes each line to its own terminal.');
  const sources = new SourceLines(sourceMapFolder());
  const query = { ...range, filterPattern: request === undefined ? FAILURES : JSON.stringify(request) };
  const client = new CloudWatchLogsClient(PATIENCE);
  const { lines, cut } = await readAll(client, await findGroups(client, name), query, sources);
  const latest = lines.slice(-limit);
  const left = lines.length - latest.length;
  const remarks = [
    lines.length === 0 && 'There is no such line in this time.',
    left > 0 && `${left} earlier lines are left out: --limit shows more.`,
    cut.length > 0 && `Only the first ${READ_AT_MOST} lines of ${cut.join(', ')} were read: take a shorter time.`,
    sources.unknownFiles.length > 0 &&
      `No source map of ${sources.unknownFiles.join(', ')} is here: \`npm run synth\` at the commit of that release makes it.`,
  ];
  return {
    document: { lines: latest },
    text: latest.map(formatLogLine).join(''),
    remark: remarks.filter(Boolean).join('\n'),
  };
}

type Group = { readonly log: string; readonly logGroupName: string };

async function findGroups(client: CloudWatchLogsClient, name: string | undefined): Promise<Group[]> {
  const logGroupNamePrefix = setting('LOG_GROUP_PREFIX');
  const pages = await Array.fromAsync(paginateDescribeLogGroups({ client }, { logGroupNamePrefix }));
  const all = pages
    .flatMap(({ logGroups = [] }) => logGroups)
    .map(({ logGroupName = '' }) => ({ logGroupName, log: logGroupName.slice(logGroupNamePrefix.length) }));
  if (all.length === 0) throw new CommandRefusal(`There is no log group ${logGroupNamePrefix}*.`);
  const matches = all.filter(({ log }) => name === undefined || log === name);
  if (matches.length > 0) return matches;
  throw new UsageError(`--function: It must be one of: ${all.map(({ log }) => log).join(', ')}.`);
}

type Query = Pick<FilterLogEventsCommandInput, 'startTime' | 'endTime' | 'filterPattern'>;

/** Reads the log groups one after the other, since CloudWatch allows few calls at a time; `cut` has those with more lines. */
async function readAll(client: CloudWatchLogsClient, groups: readonly Group[], query: Query, sources: SourceLines) {
  const lines: LogLine[] = [];
  const cut: string[] = [];
  for (const { log, logGroupName } of groups) {
    const events: FilteredLogEvent[] = [];
    for await (const page of paginateFilterLogEvents({ client }, { ...query, logGroupName })) {
      events.push(...(page.events ?? []));
      if (events.length > READ_AT_MOST) break;
    }
    if (events.length > READ_AT_MOST) cut.push(log);
    lines.push(...events.slice(0, READ_AT_MOST).map((event) => toLogLine(event, log, sources)));
  }
  return { lines: lines.sort((one, other) => one.at.localeCompare(other.at)), cut };
}

/** Names the lines of the source for those of the deployed code, by the source maps that were kept of its release. */
export class SourceLines {
  readonly #folder: string;
  readonly #maps = new Map<string, SourceMap | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get unknownFiles(): string[] {
    return [...this.#maps].filter(([, map]) => map === undefined).map(([file]) => file);
  }

  /** Returns a line of a stack trace by its source line, or as it is if its release is not known. */
  name(frame: string): string {
    const [, file, line, column] = /([A-Z\d]{8}\.mjs):(\d+):(\d+)/.exec(frame) ?? [];
    if (file && !this.#maps.has(file)) this.#maps.set(file, readSourceMap(this.#folder, file));
    const origin: Partial<SourceOrigin> = this.#maps.get(file ?? '')?.findOrigin(Number(line), Number(column)) ?? {};
    // The name of the function is the one that esbuild made of it, and tells nothing.
    const { fileName, lineNumber, columnNumber } = origin;
    return fileName ? `at ${fileName}:${lineNumber}:${columnNumber}` : frame.trim();
  }
}

type LogLine = ReturnType<typeof toLogLine>;

const fields = z.record(z.string(), z.unknown());
const frames = z.array(z.string()).catch([]);
// Lambda writes an error that no handler caught in this shape.
const uncaught = z.object({ errorType: z.string(), errorMessage: z.string(), stackTrace: frames.optional() });

/** Returns a line with its stack trace by source lines; `log` is the function, or `access` for requests as the gateway saw them. */
function toLogLine({ timestamp = 0, message = '' }: FilteredLogEvent, log: string, sources: SourceLines) {
  const at = new Date(timestamp).toISOString();
  const parsed = fields.safeParse(tryParseJson(message)).data;
  if (!parsed) return { at, log, text: message.trimEnd(), fields: {}, trace: [] };
  const { message: said, trace, ...rest } = parsed;
  const error = uncaught.safeParse(said).data;
  const stack = error ? (error.stackTrace ?? []).filter((line) => /^\s*at /.test(line)) : frames.parse(trace);
  const text = error ? `${error.errorType}: ${error.errorMessage}` : String(said ?? rest.type ?? rest.route ?? '');
  return { at, log, text, fields: rest, trace: stack.map((frame) => sources.name(frame)) };
}

// The fields that every line has, or that the line begins with.
const KNOWN = new Set(['timestamp', 'time', 'service', 'sampling_rate', 'xray_trace_id', 'requestTime', 'type']);

function formatLogLine({ at, log, text, fields, trace }: LogLine): string {
  const shown = Object.entries(fields).filter(([name, value]) => !KNOWN.has(name) && value !== text);
  const values = shown.map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  const lines = [[at, log, text, ...values].join('  '), ...trace.map((frame) => `    ${frame}`)];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
