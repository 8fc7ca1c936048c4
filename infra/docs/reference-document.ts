import { type ApiDescription, type Call, listCalls, type Parameter } from '../api/description.ts';
import { curlSample, typescriptSample } from './samples.ts';

/** Returns the OpenAPI document as the reference page shows it: with code samples and a link to the original. */
export function referenceDocument(description: ApiDescription): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of listCalls(description)) {
    const { method, path, operation } = call;
    const shown = { ...operation, parameters: call.parameters.map(withoutEffect), ...codeSamples(call, description) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: shown };
  }
  const { info } = description;
  const linked = { ...info, description: `${info.description}\n\n[openapi.json](openapi.json)` };
  return { ...description, info: linked, paths };
}

const codeSamples = (call: Call, description: ApiDescription) => ({
  'x-codeSamples': [
    { lang: 'Shell', label: 'curl', source: curlSample(call, description) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(call, description) },
  ].filter(({ source }) => source !== undefined),
});

/** Keeps a trial request from sending the examples of all optional parameters at once; the reader checks those he wants. */
function withoutEffect({ example, ...parameter }: Parameter): object {
  if (parameter.required || parameter.name === 'Accept-Language') return { ...parameter, example };
  return { ...parameter, examples: { example: { value: example, 'x-disabled': true } } };
}
