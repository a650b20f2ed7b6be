// Makes the asset ../page.html: the template with style, script, their hashes and the licences in it.
// `@title@`, `@content@` and `@data@` are left to the command.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const kPackages = ['three', 'uplot'];

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');

function licence(name) {
  const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
  return `\n${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`).trim()}\n`;
}

/// What a Content-Security-Policy names a script or style by.
function hash(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

const result = await build({
  entryPoints: ['src/main.js'],
  absWorkingDir: new URL('.', import.meta.url).pathname,
  outdir: 'out',
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
});
const output = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const script = output('.js').replaceAll('</script', '<\\/script');
const style = output('.css');

const parts = {
  licences: `It contains parts of these works:\n${kPackages.map(licence).join('')}`,
  script,
  style,
  'script-hash': hash(script),
  'style-hash': hash(style),
};
const page = read('src/template.html').replace(/\{\{([a-z-]+)\}\}/g, (_, name) => parts[name]);
for (const mark of ['@title@', '@content@', '@data@']) {
  if (page.split(mark).length !== 2) throw new Error(`${mark} must occur once in the page.`);
}
writeFileSync(new URL('../page.html', import.meta.url), page);
console.log(`app/report/page.html: ${Math.round(page.length / 1024)} KiB`);
