import { fillIn, type Text } from '../../../../shared/messages/say.ts';

/** Every reason for which the counter itself refuses a request: its status and its text in each language. */
export const COUNTER_REFUSALS = {
  foreign_host: {
    status: 403,
    es: 'El mostrador solo atiende en la dirección que mostró la terminal.',
    en: 'The counter answers only at the address that the terminal showed.',
  },
  foreign_origin: {
    status: 403,
    es: 'Otra página no puede usar el mostrador.',
    en: 'Another page may not use the counter.',
  },
  no_token: {
    status: 401,
    es: 'Falta la clave del mostrador o es de otro: abra la dirección completa que mostró la terminal.',
    en: 'The token of the counter is missing or is that of another one: open the whole address that the terminal showed.',
  },
  signed_out: {
    status: 502,
    es: 'La sesión de AWS terminó o no hay credenciales: inicie sesión en AWS y arranque de nuevo el mostrador en la terminal.',
    en: 'The AWS session has expired, or there are no credentials: sign in to AWS, and start the counter again in the terminal.',
  },
  not_allowed: {
    status: 502,
    es: 'AWS no permite esto con sus credenciales{right}: pida el permiso a quien administra la cuenta.',
    en: 'AWS does not allow this with your credentials{right}: ask whoever administers the account for the permission.',
  },
  document_missing: {
    status: 404,
    es: 'El documento ya no está en el almacén: pida otra copia, o que se restaure su versión anterior en S3.',
    en: 'The document is no longer in the store: ask for another copy, or have its former version restored in S3.',
  },
  unknown_command: {
    status: 404,
    es: 'El mostrador no tiene este comando.',
    en: 'The counter does not have this command.',
  },
} as const;

type Values = Readonly<Record<string, string>>;
type CounterRefusalCode = keyof typeof COUNTER_REFUSALS;

/** The counter refuses a request, whatever the command would say. */
export class CounterRefusal extends Error {
  readonly code: CounterRefusalCode;
  readonly texts: Text;

  constructor(code: CounterRefusalCode, values: Values = {}) {
    super(code);
    this.code = code;
    const { es, en } = COUNTER_REFUSALS[code];
    this.texts = { es: fillIn(es, values), en: fillIn(en, values) };
  }
}
