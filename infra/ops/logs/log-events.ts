import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { callJsonApi } from '../target/json-api.ts';

/** The lines to look for: in one log group, of a time, and matching CloudWatch's filter pattern. */
export type LogQuery = {
  readonly logGroupName: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly filterPattern: string;
};

export type LogEvent = { readonly timestamp: number; readonly message: string };

/** The lines that are read of each log group; a page may have 10,000. */
export const READ_AT_MOST = 1_000;

// CloudWatch allows 5 calls a second in most regions, and one run calls once for each log group.
const PAUSE_MS = 300;
const TRIES = 10;

const groupPage = z.object({
  logGroups: z.array(z.object({ logGroupName: z.string() })).default([]),
  nextToken: z.string().nullish(),
});
const eventPage = z.object({
  events: z.array(z.object({ timestamp: z.number(), message: z.string() })).default([]),
  nextToken: z.string().nullish(),
});

/** Lists the log groups whose names begin with a prefix. */
export async function listLogGroups(logGroupNamePrefix: string): Promise<string[]> {
  const names: string[] = [];
  let nextToken: string | null | undefined;
  do {
    const page = groupPage.parse(await askLogs('DescribeLogGroups', { logGroupNamePrefix, nextToken }));
    names.push(...page.logGroups.map(({ logGroupName }) => logGroupName));
    nextToken = page.nextToken;
  } while (nextToken);
  return names;
}

/** Reads the first lines of a log group that match, oldest first, and says whether those are all. */
export async function readLogEvents(query: LogQuery): Promise<{ events: LogEvent[]; isComplete: boolean }> {
  const events: LogEvent[] = [];
  let nextToken: string | null | undefined;
  do {
    // A page may be empty although others follow.
    const page = eventPage.parse(await askLogs('FilterLogEvents', { ...query, nextToken }));
    events.push(...page.events);
    nextToken = page.nextToken;
  } while (nextToken && events.length < READ_AT_MOST);
  return { events: events.slice(0, READ_AT_MOST), isComplete: !nextToken && events.length <= READ_AT_MOST };
}

async function askLogs(action: string, input: Readonly<Record<string, unknown>>, tries = TRIES): Promise<unknown> {
  try {
    return await callJsonApi({ api: 'logs', action, input });
  } catch (error) {
    if (tries === 1 || !(error instanceof Error && error.message.includes('ThrottlingException'))) throw error;
    await pause(PAUSE_MS);
    return askLogs(action, input, tries - 1);
  }
}
