import type * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import type { Message } from '../messages/messages.ts';

/** What a request carries to say who is calling. */
export type Credentials = {
  /** The gateway's id of the API key: the gateway has checked the key itself. */
  readonly gatewayKeyId: string;
  /** The access token as sent, from the header or else the cookie. */
  readonly token: string | undefined;
};

/** Finds out who is calling, or refuses. */
export type Authenticator<Caller> = (credentials: Credentials) => Promise<Caller>;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** One request after every check of the edge: its parts are valid by the contract, its caller is known. */
export type Request<C extends Contract, Caller> = {
  readonly id: string;
  readonly path: Parsed<C['path']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  readonly headers: Parsed<C['headers']>;
  readonly caller: Caller;
  readonly sourceAddress: string;
  readonly now: Date;
  /** A message in the language of this request. */
  say(message: Message): string;
  /** The absolute address of this same request with another `page`. */
  pageUrl(page: number): string;
};

/** What a handler answers: the body of the contract's success status. */
export type Answer<C extends Contract> = {
  readonly body: z.input<C['answers'][keyof C['answers'] & number]>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string;
};
