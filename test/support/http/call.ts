import { DEMO_API_KEY } from '../../../infra/local/seed.ts';
import type { HttpAnswer, HttpCall } from './http.ts';

export type Call = Pick<HttpCall, 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key; the demonstration client's if not given, none if null. */
  readonly key?: string | null;
  /** The access token, sent as `Authorization: Bearer`. */
  readonly token?: string;
};

/** Calls the API. The path has the query but not the stage. */
export type Caller = (method: string, path: string, call?: Call) => Promise<HttpAnswer>;

export function callHeaders({ key = DEMO_API_KEY, token, headers }: Call): Record<string, string> {
  return {
    ...(key !== null && { 'X-API-Key': key }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...headers,
  };
}
