import { userInfo } from 'node:os';
import { Documents } from '../../shared/documents/documents.ts';
import { once } from '../../shared/runtime/async.ts';
import { now } from '../../shared/runtime/clock.ts';
import { type Business, business } from '../../shared/runtime/config.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { askCallerArn } from './aws.ts';
import type { Call } from './call.ts';
import { CommandRefusal, setting } from './errors.ts';
import { isDesk } from './target.ts';

/** The resources of a command; each is opened when it is first asked for. */
export type Context = Call & {
  readonly table: Table;
  readonly documents: Documents;
  readonly business: Business;
  /** The time of the command. */
  readonly now: Date;
  /** Returns who runs the command and when, as the history of an order has it; asked before anything is written. */
  operation(): Promise<{ readonly operator: string; readonly now: Date }>;
  /** The same, in the shape of an act that a job can do as well. */
  act(): Promise<{ readonly by: { readonly operator: string }; readonly now: Date }>;
};

/** Adds to a call what a command works with. */
export function createContext(call: Call): Context {
  const table = once(openTable);
  const documents = once(openDocuments);
  const time = once(now);
  const operator = once(() => call.operator());
  return {
    ...call,
    operator,
    get table() {
      return table();
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
    operation: async () => ({ operator: await operator(), now: time() }),
    act: async () => ({ by: { operator: await operator() }, now: time() }),
  };
}

/** Opens the documents with the credentials of an operator, which may be of any kind. */
export const openDocuments = (): Documents =>
  new Documents(setting('DOCUMENTS_BUCKET'), process.env.S3_PATH_STYLE === 'true');

/**
 * Returns who runs the command: the ARN by which AWS knows the caller, or on the local server the system's user name.
 * Throws a CommandRefusal if AWS does not say.
 */
export async function identifyOperator(isLocal: boolean): Promise<string> {
  if (isLocal || isDesk(process.env)) return userInfo().username;
  try {
    return await askCallerArn();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandRefusal(`AWS does not say who you are (${reason}), so nothing was changed.`);
  }
}
