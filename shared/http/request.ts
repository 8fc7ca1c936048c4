import type * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import type { Message } from '../messages/messages.ts';

/** The parts of a request that tell who is calling. */
export type Credentials = {
  /** The gateway's id of the API key; the gateway has checked the key. */
  readonly gatewayKeyId: string;
  /** The access token as sent in the header or else in the cookie. */
  readonly token: string | undefined;
};

/**
 * Returns the caller, or throws a Refusal. What cannot be told without a read is told by `confirmed`, which rejects with
 * a Refusal while the route is at work.
 */
export type Authenticator<Caller> = (
  credentials: Credentials,
) => Promise<Caller & { readonly confirmed?: Promise<unknown> }>;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A request that is valid by its contract and comes from a known caller. */
export type Request<C extends Contract, Caller> = {
  readonly id: string;
  readonly path: Parsed<C['path']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  readonly headers: Parsed<C['headers']>;
  readonly caller: Caller;
  readonly sourceAddress: string;
  readonly now: Date;
  /** Returns a message in the language of the request. */
  say(message: Message): string;
  /** Returns the absolute URL of the request with another `page`. */
  pageUrl(page: number): string;
  /** Returns the absolute URL of the request with another `cursor`. */
  cursorUrl(cursor: string): string;
  /** Returns a name of the list that is read, the same for all of its pages and for no other list or caller. */
  listName(): string;
};

/** The result of a handler, with the body of the contract's success status. */
export type Answer<C extends Contract> = {
  readonly body: z.input<C['answers'][keyof C['answers'] & number]>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string;
};
