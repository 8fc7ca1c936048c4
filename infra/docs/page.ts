import { type ApiDescription, type Call, callsOf, type Schema } from './description.ts';
import { schemaFields } from './fields.ts';
import { type Html, html, prose } from './html.ts';
import { methodBadge, operationSection } from './operation.ts';

export type PageOptions = {
  /** The address that calls go to at first; a path is one of the host that shows the page. */
  readonly baseUrl: string;
  /** Credentials that everybody may know, such as those of a demonstration. */
  readonly demonstration?: { readonly apiKey: string; readonly email: string; readonly password: string } | undefined;
};

/** The reference of an API as one page; `page.css`, `page.js`, `icon.svg` and `openapi.json` lie beside it. */
export function referencePage(description: ApiDescription, options: PageOptions): string {
  const { info, tags, components } = description;
  const calls = callsOf(description);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
</head>
<body>
<header class="bar">
<a class="brand" href="#top"><img src="icon.svg" alt="" width="22" height="22">${info.title} <small class="version">API ${info.version}</small></a>
<input id="search" type="search" placeholder="Search  ( / )" aria-label="Search" autocomplete="off">
</header>
<div class="columns">
<nav class="contents" aria-label="Contents"><details id="contents" open><summary class="contents-title">Contents</summary>
${tags.map(({ name }) => navGroup(name, calls))}
<h2 class="group">Schemas</h2>
<ul class="links">${Object.keys(components.schemas).map((name) => html`<li><a class="link" href="#schema-${name}">${name}</a></li>`)}</ul>
</details></nav>
<main class="main" id="top">
<div class="unsearched">
<h1>${info.title} API</h1>
<p>${info.summary}</p>
${info.description && html`<p>${prose(info.description)}</p>`}
<p><a href="openapi.json" download>openapi.json</a></p>
</div>
${credentials(options)}
<p id="nothing" hidden>Nothing here has these words.</p>
${tags.map((tag) => tagPart(tag, calls, description))}
<h2 class="heading unsearched">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

const ofTag = (name: string, calls: readonly Call[]) => calls.filter(({ operation }) => operation.tags[0] === name);

function navGroup(name: string, calls: readonly Call[]): Html {
  const items = ofTag(name, calls).map(
    ({ method, operation }) =>
      html`<li><a class="link" href="#${operation.operationId}">${methodBadge(method)} ${operation.summary}</a></li>`,
  );
  return html`<h2 class="group">${name}</h2><ul class="links">${items}</ul>`;
}

function tagPart(tag: ApiDescription['tags'][number], calls: readonly Call[], description: ApiDescription): Html {
  return html`<h2 class="heading unsearched">${tag.name} <small>${tag.description}</small></h2>
${ofTag(tag.name, calls).map((call) => operationSection(call, description))}`;
}

function schemaSection(name: string, schema: Schema): Html {
  const words = [name, schema.description ?? '', ...Object.keys(schema.properties ?? {})].join(' ').toLowerCase();
  return html`<section class="schema entry" id="schema-${name}" data-words="${words}">
<h3>${name}</h3>${schema.description && html`<p>${prose(schema.description)}</p>`}${schemaFields(schema)}</section>`;
}

function credentials({ baseUrl, demonstration }: PageOptions): Html {
  return html`<form id="credentials" class="panel unsearched">
<h2 class="title">Credentials</h2>
<p class="note">For trying things out here; they fill the examples too, and are forgotten with this tab.</p>
<div class="inputs wide-inputs">
<label>Base address <input name="base" value="${baseUrl}" required autocomplete="off" spellcheck="false"></label>
<label>API key <input name="key" value="${demonstration?.apiKey ?? ''}" autocomplete="off" spellcheck="false"></label>
<label>E-mail <input name="email" value="${demonstration?.email ?? ''}" autocomplete="username" spellcheck="false"></label>
<label>Password <input name="password" type="password" value="${demonstration?.password ?? ''}" autocomplete="current-password"></label>
<label>Access token <input name="token" placeholder="from the login, or paste one" autocomplete="off" spellcheck="false"></label>
<label>Language of messages <select name="language"><option value="en">English</option><option value="es">Español</option></select></label>
</div>
<button>Log in</button><output class="outcome" role="status"></output>
</form>`;
}
