import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type CommandName, type DocumentOf, type InputOf, runCommand } from '../call.ts';

type Loaded<Name extends CommandName> = {
  /** The input that the latest run has answered, as JSON. */
  readonly key: string;
  /** The latest document of this input; a failed refresh keeps it. */
  readonly document: DocumentOf<Name> | undefined;
  /** The error of the latest run. */
  readonly error: unknown;
  readonly isLoading: boolean;
};

type Refreshed = {
  /** Runs the command again after this time, while the tab is visible. */
  readonly everyMs?: number;
};

const ahead = new Map<string, Promise<unknown>>();

/** Runs a command before the view that reads it is drawn, which takes its document. */
export function runAhead<Name extends CommandName>(name: Name, input: InputOf<Name>): void {
  const run = runCommand(name, input);
  // The view tells of a failure.
  run.catch(() => {});
  ahead.set(name + JSON.stringify(input), run);
}

function takeAhead<Name extends CommandName>(name: Name, key: string): Promise<DocumentOf<Name>> | undefined {
  const run = ahead.get(name + key);
  ahead.delete(name + key);
  return run as Promise<DocumentOf<Name>> | undefined;
}

/**
 * Runs a command that reads, again for another input, and keeps its document. `document` and `error` answer the present input
 * alone; until it is answered, `former` has the document of the input before.
 */
export function useCommand<Name extends CommandName>(name: Name, input: InputOf<Name>, { everyMs }: Refreshed = {}) {
  const [loaded, setLoaded] = useState<Loaded<Name>>(NOTHING);
  const latest = useRef(0);
  const isRunning = useRef(false);
  const key = JSON.stringify(input);
  const reload = useCallback(async () => {
    latest.current += 1;
    const run = latest.current;
    isRunning.current = true;
    setLoaded((before) => ({ ...before, isLoading: true }));
    const change = await settle(takeAhead(name, key) ?? runCommand(name, JSON.parse(key)));
    // An answer that a later call has overtaken is dropped.
    if (run !== latest.current) return;
    isRunning.current = false;
    setLoaded((before) => ({ ...(before.key === key ? before : NOTHING), ...change, key, isLoading: false }));
  }, [name, key]);
  // An effect would wait until the view without its document has been painted.
  useLayoutEffect(() => {
    void reload();
    // A run that takes longer than the pause is waited for.
    const refresh = () => {
      if (!isRunning.current) void reload();
    };
    return everyMs === undefined ? undefined : repeatWhileVisible(refresh, everyMs);
  }, [reload, everyMs]);
  const { document, error, isLoading } = loaded;
  return loaded.key === key
    ? { document, former: undefined, error, isLoading, reload }
    : { document: undefined, former: document, error: undefined, isLoading: true, reload };
}

const NOTHING = { key: '', document: undefined, error: undefined, isLoading: true };

const settle = <Document>(run: Promise<Document>) =>
  run.then(
    (document) => ({ document, error: undefined }),
    (error: unknown) => ({ error }),
  );

/** Repeats work at a pause, and at once when the tab is looked at again. Returns what ends it. */
function repeatWhileVisible(work: () => void, pauseMs: number): () => void {
  const repeat = () => {
    if (document.visibilityState === 'visible') work();
  };
  const timer = window.setInterval(repeat, pauseMs);
  document.addEventListener('visibilitychange', repeat);
  return () => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', repeat);
  };
}
