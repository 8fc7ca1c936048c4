import { type Answer, type Fault, type FaultProxy, openFaultProxy } from './fault-proxy.ts';

const SERVICES = ['dynamodb', 's3', 'ses', 'facturapi'] as const;
export type Service = (typeof SERVICES)[number];
export type Addresses = Readonly<Record<Service, string>>;

/** A call to a dependency, which an SDK may attempt several times. */
export type OutsideCall = {
  readonly service: Service;
  /** The service and operation, without ids: `dynamodb GetItem`, `s3 PUT`. */
  readonly name: string;
  /** The number of this call since the faults were last set, from 1. */
  readonly nth: number;
};
export type Sent = OutsideCall & { readonly sendings: number };

/** The dependencies of a function, each behind a fault proxy, with one count of calls for all of them. */
export type Outside = {
  readonly addresses: Addresses;
  /** Sets the faults of later attempts, none by default, and resets all counts to 0. */
  set(choose?: (call: OutsideCall) => Fault | undefined): void;
  /** Returns the calls since the faults were last set. */
  calls(): Sent[];
  close(): Promise<void>;
};

export async function openOutside(engines: Addresses): Promise<Outside> {
  const proxies = await Promise.all(
    SERVICES.map(async (service) => [service, await openFaultProxy(engines[service])] as const),
  );
  let calls = new Map<string, Sent>();
  const sent = (service: Service, invocation: string, operation: string): Sent => {
    const known = calls.get(invocation) ?? {
      service,
      name: `${service} ${operation}`,
      nth: calls.size + 1,
      sendings: 0,
    };
    const again = { ...known, sendings: known.sendings + 1 };
    calls.set(invocation, again);
    return again;
  };
  const set: Outside['set'] = (choose = () => undefined) => {
    calls = new Map();
    for (const [service, proxy] of proxies) {
      proxy.set(({ invocation, operation, target }) =>
        choose(sent(service, invocation, service === 'dynamodb' ? operation : (target.split(' ')[0] ?? ''))),
      );
    }
  };
  set();
  return {
    addresses: Object.fromEntries(proxies.map(([service, { url }]) => [service, url])) as Addresses,
    set,
    calls: () => [...calls.values()],
    close: async () =>
      void (await Promise.all(proxies.map(([, proxy]: readonly [Service, FaultProxy]) => proxy.close()))),
  };
}

/** The kinds of faults that every service can have. */
export const FAULT_KINDS = ['failure', 'throttle', 'hang', 'lost call', 'lost reply', 'malformed'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Returns the fault in the error format of the service. */
export function toFault(service: Service, kind: FaultKind): Fault {
  if (kind === 'malformed') return { answer: MALFORMED[service] };
  if (service === 'dynamodb' || (kind !== 'failure' && kind !== 'throttle')) return kind;
  return { answer: REFUSED[service][kind] };
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
const xml = (status: number, body: string): Answer => ({ status, type: 'application/xml', body });
const s3Error = (code: string) => `<Error><Code>${code}</Code><Message>x</Message></Error>`;
const sesError = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>x</Message></Error></ErrorResponse>`;

const REFUSED: Readonly<Record<Exclude<Service, 'dynamodb'>, Record<'failure' | 'throttle', Answer>>> = {
  s3: { failure: xml(500, s3Error('InternalError')), throttle: xml(503, s3Error('SlowDown')) },
  ses: { failure: xml(500, sesError('InternalFailure')), throttle: xml(400, sesError('Throttling')) },
  facturapi: {
    failure: json(500, { ok: false, status: 500, message: 'x' }),
    throttle: json(429, { ok: false, status: 429, message: 'x', code: 'rate_limit_exceeded' }),
  },
};

const MALFORMED: Readonly<Record<Service, Answer>> = {
  dynamodb: { status: 200, type: 'application/x-amz-json-1.0', body: '{"Item":{"pk":{"S":"CLI' },
  s3: { status: 200, type: 'application/octet-stream', body: '<html><body>It works' },
  ses: { status: 200, type: 'text/xml', body: '<SendRawEmailResponse><SendRawEm' },
  facturapi: { status: 200, type: 'text/html', body: '<html><body>It works' },
};
