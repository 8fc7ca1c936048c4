import * as z from 'zod';
import type { RefusalCode } from '../messages/refusals.ts';

/**
 * `key`: any API key that the gateway accepts; `client`: the client of that key; `user`: a user of that client, by access
 * token; `none`: anybody, verified by a signature over the body.
 */
export type Authentication = 'key' | 'client' | 'user' | 'none';
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

export type Contract = {
  readonly authentication: Authentication;
  /** `catalog`: callers may cache for 30 s and revalidate by ETag. Other answers may not be stored. */
  readonly caching?: 'catalog';
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True if a request may have no body, which then counts as `{}`. */
  readonly isBodyOptional?: boolean;
  /** True if the body contains documents and may be larger (`shared/http/body.ts`). */
  readonly carriesDocuments?: boolean;
  /** By their usual names; requests may write them in any case. */
  readonly headers?: z.ZodObject;
  /** The body per success status; a handler with several chooses one. `shared/http/errors.ts` has the format of refusals. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  readonly answerHeaders?: readonly ('Set-Cookie' | 'Idempotent-Replayed')[];
  /** The refusals that do not follow from authentication, path or body. */
  readonly refusals?: readonly RefusalCode[];
  /** The bodies of refusals that contain more than `detail` and `code`. */
  readonly refusalBodies?: { readonly [Code in RefusalCode]?: z.ZodType };
};

export type DescribedContract = Contract & {
  readonly authentication: Exclude<Authentication, 'none'>;
  readonly operationId: string;
  readonly tag: 'Access' | 'Orders' | 'Events' | 'Catalog';
  readonly summary: string;
  readonly description: string;
};

/** An answer without a body. */
export const noBody = (description: string) => z.undefined().meta({ description });
export const hasBody = (answer: z.ZodType): boolean => !(answer instanceof z.ZodUndefined);

/** Keeps a contract's exact type, from which a handler's input is inferred. */
export const contract = <const C extends Contract>(definition: C): C => definition;
