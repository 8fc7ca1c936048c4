// Prints what a first session looks at of an answer: `curl … | node infra/local/show.mjs total results.price`. One name prints
// its bare value, for a shell variable; without names the whole answer is printed. Plain JavaScript, as any Node runs it.
import { text } from 'node:stream/consumers';

const names = process.argv.slice(2);
const answer = JSON.parse(await text(process.stdin));

/** Returns the part of a value at a path; of a list, that part of each element, or of the one whose place is named. */
function pick(value, [name, ...rest]) {
  if (name === undefined || value === null || value === undefined) return value;
  return Array.isArray(value) && !/^\d+$/.test(name)
    ? value.map((each) => pick(each, [name, ...rest]))
    : pick(value[name], rest);
}

const toJson = (value) => {
  const text = JSON.stringify(value, null, 1);
  return text.length < 200 ? text.replaceAll(/\n */g, ' ') : text;
};

const parts = names.map((name) => [name, pick(answer, name.split('.'))]);
const [[, only] = []] = parts;
const isOne = parts.length === 1 && only !== undefined;
if (isOne) console.log(typeof only === 'object' ? JSON.stringify(only) : String(only));
else console.log(toJson(names.length === 0 || answer.code ? answer : Object.fromEntries(parts)));
