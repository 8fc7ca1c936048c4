import type { ReferenceOptions } from '../page.ts';

/** Filled in by the build. */
declare const OPTIONS: ReferenceOptions;
/** Defined by scalar.js. */
declare const Scalar: { createApiReference(selector: string, configuration: object): void };

const server = new URL(OPTIONS.baseUrl, location.href).href.replace(/(?<!\/)\/+$/, '');
const { demonstration } = OPTIONS;

// Scalar cuts off the tabs of statuses, and the heading of the authentication, where they do not fit on one line, and breaks
// words of tables anywhere; a table that is too wide is scrolled instead.
const STYLES = `
  .scalar-card-header-tabs { height: auto; }
  .scalar-card-header-tabs .scalar-card-header-title { overflow: visible; white-space: normal; }
  .scalar-card-header-tabs .tab-list { flex-wrap: wrap; overflow: visible; row-gap: 10px; }
  section > .bg-b-2.rounded-t-xl { flex-wrap: wrap; }
  section > .bg-b-2.rounded-t-xl > button { min-width: max-content; }
  .scalar-app .markdown table { display: block; }
  .scalar-app .markdown :is(th, td) { min-width: 6.5rem; padding-inline: 0.5rem; word-break: normal; }
  .scalar-app .markdown :is(th, td) code { overflow-wrap: normal; word-break: normal; }
`;

/** The languages and libraries whose samples nobody has tried, or which fail: Python's `requests` encodes parameters twice. */
const UNTRIED =
  `c clojure csharp dart fsharp go http java js julia kotlin node objc ocaml php powershell r ruby rust swift
  shell/httpie shell/wget python/requests python/aiohttp python/httpx_sync python/httpx_async`.split(/\s+/);

async function start(): Promise<void> {
  const [content, token] = await Promise.all([readDocument(), logIn()]);
  Scalar.createApiReference('#reference', {
    content: fillSamples(content),
    servers: [{ url: server }],
    authentication: {
      preferredSecurityScheme: [['apiKey', 'accessToken']],
      securitySchemes: { apiKey: { value: demonstration?.apiKey ?? '' }, accessToken: { token } },
    },
    customCss: STYLES,
    defaultOpenAllTags: true,
    documentDownloadType: 'none',
    hiddenClients: UNTRIED,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hideClientButton: true,
    showDeveloperTools: 'never',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}

const readDocument = async (): Promise<string> => (await fetch('reference.json')).text();

/** Returns the access token of the demonstration's user, or an empty text where there is no demonstration. */
async function logIn(): Promise<string> {
  if (!demonstration) return '';
  const { apiKey, email, password } = demonstration;
  const response = await fetch(`${server}/api/token/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
    body: JSON.stringify({ email, password }),
    credentials: 'omit',
  });
  const answer: { access?: string } = await response.json();
  return answer.access ?? '';
}

/** Puts the address and the key into the samples for the client, so that they run when pasted. */
function fillSamples(document: string): string {
  const text = document.replaceAll('$BOTICA', server);
  return demonstration ? text.replaceAll('$API_KEY', demonstration.apiKey) : text;
}

void start();
