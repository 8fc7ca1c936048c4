import {
  type ApiDescription,
  type Call,
  type Content,
  examplesOf,
  mediaOf,
  type Response,
  resolved,
  type Schema,
} from './description.ts';
import { parameterFields, schemaFields, typeText } from './fields.ts';
import { type Html, html, prose } from './html.ts';
import { jsonHtml } from './json.ts';
import { needsToken } from './samples.ts';
import { searchWords } from './search-words.ts';
import { samplesPart, tryForm } from './usage.ts';

/** Everything about one operation: what it takes and answers beside how it is called, and a form to try it. */
export function operationSection(call: Call, description: ApiDescription): Html {
  const { method, path, operation } = call;
  return html`<section class="operation entry" id="${operation.operationId}" data-words="${searchWords(call, description)}">
<div class="about">
<h3>${operation.summary}</h3>
<p class="route">${methodBadge(method)} <code>${path}</code></p>
${operation.description && html`<p>${prose(operation.description)}</p>`}
<p class="note">Needs the API key${needsToken(call) && html` and a user’s access token, as bearer or cookie`}.</p>
${parameterPart(call, 'Path', 'path')}${parameterPart(call, 'Query', 'query')}${parameterPart(call, 'Headers', 'header')}
${operation.requestBody && bodyPart(operation.requestBody, description)}
<h4>Answers</h4>
${call.responses.map(([status, response]) => responsePart(status, response, description))}
</div>
<div class="usage">${samplesPart(call, description)}${tryForm(call, description)}</div>
</section>`;
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

function parameterPart({ parameters }: Call, title: string, place: string): Html | false {
  const found = parameters.filter((one) => one.in === place);
  return found.length > 0 && html`<h4>${title}</h4>${parameterFields(found)}`;
}

function bodyPart(body: Content, description: ApiDescription): Html {
  const { schema = {} } = mediaOf(body);
  return html`<h4>Body: ${typeText(schema)}</h4>${schemaFields(resolved(schema as Schema, description))}`;
}

function responsePart(status: string, response: Response, description: ApiDescription): Html {
  const { schema } = mediaOf(response);
  const isSuccess = status.startsWith('2');
  return html`<details class="answer"${isSuccess && html` open`}>
<summary><b class="status s${status.charAt(0)}">${status}</b> ${prose(response.description)}</summary>
${schema && html`<p>Body: ${typeText(schema)}</p>`}
${headersPart(response, description)}
${examplesOf(response, description).map(
  ({ name, summary, value }, index) =>
    html`<details class="example"${isSuccess && index === 0 && html` open`}><summary>${!isSuccess && html`<code>${name}</code> `}${summary ?? name}</summary><pre>${jsonHtml(value)}</pre></details>`,
)}</details>`;
}

function headersPart({ headers = {} }: Response, description: ApiDescription): Html | false {
  const items = Object.entries(headers).map(([name, header]) => {
    const told = resolved(header, description).description ?? '';
    return html`<span class="header" title="${told}">${name}</span> `;
  });
  return items.length > 0 && html`<p>${items}</p>`;
}
