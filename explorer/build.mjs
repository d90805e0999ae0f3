// Builds the pages: `npm run build` writes dist/page.html, the explorer, in which psic puts the data, and
// dist/playground.html, in which the build of psic.wasm puts psic itself.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import esbuild from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const out = process.env.PSIC_EXPLORER_OUT || join(root, 'dist');
mkdirSync(out, {recursive: true});

const common = {
  bundle: true,
  write: false,
  minify: true,
  target: 'es2021',
  charset: 'utf8',
  legalComments: 'none',
  absWorkingDir: root
};
async function bundle(entry, extra = {}) {
  const result = await esbuild.build({...common, format: 'iife', entryPoints: [entry], ...extra});
  return result.outputFiles[0].text;
}

const fontFile = (family, weight) =>
    readFileSync(
        join(root, `node_modules/@fontsource/${family}/files/${family}-latin-${weight}-normal.woff2`))
        .toString('base64');
const face = (name, family, weight, range) => `@font-face{font-family:"${name}";font-weight:${
    range || weight};src:url(data:font/woff2;base64,${fontFile(family, weight)}) format("woff2")}`;
const fonts = [
  face('Inter', 'inter', 400), face('Inter', 'inter', 600), face('JetBrains Mono', 'jetbrains-mono', 400),
  face('JetBrains Mono', 'jetbrains-mono', 700)
].join('\n');

const css = (await esbuild.build({...common, entryPoints: ['src/style.css'], loader: {'.css': 'css'}}))
                .outputFiles[0]
                .text;
const define = {
  WORKER: JSON.stringify(await bundle('src/layout_worker.ts')),
  ENGINE_WORKER: JSON.stringify(await bundle('src/engine_worker.ts'))
};
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function page(title, script, body, more = '') {
  // A closing tag in the script would end it.
  script = script.trim().replaceAll('</script', '<\\/script');
  const style = `${fonts}\n${css}`.trim();
  const policy = `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${
      hash(style)}${
      more}; font-src data:; img-src data:; worker-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<!-- Fonts: Inter and JetBrains Mono, SIL Open Font License 1.1. Editor: CodeMirror, MIT License. Texts: explorer/licences of psic. -->
<noscript>This page draws what psic says about a program; it needs JavaScript, and nothing from the network.</noscript>
${body}
<script>${script}</script>
</body>
</html>
`;
}

const data = text => `<script type="application/json" id="data">${text}</script>`;
// psic replaces @PSIC_DATA@ by what psic explore --json prints, with every < escaped.
writeFileSync(
    join(out, 'page.html'), page('psic explore', await bundle('src/main.ts', {define}), data('@PSIC_DATA@')));

// explorer/wasm/embed.py puts psic and the examples in their places.
writeFileSync(
    join(out, 'playground.html'),
    page(
        'psic playground', await bundle('src/playground_main.ts', {define}),
        '<script type="application/json" id="programs">@PSIC_PROGRAMS@</script>\n<script type="application/octet-stream" id="wasm">@PSIC_WASM@</script>',
        // CodeMirror brings style sheets of its own.
        ' \'nonce-codemirror\''));
