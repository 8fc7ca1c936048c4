import type { ComponentChild, ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CommandName, DocumentOf, InputOf } from '../../server/counter-commands.ts';
import { CallError, runCommand } from '../call.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import type { ShownOrder } from './order-texts.ts';
import { Changes, type OrderWork } from './order-work.tsx';

export type Done = {
  readonly text: string;
  /** A warning that stays while the reader works on the order: as a text, and as it is drawn. */
  readonly warning?: { readonly text: string; readonly drawn: ComponentChild } | undefined;
};
/** The order as the command has answered it; null or absent if it has to be read anew. */
type Acted = Done & { readonly order?: ShownOrder | null };

export type ActionProps = {
  readonly work: OrderWork;
  /** The summary above the form, where the order is not in view. */
  readonly about?: ComponentChildren;
  onDone(done: Done): void;
  onClose(): void;
};

type ActionFormProps = ActionProps & {
  readonly title: string;
  readonly kind?: 'primary' | 'danger';
  /** True for a form beside which the document can be looked at. */
  readonly isBeside?: boolean;
  /** True while the rules allow the act that the form was opened for: it never becomes another one. */
  readonly isPossible: boolean;
  children(errorOf: ErrorOf): ComponentChildren;
  act(run: RunAct): Promise<Acted>;
};

type ActName = { [Name in CommandName]: 'version' extends keyof InputOf<Name> ? Name : never }[CommandName];
/** Runs a command for the version of the order that the reader has looked at. */
export type RunAct = <Name extends ActName>(
  name: Name,
  input: Omit<InputOf<Name>, 'version'>,
) => Promise<DocumentOf<Name>>;

/** A dialog with the form of an action. What is typed stays until the action is done. */
export function ActionForm(props: ActionFormProps) {
  const { about, title, kind = 'primary', isBeside, isPossible, children, onClose } = props;
  const form = useRef<HTMLFormElement>(null);
  const { send, isBusy, error, changes } = useAction(props);
  const errorOf = (key: string) => (error instanceof CallError ? error.errorOf(key) : undefined);
  // Later, the next key would still go to the field that had the focus.
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return (
    <Dialog title={title} isBeside={isBeside} isBusy={isBusy} onClose={onClose}>
      {about}
      <form ref={form} noValidate onSubmit={send} onKeyDown={sendFromChoice}>
        {changes && (
          <Notice kind="info">
            <Changes {...changes} />
            {isPossible && <p>Lo escrito sigue aquí; si todavía vale, envíelo de nuevo.</p>}
          </Notice>
        )}
        {!isPossible && !isBusy && (
          <Notice kind="error">
            La orden, como está ahora, ya no lo permite: elija otra cosa, o cierre el formulario.
          </Notice>
        )}
        {children(errorOf)}
        {isOfFields(error) ? <Notice kind="error">Revise los campos marcados.</Notice> : <ErrorNotice error={error} />}
        <div class="row">
          <Button type="submit" kind={kind} isBusy={isBusy} isUnavailable={!isPossible}>
            {title}
          </Button>
          <Button onClick={onClose} isUnavailable={isBusy}>
            No hacer nada
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

// A browser sends a form on Enter in a text, but opens a choice, which would take the next Escape for itself.
function sendFromChoice(event: KeyboardEvent): void {
  const { key, target, currentTarget } = event;
  if (key !== 'Enter' || !(target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  if (currentTarget instanceof HTMLFormElement) currentTarget.requestSubmit();
}

const isOfFields = (error: unknown): boolean => error instanceof CallError && error.errors.length > 0;

type Tried = { readonly isBusy: boolean; readonly error?: unknown; readonly changes?: Parameters<typeof Changes>[0] };

/** Runs an action once at a time. If somebody has changed the order meanwhile, shows it anew with what has changed. */
function useAction({ work, isPossible, act, onDone, onClose }: ActionFormProps) {
  const [tried, setTried] = useState<Tried>({ isBusy: false });
  const attempt = async () => {
    const { version } = work.order;
    try {
      const { order, ...done } = await act((name, input) => runCommand(name, { ...input, version } as never));
      if (order) work.show(order);
      else await work.reload();
      onDone(done);
      onClose();
    } catch (error) {
      setTried({ isBusy: false, ...(await explainFailure(error, work, version)) });
    }
  };
  const send = (event: Event) => {
    event.preventDefault();
    if (tried.isBusy || !isPossible) return;
    setTried({ isBusy: true });
    void attempt();
  };
  return { ...tried, send };
}

async function explainFailure(error: unknown, work: OrderWork, version: number): Promise<Omit<Tried, 'isBusy'>> {
  if (!(error instanceof CallError)) return { error };
  if (error.code === 'order_changed_meanwhile') {
    const fresh = await work.reload().catch(() => undefined);
    return fresh ? { changes: { order: fresh, since: version } } : { error };
  }
  if (error.code !== 'command_failed') return { error };
  await work.reload().catch(() => undefined);
  // The command's own sentence is in English.
  const text = 'No todo quedó hecho; el estado de la factura dice el motivo.';
  return { error: new CallError({ code: error.code, text }) };
}

export type BoundField = { readonly value: string; readonly error: string | undefined; onChange(value: string): void };
type ErrorOf = (key: string) => string | undefined;

/**
 * Keeps what the reader has written in the fields of a form, by the keys of the command. The others are as the order has them
 * now, which a colleague or a refused attempt may have changed since the form was opened.
 */
export function useFields<Key extends string>(present: Readonly<Record<Key, string>>) {
  const [written, setWritten] = useState<Partial<Record<Key, string>>>({});
  const fields: Readonly<Record<Key, string>> = { ...present, ...written };
  const bind = (key: Key, errorOf: ErrorOf): BoundField => ({
    value: fields[key],
    error: errorOf(key),
    onChange: (value) => setWritten((before) => ({ ...before, [key]: value })),
  });
  return { fields, bind };
}

/** Returns the fields that something is written in. */
export const withoutBlanks = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''));
