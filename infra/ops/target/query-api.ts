import { askAwsForText } from './signed-request.ts';

const APIS = {
  cloudformation: { endpointVariable: 'AWS_ENDPOINT_URL_CLOUDFORMATION', version: '2010-05-15' },
  sns: { endpointVariable: 'AWS_ENDPOINT_URL_SNS', version: '2010-03-31' },
} as const;

type QueryCall = {
  readonly api: keyof typeof APIS;
  readonly action: string;
  readonly input: Readonly<Record<string, string>>;
  /** The region that is asked, if it is not that of the stack. */
  readonly region?: string | undefined;
};

/** Calls a service of the query protocol, and returns its XML. */
export function callQueryApi({ api, action, input, region }: QueryCall): Promise<string> {
  const { endpointVariable, version } = APIS[api];
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ Action: action, Version: version, ...input }).toString();
  const init = { method: 'POST', headers, body };
  return askAwsForText({ host: api, service: api, endpointVariable, region, path: '/', init });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);

/** Returns the text of the first element of this name; undefined if there is none. */
export function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text === undefined ? undefined : unescapeXml(text);
}

const membersOf = (xml: string): string[] =>
  [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, member = '']) => member);

/** Returns the flat members of all pages of a list. */
export async function listMembers({ input, ...call }: QueryCall): Promise<string[]> {
  const members: string[] = [];
  let next: string | undefined;
  do {
    const xml = await callQueryApi({ ...call, input: { ...input, ...(next !== undefined && { NextToken: next }) } });
    members.push(...membersOf(xml));
    next = textOf(xml, 'NextToken');
  } while (next !== undefined);
  return members;
}
