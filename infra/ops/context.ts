import { invoicing, mail, payments } from '../../shared/deps.ts';
import { once } from '../../shared/runtime/async.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business } from '../../shared/runtime/config.ts';
import { Documents } from '../../shared/store/documents.ts';
import { Ids } from '../../shared/store/ids.ts';
import { openTable } from '../../shared/store/table.ts';
import { setting } from './errors.ts';

/** `isTTY`: a person reads the result. */
type Output = { readonly isTTY?: boolean; write(text: string): unknown };

/** Results go to `stdout`; progress, questions and complaints go to `stderr`. */
export type CommandIo = {
  readonly stdout: Output;
  readonly stderr: Output;
  /** `isTTY`: what is typed comes from a terminal, which shows it unless `ask` hides it. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly isTerminal: boolean;
};

/** The options that every command takes, with its streams and who calls it. */
export type Call = CommandIo & {
  readonly isJson: boolean;
  readonly isLocal: boolean;
  readonly outputs?: string | undefined;
  operator(): Promise<string>;
};

/** 0: done; 1: refused or failed; 2: called wrongly, and nothing was done; 130: Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 130;

/** The result of a command. Only `cli.ts` prints it, so that `--json` prints one document and nothing else. */
export type CommandResult<Document = unknown> = {
  readonly document: Document;
  /** The keys of a list's records that a person reads; all facts and lists of the document without it. */
  readonly columns?: readonly string[] | undefined;
  readonly text?: string | undefined;
  /** A warning that stands before the text, in colour at a terminal. */
  readonly warning?: string | undefined;
  readonly remark?: string | undefined;
  /** The reason of exit code 1, for stderr; empty when the result itself tells it. */
  readonly failure?: string | undefined;
};

export type Context = ReturnType<typeof createContext>;

/** Returns a call with the resources of a command; each is opened when it is first asked for. */
export function createContext(call: Call) {
  const [table, documents, time] = [once(openTable), once(openDocuments), once(now)];
  const operator = once(() => call.operator());
  return {
    ...call,
    ...{ operator, invoicing, mail, payments },
    get table() {
      return table();
    },
    get ids() {
      return new Ids(table());
    },
    get documents() {
      return documents();
    },
    get business() {
      return business();
    },
    get now() {
      return time();
    },
    /** Returns who runs the command and when, as the history of an order has it; asked before anything is written. */
    operation: async () => ({ operator: await operator(), now: time() }),
    /** The same, in the shape of an act that a job can do as well. */
    act: async () => ({ by: { operator: await operator() }, now: time() }),
  };
}

export const openDocuments = (): Documents =>
  new Documents(setting('DOCUMENTS_BUCKET'), process.env.S3_PATH_STYLE === 'true', {
    isScanned: process.env.SCAN_DOCUMENTS === 'true',
  });
