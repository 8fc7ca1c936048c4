import { type ApiDescription, type Call, type Example, examplesOf, type Parameter } from './description.ts';
import { type Html, html } from './html.ts';
import { COMMON_HEADERS, curlSample, needsToken, typescriptSample } from './samples.ts';

/** How an operation is called by curl and by the typed client, each under a tab. */
export function samplesPart(call: Call, description: ApiDescription): Html {
  const name = `sample-${call.operation.operationId}`;
  return html`<div class="samples">
<div class="tabs" role="tablist">
<button type="button" class="tab" role="tab" aria-selected="true" aria-controls="${name}-curl">curl</button>
<button type="button" class="tab" role="tab" aria-selected="false" aria-controls="${name}-ts">TypeScript</button>
<button type="button" class="copy">Copy</button>
</div>
<pre id="${name}-curl" role="tabpanel">${curlSample(call, description)}</pre>
<pre id="${name}-ts" role="tabpanel" hidden>${typescriptSample(call, description)}</pre>
</div>`;
}

/** A form that the script of the page sends; it sets the headers of every request by itself. */
export function tryForm(call: Call, description: ApiDescription): Html {
  const { method, path, operation } = call;
  const examples = examplesOf(operation.requestBody ?? {}, description);
  const inputs = call.parameters.filter(({ name }) => !COMMON_HEADERS.includes(name));
  return html`<form class="try panel" data-method="${method}" data-path="${path}"${needsToken(call) && html` data-token`}>
<h4 class="title">Try it</h4>
${inputs.length > 0 && html`<div class="inputs">${inputs.map(input)}</div>`}
${examples.length > 1 && exampleChoice(examples)}
${examples[0] && html`<label>Body <textarea name="body" rows="9" spellcheck="false">${pretty(examples[0].value)}</textarea></label>`}
<button>Send</button>
<output class="outcome"></output>
</form>`;
}

function exampleChoice(examples: readonly (Example & { readonly name: string })[]): Html {
  const options = examples.map(
    ({ name, summary, value }) => html`<option value="${pretty(value)}">${summary ?? name}</option>`,
  );
  return html`<label>Example <select>${options}</select></label>`;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

function input({ name, in: place, required, example }: Parameter): Html {
  const shown = example === undefined ? '' : String(example);
  const state = required ? html`required value="${shown}"` : html`placeholder="${shown}"`;
  return html`<label>${name} <input data-in="${place}" name="${name}" ${state} autocomplete="off" spellcheck="false"></label>`;
}
