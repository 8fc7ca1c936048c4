import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CommandName, DocumentOf, InputOf } from '../server/counter-commands.ts';
import type { ErrorAnswer, InputError } from '../server/error-answer.ts';

// The token lives as long as the tab, and in no address that a history or a Referer would hold.
const TOKEN = 'token';

/** Keeps the token of an address `#<token>`. Returns false if the address has none. */
export function keepToken(hash: string): boolean {
  const [, token] = /^#([\w-]{43})$/.exec(hash) ?? [];
  if (token !== undefined) sessionStorage.setItem(TOKEN, token);
  return token !== undefined;
}

export const readToken = (): string => sessionStorage.getItem(TOKEN) ?? '';

/** The server refused a call, or did not answer; the message is for the person at the counter. */
export class CallError extends Error {
  /** Stable: a code of the refusals, `invalid_input`, `command_refused`, `unreachable`, `no_token`, `counter_ended` … */
  readonly code: string;
  /** The faults of the input, by the keys of the command. */
  readonly errors: readonly InputError[];

  constructor({ code, text, errors = [] }: ErrorAnswer) {
    super(text);
    this.code = code;
    this.errors = errors;
  }

  /**
   * Returns what is wrong with one field of the input, or undefined. Rules that the API shares name the field as the API
   * does: `full_name` for `fullName`.
   */
  errorOf(key: string): string | undefined {
    const errors = this.errors.filter(({ path: [name] }) => name === key || name === toSnakeCase(key));
    return errors.length > 0 ? errors.map(({ text }) => text).join(' ') : undefined;
  }
}

const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type CommandAnswer<Name extends CommandName> = { readonly document: DocumentOf<Name>; readonly failure?: string };

/**
 * Runs an operator command and returns its document. Throws a CallError, also when the command has failed in part
 * (`command_failed`).
 */
export async function runCommand<Name extends CommandName>(
  name: Name,
  input: InputOf<Name>,
): Promise<DocumentOf<Name>> {
  const { document, failure } = await callServer<CommandAnswer<Name>>('POST', `/commands/${name}`, input);
  if (failure !== undefined) throw new CallError({ code: 'command_failed', text: failure });
  return document;
}

/** Calls the server with the token, and with a body as JSON or as the bytes that it is. Returns its JSON. Throws a CallError. */
export async function callServer<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  const response = await sendWithToken(method, path, body);
  const answer = await response.json();
  if (!response.ok) throw new CallError(answer);
  return answer;
}

/** Calls the server with the token. Throws a CallError if it does not answer. */
export async function sendWithToken(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
  const headers = new Headers({ Authorization: `Bearer ${readToken()}` });
  const isFile = body instanceof Blob;
  if (body) headers.set('Content-Type', isFile ? 'application/octet-stream' : 'application/json');
  try {
    return await fetch(path, { method, headers, ...(body && { body: isFile ? body : JSON.stringify(body) }) });
  } catch {
    const text = 'El mostrador no responde: arránquelo de nuevo en la terminal y abra la dirección que muestra.';
    throw new CallError({ code: 'counter_ended', text });
  }
}

export type Query<Document> = {
  /** The latest document of the present input; a failed refresh keeps it. */
  readonly document: Document | undefined;
  /** The document of the input before, until the present one is answered. */
  readonly former: Document | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): Promise<void>;
};

type Loaded<Document> = Pick<Query<Document>, 'document' | 'error' | 'isLoading'> & {
  /** The input that the latest run has answered, as JSON. */
  readonly key: string;
};
const NOTHING = { key: '', document: undefined, error: undefined, isLoading: true };

/** The pauses after which a command is run again, while the tab is visible, and while it is hidden; never without one. */
type Refresh = { readonly everyMs?: number; readonly hiddenMs?: number };

/** Runs a command that reads, again for another input, and keeps its document. Reads nothing while there is no input. */
export function useCommand<Name extends CommandName>(
  name: Name,
  input: InputOf<Name> | undefined,
  { everyMs, hiddenMs }: Refresh = {},
): Query<DocumentOf<Name>> {
  const [loaded, setLoaded] = useState<Loaded<DocumentOf<Name>>>(NOTHING);
  const latest = useRef(0);
  const isRunning = useRef(false);
  const key = input === undefined ? '' : JSON.stringify(input);
  const reload = useCallback(async () => {
    latest.current += 1;
    if (key === '') return;
    const run = latest.current;
    isRunning.current = true;
    setLoaded((before) => ({ ...before, isLoading: true }));
    const change = await settle(runCommand(name, JSON.parse(key)));
    // An answer that a later call has overtaken is dropped.
    if (run !== latest.current) return;
    isRunning.current = false;
    setLoaded((before) => ({ ...(before.key === key ? before : NOTHING), ...change, key, isLoading: false }));
  }, [name, key]);
  // An effect would wait until the view without its document has been painted.
  useLayoutEffect(() => {
    void reload();
  }, [reload]);
  useLayoutEffect(() => {
    // A run that takes longer than the pause is waited for.
    const refresh = () => {
      if (!isRunning.current) void reload();
    };
    return repeat(refresh, { everyMs, hiddenMs });
  }, [reload, everyMs, hiddenMs]);
  const { document, error, isLoading } = loaded;
  if (key === '') return { document: undefined, former: undefined, error: undefined, isLoading: false, reload };
  return loaded.key === key
    ? { document, former: undefined, error, isLoading, reload }
    : { document: undefined, former: document, error: undefined, isLoading: true, reload };
}

const settle = <Document>(run: Promise<Document>) =>
  run.then(
    (document) => ({ document, error: undefined }),
    (error: unknown) => ({ error }),
  );

/** Repeats work, and at once when the tab is looked at again. Returns what ends it. */
function repeat(work: () => void, { everyMs, hiddenMs }: Record<keyof Refresh, number | undefined>): () => void {
  if (everyMs === undefined) return () => {};
  let timer: number | undefined;
  const schedule = () => {
    window.clearInterval(timer);
    const pause = document.visibilityState === 'visible' ? everyMs : hiddenMs;
    if (pause !== undefined) timer = window.setInterval(work, pause);
  };
  const look = () => {
    if (document.visibilityState === 'visible') work();
    schedule();
  };
  schedule();
  document.addEventListener('visibilitychange', look);
  return () => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
