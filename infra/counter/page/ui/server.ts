import { signal } from '@preact/signals';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CommandName, DocumentOf, InputOf } from '../../server/counter-commands.ts';
import type { ErrorAnswer, InputError } from '../../server/error-answer.ts';

// The token lives as long as the tab, and in no address that a history or a Referer would hold.
const TOKEN = 'token';

/** Keeps the token of the address `#<token>`, and takes it out of there. Returns false if the address has none. */
export function takeToken(): boolean {
  const [, token] = /^#([\w-]{43})$/.exec(location.hash) ?? [];
  if (token === undefined) return false;
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, '', '#/queue');
  return true;
}

/** The server refused a call, or did not answer; the message is for the person at the counter. */
export class CallError extends Error {
  readonly code: string;
  readonly errors: readonly InputError[];

  constructor({ code = '', text, errors = [] }: Partial<ErrorAnswer> & Pick<ErrorAnswer, 'text'>) {
    super(text);
    this.code = code;
    this.errors = errors;
  }

  /** Returns what is wrong with a field. Rules that the API shares name it as the API does: `full_name` for `fullName`. */
  errorOf(key: string): string | undefined {
    const apiKey = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const errors = this.errors.filter(({ path: [name] }) => name === key || name === apiKey);
    return errors.map(({ text }) => text).join(' ') || undefined;
  }
}

/** Runs a command. Throws a CallError, also when it has failed in part (`command_failed`). */
export async function runCommand<Name extends CommandName>(
  name: Name,
  input: InputOf<Name>,
): Promise<DocumentOf<Name>> {
  const { document, failure } = await (await callServer(`/commands/${name}`, input)).json();
  if (failure !== undefined) throw new CallError({ code: 'command_failed', text: failure });
  return document;
}

const WITHOUT_TOKEN = 'Falta la clave del mostrador: abra la dirección completa que mostró la terminal.';
const ENDED = 'El mostrador no responde: arránquelo de nuevo en la terminal y abra la dirección que muestra.';

/** Gets a path, or posts a body as JSON or as the bytes that it is. Throws a CallError if the answer is not what was asked for. */
export async function callServer(path: string, body?: object): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN);
  // A 401 would appear as an error in the browser's console.
  if (!token) throw new CallError({ text: WITHOUT_TOKEN });
  const isFile = body instanceof Blob;
  const headers = new Headers({ Authorization: `Bearer ${token}` });
  if (body) headers.set('Content-Type', isFile ? 'application/octet-stream' : 'application/json');
  const post = body && { method: 'POST', body: isFile ? body : JSON.stringify(body) };
  const response = await fetch(path, { headers, ...post }).catch(() => undefined);
  if (!response) throw new CallError({ text: ENDED });
  if (!response.ok) throw new CallError(await response.json());
  return response;
}

export const isTabSeen = signal(true);

export function watchTab(): void {
  const look = () => {
    isTabSeen.value = document.visibilityState === 'visible';
  };
  look();
  document.addEventListener('visibilitychange', look);
}

export type Query<Document> = {
  /** The latest document; a failed refresh keeps it. */
  readonly document: Document | undefined;
  /** True until the current input is answered; the document is then that of the input before, or undefined. */
  readonly isFormer: boolean;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): Promise<void>;
};

type Answer<Document> = { readonly document?: Document; readonly error?: unknown; readonly key?: string };

type Refresh = { readonly everyMs?: number; readonly hiddenMs?: number };

/** Returns the result of the work; undefined if a later run has overtaken it. */
export async function runLatest<Result>(latest: { current: number }, work: () => Promise<Result>) {
  latest.current += 1;
  const run = latest.current;
  const result = await work();
  return run === latest.current ? result : undefined;
}

/** Runs a reading command, again whenever its input changes, and keeps its document. Runs nothing without an input. */
export function useQuery<Name extends CommandName>(
  name: Name,
  input: InputOf<Name> | undefined,
  { everyMs, hiddenMs }: Refresh = {},
): Query<DocumentOf<Name>> {
  const [answer, setAnswer] = useState<Answer<DocumentOf<Name>>>({});
  const [isRunning, setRunning] = useState(true);
  const latest = useRef(0);
  const key = input && JSON.stringify(input);
  const reload = useCallback(async () => {
    const change = await runLatest(latest, async () => {
      if (key === undefined) return undefined;
      setRunning(true);
      return runCommand(name, JSON.parse(key)).then(
        (document) => ({ document, key }),
        (error: unknown) => ({ error, key }),
      );
    });
    if (!change) return;
    setRunning(false);
    setAnswer((before) => ({ ...(before.key === key && { document: before.document }), ...change }));
  }, [name, key]);
  const isSeen = isTabSeen.value;
  // An ordinary effect would wait until the view is painted without its document.
  useLayoutEffect(() => {
    if (isSeen || answer.key !== key) void reload();
  }, [reload, everyMs === undefined || isSeen]);
  const pauseMs = isSeen ? everyMs : hiddenMs;
  useLayoutEffect(() => {
    if (isRunning || pauseMs === undefined) return;
    const timer = window.setTimeout(() => void reload(), pauseMs);
    return () => window.clearTimeout(timer);
  }, [isRunning, reload, pauseMs]);
  const isFormer = key !== undefined && answer.key !== key;
  const isLoading = key !== undefined && (isFormer || isRunning);
  return { document: answer.document, isFormer, error: isFormer ? undefined : answer.error, isLoading, reload };
}
