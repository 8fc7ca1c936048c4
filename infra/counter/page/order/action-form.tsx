import { signal } from '@preact/signals';
import { type ComponentChildren, isValidElement, type VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { PAYMENT_FORMS, REGIMES, USES } from '../../../../shared/invoices/rules/sat-tables.ts';
import type { CommandName, DocumentOf, FormFields, InputOf } from '../../server/counter-commands.ts';
import { Button, Dialog, ErrorNotice, Field, type FieldProps, Notice } from '../ui/controls.tsx';
import { CallError, runCommand } from '../ui/server.ts';
import { CLAIM, ORDER, PAYMENT } from '../ui/statuses.ts';
import { Changes, type OrderWork } from './order-work.tsx';
import { formText, type ShownOrder } from './texts.ts';

export const formFields = signal<FormFields>({});

/** A field of a form: its key in the command, and what differs from the schema. */
export type FormPart = { readonly name: string } & Partial<
  Omit<FieldProps, 'value' | 'error' | 'onChange' | 'options'>
> & {
    readonly present?: string | null | undefined;
    /** The options that can be chosen now; by default all of the schema. */
    readonly choices?: readonly string[];
    readonly blank?: string | undefined;
  };

type Names = Readonly<Record<string, string>>;

const nameCode = ({ name }: { readonly name: string }, code: string): string => `${code} ${name}`;

const TEXTS: Readonly<Record<string, { readonly label: string; readonly hint?: string; readonly names?: Names }>> = {
  approve: { label: 'Aprobar la orden también' },
  acceptAge: { label: 'Aceptar que se expidió hace más tiempo del permitido' },
  acceptCopy: { label: 'Aceptar que el documento está también en otra orden' },
  again: { label: 'Emitirla aunque haya una igual' },
  amount: { label: 'Importe' },
  carrier: { label: 'Paquetería', hint: 'Puede quedar en blanco' },
  cfdiUse: { label: 'Uso del CFDI', names: nameAll(USES, nameCode) },
  claim: { label: 'Reclamación a la aseguradora', names: nameAll(CLAIM, ({ text }) => text) },
  email: { label: 'Correo' },
  fiscalRegime: { label: 'Régimen fiscal', names: nameAll(REGIMES, nameCode) },
  form: { label: 'Forma de pago (SAT)', names: nameAll(PAYMENT_FORMS, (_, form) => formText(form)) },
  fullName: { label: 'Nombre o razón social' },
  licence: { label: 'Cédula profesional' },
  prescriber: { label: 'Nombre de quien prescribe', hint: 'Puede anotarse después, al verificar de nuevo' },
  prescriberAddress: { label: 'Domicilio de quien prescribe' },
  reason: { label: 'Motivo' },
  reasonChoice: { label: 'Motivo' },
  rfc: { label: 'RFC' },
  shipping: { label: 'Envío' },
  status: { label: 'Nuevo estado', names: nameAll(PAYMENT, ({ text }) => text) },
  surplus: { label: 'Es dinero aparte del total' },
  tags: { label: 'Etiquetas' },
  text: { label: 'Nota' },
  to: { label: 'Nuevo estado', names: nameAll(ORDER, ({ text }) => text) },
  tracking: { label: 'Número de guía', hint: 'Puede quedar en blanco' },
  zipcode: { label: 'Código postal' },
};

function nameAll<Value>(values: Readonly<Record<string, Value>>, name: (value: Value, code: string) => string): Names {
  return Object.fromEntries(Object.entries(values).map(([code, value]) => [code, name(value, code)]));
}

/** Merges a field's schema, its texts and what its form sets, the latter last. */
function describeField(command: CommandName | undefined, { choices, blank = '', present: _, ...own }: FormPart) {
  const schema = command && formFields.value[command]?.find(({ key }) => key === own.name);
  const { names = {}, ...texts } = TEXTS[own.name] ?? { label: own.name };
  const values = choices ?? schema?.choices?.map(String).sort() ?? Object.keys(names);
  const options = values.map((value) => [value, names[value] ?? value] as const);
  return {
    type: schema?.type === 'boolean' ? ('checkbox' as const) : ('text' as const),
    maxLength: schema?.maxLength,
    required: schema?.isRequired,
    // An example of digits alone, such as 100.00.
    inputMode: /^[\d.]+$/.test(schema?.title ?? '') ? ('decimal' as const) : undefined,
    ...(options.length > 0 && { options: blank === '' ? options : [['', blank] as const, ...options] }),
    ...texts,
    ...own,
  };
}

type ActName = { [Name in CommandName]: 'version' extends keyof InputOf<Name> ? Name : never }[CommandName];

/** The values of the fields, by the keys of the command; `yes` for a flag. */
export type Values = Readonly<Record<string, string>>;

/** A field, or only its name if the schema says everything, or an element between the fields. */
type Part = FormPart | string | VNode | false;

export type Form = (
  order: ShownOrder,
  written: Values,
) => {
  readonly title: string;
  readonly kind?: 'primary' | 'danger';
  /** True if the document stays usable beside the form. */
  readonly isBeside?: true;
  /** True while the rules allow the act for which the form was opened. */
  readonly isPossible: boolean;
  readonly command?: ActName;
  readonly parts: readonly Part[];
  /** Returns the input but for the order and its version; by default the values. */
  toInput?(values: Values, data: FormData): object;
  send?(values: Values, data: FormData): Promise<ShownOrder>;
  tell(order: ShownOrder): string;
};

export const fieldError = (key: string, text: string): CallError =>
  new CallError({ text, errors: [{ path: [key], code: 'invalid_value', text }] });

/** Returns the values that differ from the order; '' for a cleared field. */
export const findChanged = (fields: readonly FormPart[], values: Values): Values =>
  Object.fromEntries(
    fields
      .filter(({ name, present }) => (values[name] ?? '') !== (present ?? ''))
      .map(({ name }) => [name, values[name] ?? '']),
  );

type ActionProps = { readonly form: Form; readonly work: OrderWork; readonly about?: ComponentChildren } & {
  onDone(sentence: string): void;
  onClose(): void;
};

type Failure = { readonly error?: unknown; readonly changes?: Parameters<typeof Changes>[0] };

export function ActionForm({ form, work, about, onDone, onClose }: ActionProps) {
  const element = useRef<HTMLFormElement>(null);
  const [written, setWritten] = useState<Values>({});
  const [{ isBusy, error, changes }, setTried] = useState<Failure & { readonly isBusy: boolean }>({ isBusy: false });
  const { title, kind = 'primary', isBeside, isPossible, parts, ...act } = form(work.order, written);
  // A colleague, or a refused attempt, may have changed the value of a field that the reader has not touched.
  const readValue = ({ name, present }: FormPart) => (written[name] ?? present ?? '').trim();
  // An ordinary effect would run after the next key, which would go to the field that had the focus.
  useLayoutEffect(() => element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [error]);
  useSightOfDocument(isBeside === true);
  const fields = parts.flatMap((part) => toField(part) ?? []);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy || !isPossible) return;
    setTried({ isBusy: true });
    const filled = fields.map((field) => [field.name, readValue(field)] as const).filter(([, value]) => value !== '');
    try {
      const blank = fields.filter((field) => readValue(field) === '' && describeField(act.command, field).required);
      const errors = blank.map(({ name }) => ({ path: [name], code: 'required', text: REQUIRED }));
      if (errors.length > 0) throw new CallError({ text: REQUIRED, errors });
      const order = await run(act, Object.fromEntries(filled), new FormData(element.current ?? undefined), work.order);
      if (order) work.show(order);
      onDone(act.tell(order ?? (await work.reload())));
      onClose();
    } catch (failure) {
      setTried({ isBusy: false, ...(await explainFailure(failure, work)) });
    }
  };
  const draw = (field: FormPart) => (
    <Field
      key={field.name}
      {...describeField(act.command, field)}
      value={written[field.name] ?? field.present ?? ''}
      error={error instanceof CallError ? error.errorOf(field.name) : undefined}
      onChange={(value) => setWritten((before) => ({ ...before, [field.name]: value }))}
    />
  );
  return (
    <Dialog title={title} isBeside={isBeside} isBusy={isBusy} onClose={onClose}>
      {about}
      <form ref={element} noValidate onSubmit={(event) => void send(event)} onKeyDown={sendFromChoice}>
        {changes && (
          <Notice tone="info">
            <Changes {...changes} />
            {isPossible && <p>Lo escrito sigue aquí; si todavía vale, envíelo de nuevo.</p>}
          </Notice>
        )}
        {!isPossible && !isBusy && (
          <Notice tone="danger">
            La orden, como está ahora, ya no lo permite: elija otra cosa, o cierre el formulario.
          </Notice>
        )}
        {parts.map((part) => {
          const field = toField(part);
          return field ? draw(field) : part;
        })}
        {error instanceof CallError && fields.some(({ name }) => error.errorOf(name)) ? (
          <Notice tone="danger">Revise los campos marcados.</Notice>
        ) : (
          <ErrorNotice error={error} />
        )}
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

function toField(part: Part): FormPart | undefined {
  if (typeof part === 'string') return { name: part };
  return part === false || isValidElement(part) ? undefined : part;
}

const REQUIRED = 'Este campo es obligatorio.';

/** Runs the act of a form. Returns the order of the answer; undefined if it must be read again. */
async function run(
  { command, send, toInput = (all) => all }: Pick<ReturnType<Form>, 'command' | 'send' | 'toInput'>,
  values: Values,
  data: FormData,
  { id, version }: ShownOrder,
): Promise<ShownOrder | undefined> {
  if (send) return send(values, data);
  if (!command) return undefined;
  const order = command.startsWith('invoices-') ? { orderId: id, version } : { id, version };
  const document: DocumentOf<ActName> = await runCommand(command, { ...toInput(values, data), ...order } as never);
  return document && 'next_actions' in document ? document : undefined;
}

function useSightOfDocument(isBeside: boolean): void {
  useLayoutEffect(() => {
    if (!isBeside) return;
    const { scrollX, scrollY } = window;
    document.querySelector('.viewer')?.scrollIntoView({ block: 'nearest' });
    return () => window.scrollTo(scrollX, scrollY);
  }, []);
}

// Enter submits from a text field, but opens a select, which would then take the next Escape.
export function sendFromChoice(event: KeyboardEvent): void {
  const { key, target, currentTarget } = event;
  if (key !== 'Enter' || !(target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  if (currentTarget instanceof HTMLFormElement) currentTarget.requestSubmit();
}

/** Explains why an act failed. If somebody has changed the order meanwhile, shows the new order and its changes. */
async function explainFailure(error: unknown, work: OrderWork): Promise<Failure> {
  const code = error instanceof CallError ? error.code : '';
  if (code !== 'order_changed_meanwhile' && code !== 'command_failed') return { error };
  const since = work.order.version;
  const order = await work.reload().catch(() => undefined);
  // The command's own sentence is in English.
  if (code === 'command_failed')
    return { error: new CallError({ text: 'No todo quedó hecho: la orden dice por qué.' }) };
  return order ? { changes: { order, since } } : { error };
}
