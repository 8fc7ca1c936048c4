/** How a handler becomes one file, for whoever makes one: the stack and the benchmark. */
export const BUNDLE = {
  target: 'node24',
  minify: true,
  mainFields: ['module', 'main'],
  // What is CommonJS inside the bundle still calls require.
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
};
