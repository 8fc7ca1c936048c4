import type { SourceMap, SourceOrigin } from 'node:module';
import * as z from 'zod';
import { readSourceMap } from '../../source-maps.ts';
import { tryParseJson } from '../aws.ts';
import { printable } from '../output.ts';

export type LogEvent = { readonly timestamp: number; readonly message: string };

// Node's `findOrigin` returns an empty object for what the map does not have.
const isKnown = (origin: SourceOrigin | object): origin is SourceOrigin => 'fileName' in origin;

/** Names the lines of the source for those of the deployed code, by the source maps that were kept of its release. */
export class SourceLines {
  readonly #folder: string;
  readonly #maps = new Map<string, SourceMap | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files of code without a source map here. */
  get unknownFiles(): string[] {
    return [...this.#maps].filter(([, map]) => map === undefined).map(([file]) => file);
  }

  /** Returns a line of a stack trace by its source line, or as it is if its release is not known. */
  name(frame: string): string {
    const [, file, line, column] = /([A-Z\d]{8}\.mjs):(\d+):(\d+)/.exec(frame) ?? [];
    const origin = file ? this.#findMap(file)?.findOrigin(Number(line), Number(column)) : undefined;
    // The name of the function is the one that esbuild made of it, and tells nothing.
    return origin && isKnown(origin)
      ? `at ${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : frame.trim();
  }

  #findMap(file: string): SourceMap | undefined {
    if (!this.#maps.has(file)) this.#maps.set(file, readSourceMap(this.#folder, file));
    return this.#maps.get(file);
  }
}

/** A line of a log: its fields, or its text if it is not JSON, and its stack trace by source lines. */
export type LogLine = {
  readonly at: string;
  /** The function, or `access` for the requests as API Gateway saw them. */
  readonly log: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly trace: readonly string[];
};

const fields = z.record(z.string(), z.unknown());
const frames = z.array(z.string()).catch([]);
// Lambda writes an error that no handler caught in this shape.
const uncaught = z.object({ errorType: z.string(), errorMessage: z.string(), stackTrace: frames.optional() });

export function toLogLine({ timestamp, message }: LogEvent, log: string, sources: SourceLines): LogLine {
  const at = new Date(timestamp).toISOString();
  const parsed = fields.safeParse(tryParseJson(message)).data;
  if (!parsed) return { at, log, text: message.trimEnd(), fields: {}, trace: [] };
  const { message: said, trace, ...rest } = parsed;
  const error = uncaught.safeParse(said).data;
  const stack = error ? (error.stackTrace ?? []).filter((line) => /^\s*at /.test(line)) : frames.parse(trace);
  return {
    at,
    log,
    text: error ? `${error.errorType}: ${error.errorMessage}` : String(said ?? rest.type ?? rest.route ?? ''),
    fields: rest,
    trace: stack.map((frame) => sources.name(frame)),
  };
}

// The fields that every line has, or that the line begins with.
const KNOWN = new Set(['timestamp', 'time', 'service', 'sampling_rate', 'xray_trace_id', 'requestTime', 'type']);

/** Returns a line as a person reads it: when, where and what, its fields, and its trace below. */
export function formatLogLine({ at, log, text, fields, trace }: LogLine): string {
  const shown = Object.entries(fields).filter(([name, value]) => !KNOWN.has(name) && value !== text);
  const values = shown.map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  const lines = [[at, log, text, ...values].join('  '), ...trace.map((frame) => `    ${frame}`)];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
