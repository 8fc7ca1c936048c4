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
  unknown_command: {
    status: 404,
    es: 'El mostrador no tiene este comando.',
    en: 'The counter does not have this command.',
  },
} as const;

type CounterRefusalCode = keyof typeof COUNTER_REFUSALS;

/** The counter refuses a request, whatever the command would say. */
export class CounterRefusal extends Error {
  readonly code: CounterRefusalCode;

  constructor(code: CounterRefusalCode) {
    super(code);
    this.code = code;
  }
}
