import { type ApiDescription, type Call, listCalls, type Parameter } from '../api/description.ts';
import { writeCurlSample, writeTypescriptSample } from './samples.ts';

/** Returns the OpenAPI document as the reference page shows it: with code samples and a link to the original. */
export function buildReferenceDocument(description: ApiDescription): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of listCalls(description)) {
    const { method, path, operation } = call;
    const shown = {
      ...operation,
      parameters: call.parameters.map(disableExample),
      ...writeCodeSamples(call, description),
    };
    paths[path] = { ...paths[path], [method.toLowerCase()]: shown };
  }
  const { info } = description;
  const linked = { ...info, description: `${info.description}\n\n[openapi.json](openapi.json)` };
  return { ...description, info: linked, paths };
}

const writeCodeSamples = (call: Call, description: ApiDescription) => ({
  'x-codeSamples': [
    { lang: 'Shell', label: 'curl', source: writeCurlSample(call, description) },
    { lang: 'TypeScript', label: 'TypeScript', source: writeTypescriptSample(call, description) },
  ].filter(({ source }) => source !== undefined),
});

/** Unchecks the example of an optional parameter, so that a trial request does not send all of them at once. */
function disableExample({ example, ...parameter }: Parameter): object {
  if (parameter.required || parameter.name === 'Accept-Language') return { ...parameter, example };
  return { ...parameter, examples: { example: { value: example, 'x-disabled': true } } };
}
