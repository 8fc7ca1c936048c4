import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CommandName, DocumentOf, InputOf } from '../../server/counter-commands.ts';
import { CallError, runCommand } from '../call.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, type FieldProps, type Option, SelectField, TextField, type TextFieldProps } from '../ui/field.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import type { ShownOrder } from './order-texts.ts';
import { Changes, type OrderWork } from './order-work.tsx';

/** The sentence about what was done. */
export type Done = { readonly text: string };

export type ActionProps = {
  readonly work: OrderWork;
  /** The summary above the form, where the order is not in view. */
  readonly about?: ComponentChildren;
  onDone(done: Done): void;
  onClose(): void;
};

/** What is written in the fields, by the keys of the command. */
export type Values = Readonly<Record<string, string>>;

/** A form of an action, which is made anew of the order as it is now and of what the reader has written so far. */
export type Form = (
  order: ShownOrder,
  written: Values,
) => {
  readonly title: string;
  readonly kind?: 'primary' | 'danger';
  /** True for a form beside which the document can be looked at. */
  readonly isBeside?: true;
  /** True while the rules allow the act that the form was opened for: it never becomes another one. */
  readonly isPossible: boolean;
  /** The fields of the form, and what it says between them. */
  readonly parts: readonly FormPart[];
  /**
   * Acts on the values of the fields that are not blank. Returns the order as the command has answered it; null or none if it
   * has to be read anew.
   */
  act(run: RunAct, values: Values, sent: FormData): Promise<Done & { readonly order?: ShownOrder | null }>;
};

type FormPart = FormField | { readonly note: ComponentChildren } | false;

/** A field for a text, for one of the options, or with a control of its own. */
export type FormField = Omit<TextFieldProps, 'value' | 'error' | 'onChange'> & {
  /** The key of the command. */
  readonly name: string;
  /** What stands in it until the reader writes something. */
  readonly present?: string | null | undefined;
  readonly options?: readonly Option[];
  readonly control?: FieldProps['children'];
};

/** Returns the values of the fields that say something else than the order; '' for one that is erased. */
export const findChanged = (fields: readonly FormField[], values: Values): Values =>
  Object.fromEntries(
    fields
      .filter(({ name, present }) => (values[name] ?? '') !== (present ?? ''))
      .map(({ name }) => [name, values[name] ?? '']),
  );

/** Returns the error for a field that is empty. */
export const requireField = (key: string, text: string): CallError =>
  new CallError({ code: 'invalid_input', text, errors: [{ path: [key], code: 'required', text }] });

type ActName = { [Name in CommandName]: 'version' extends keyof InputOf<Name> ? Name : never }[CommandName];
/** Runs a command for the version of the order that the reader has looked at. */
type RunAct = <Name extends ActName>(name: Name, input: Omit<InputOf<Name>, 'version'>) => Promise<DocumentOf<Name>>;

type Failure = { readonly error?: unknown; readonly changes?: Parameters<typeof Changes>[0] };

/** A dialog with the form of an action. What is written stays until the action is done. */
export function ActionForm({ form, work, about, onDone, onClose }: ActionProps & { readonly form: Form }) {
  const element = useRef<HTMLFormElement>(null);
  const [written, setWritten] = useState<Values>({});
  const [{ isBusy, error, changes }, setTried] = useState<Failure & { readonly isBusy: boolean }>({ isBusy: false });
  const isOfFields = error instanceof CallError && error.errors.length > 0;
  const { title, kind = 'primary', isBeside, isPossible, parts, act } = form(work.order, written);
  // A colleague or a refused attempt may have changed what stands in a field in which nothing is written.
  const values = Object.fromEntries(
    parts.filter(isField).map((each) => [each.name, written[each.name] ?? each.present ?? '']),
  );
  // Later, the next key would still go to the field that had the focus.
  useLayoutEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  useLayoutEffect(() => {
    if (!isBeside) return;
    const { scrollX, scrollY } = window;
    document.querySelector('.viewer')?.scrollIntoView({ block: 'nearest' });
    return () => window.scrollTo(scrollX, scrollY);
  }, []);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy || !isPossible) return;
    setTried({ isBusy: true });
    const { version } = work.order;
    const run: RunAct = (name, input) => runCommand(name, { ...input, version } as never);
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
    try {
      const { order, ...done } = await act(run, filled, new FormData(element.current ?? undefined));
      if (order) work.show(order);
      else await work.reload();
      onDone(done);
      onClose();
    } catch (failure) {
      setTried({ isBusy: false, ...(await explainFailure(failure, work, version)) });
    }
  };
  const drawPart = (part: FormPart) =>
    isField(part) ? (
      <DrawnField
        key={part.name}
        {...part}
        value={values[part.name] ?? ''}
        error={error instanceof CallError ? error.errorOf(part.name) : undefined}
        onChange={(value) => setWritten((before) => ({ ...before, [part.name]: value }))}
      />
    ) : (
      part !== false && part.note
    );
  return (
    <Dialog title={title} isBeside={isBeside} isBusy={isBusy} onClose={onClose}>
      {about}
      <form ref={element} noValidate onSubmit={(event) => void send(event)} onKeyDown={sendFromChoice}>
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
        {parts.map(drawPart)}
        {isOfFields ? <Notice kind="error">Revise los campos marcados.</Notice> : <ErrorNotice error={error} />}
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

const isField = (part: FormPart): part is FormField => part !== false && 'name' in part;

function DrawnField({ options, control, ...field }: FormField & Pick<TextFieldProps, 'value' | 'error' | 'onChange'>) {
  if (control) return <Field {...field} children={control} />;
  return options ? <SelectField {...field} options={options} /> : <TextField {...field} />;
}

// A browser sends a form on Enter in a text, but opens a choice, which would take the next Escape for itself.
function sendFromChoice(event: KeyboardEvent): void {
  const { key, target, currentTarget } = event;
  if (key !== 'Enter' || !(target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  if (currentTarget instanceof HTMLFormElement) currentTarget.requestSubmit();
}

/** Tells why an act failed. If somebody has changed the order meanwhile, shows it anew with what has changed. */
async function explainFailure(error: unknown, work: OrderWork, version: number): Promise<Failure> {
  const code = error instanceof CallError ? error.code : '';
  if (code === 'order_changed_meanwhile') {
    const fresh = await work.reload().catch(() => undefined);
    return fresh ? { changes: { order: fresh, since: version } } : { error };
  }
  if (code !== 'command_failed') return { error };
  await work.reload().catch(() => undefined);
  // The command's own sentence is in English.
  return { error: new CallError({ code, text: 'No todo quedó hecho; el motivo está en la orden.' }) };
}
