import { tmpdir } from 'node:os';
import { Refusal, type ValidationError } from '../../../shared/domain/refusal.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { type Language, say } from '../../../shared/messages/say.ts';
import { UnsetVariables } from '../../../shared/runtime/config.ts';
import { isWithoutRoom, toErrorCode } from '../../../shared/runtime/system-error.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1']);

// An operator may learn what a caller of the API must not.
const OPERATOR_TEXTS: Readonly<Partial<Record<MessageCode, Readonly<Record<Language, string>>>>> = {
  email_taken: {
    es: 'El cliente ya tiene un usuario con este correo electrónico.',
    en: 'The client has a user with this e-mail already.',
  },
  phone_taken: {
    es: 'El cliente ya tiene un usuario con este teléfono.',
    en: 'The client has a user with this phone already.',
  },
};

/** Returns what an operator reads of an error: one sentence, or a line for each validation error. */
export function explainError(error: unknown, language: Language = 'en'): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) return explainRefusal(error, language);
  if (isUnreachable(error)) return explainUnreachable(error, language);
  if (isFull(error)) return explainFull(error, language);
  if (error instanceof UnsetVariables) return explainUnset(error.names);
  if (error.message === 'Region is missing') return explainUnset(['AWS_REGION']);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

// https://www.sqlite.org/rescode.html#full
const SQLITE_FULL = 13;

/** An error of the file system; that of a write names no path. */
type FileError = Error & {
  readonly errcode?: unknown;
  readonly path?: string;
  readonly dest?: string;
};

const isFull = (error: FileError): boolean => error.errcode === SQLITE_FULL || isWithoutRoom(error);

function explainFull({ path, dest = path }: FileError, language: Language): string {
  const folder = tmpdir();
  // An error without a path is that of a catalog, which commands compile, download and compare in the temporary folder.
  const texts =
    dest === undefined || dest.startsWith(folder)
      ? {
          es: `No queda espacio en la carpeta temporal ${folder}: haga lugar, o nombre otra en TMPDIR.`,
          en: `No room is left in the temporary folder ${folder}: make room, or name another in TMPDIR.`,
        }
      : {
          es: `No queda espacio para ${dest}: haga lugar, o nombre otro lugar.`,
          en: `No room is left for ${dest}: make room, or name another place.`,
        };
  return texts[language];
}

/** Returns the sentence about environment variables that are not set. */
export const explainUnset = (names: readonly string[]): string =>
  `${names.join(', ')} is not set (--outputs sets it for a stack, --local for the local server).`;

function explainRefusal({ code, errors, reason, cause }: Refusal, language: Language): string {
  if (errors.length > 0) return errors.map((error) => explainValidationError(error, language)).join('\n');
  if (reason) return reason[language];
  // The code is safe to show to a caller of the API; the cause, which is written in English, tells an operator more.
  return cause && language === 'en' ? explainError(cause) : say({ code }, language);
}

const explainValidationError = (error: ValidationError, language: Language): string =>
  OPERATOR_TEXTS[error.code]?.[language] ?? `${error.path.join('.')}: ${say(error, language)}`;

/** A connection that was refused, with the address and the port that were tried. */
type ConnectionError = Error & { readonly address?: string; readonly port?: number };

/** True if nothing listens where the error's call went. */
export const isUnreachable = (error: Error): boolean => toErrorCode(error) === 'ECONNREFUSED';

/** Returns the connection that an error tells of; a name with several addresses fails with one error for each. */
export const toConnection = (error: ConnectionError): ConnectionError =>
  error instanceof AggregateError ? error.errors[0] : error;

function explainUnreachable(error: ConnectionError, language: Language): string {
  const { address = '', port } = toConnection(error);
  const place = `${address}:${port}`;
  const texts = LOOPBACK.has(address)
    ? {
        es: `El servidor local no está corriendo en ${place}: arránquelo con \`npm start\`.`,
        en: `The local server is not running at ${place}: start it with \`npm start\`.`,
      }
    : { es: `Nadie responde en ${place}.`, en: `Nothing answers at ${place}.` };
  return texts[language];
}
