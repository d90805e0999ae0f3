// psic in the page answers as the tool does, byte for byte: on all golden programs that need neither LLVM nor
// the solver. In node, through the same code that the page uses.
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {argument, check, equal, finish, psic, root, skip} from './harness.mjs';

const path = argument('wasm');
if (!existsSync(path)) skip(`${path} is not there: cmake --build build/wasm --target playground`);
let esbuild;
try {
  esbuild = await import('esbuild');
} catch {
  skip('explorer/node_modules is not there: npm ci in explorer/');
}
const bundle = await esbuild.build(
    {entryPoints: [join(root, 'explorer/src/engine_core.ts')], bundle: true, write: false, format: 'esm'});
const {Instance} =
    await import('data:text/javascript;base64,' + Buffer.from(bundle.outputFiles[0].text).toString('base64'));
const module = await WebAssembly.compile(readFileSync(path));
const instance = await Instance.make(module);
const ask = (question, request) => JSON.parse(instance.ask(question, request));
const tool = (...args) => {
  const run = spawnSync(psic(), args, {cwd: root, encoding: 'utf8', maxBuffer: 1 << 30});
  return {out: run.stdout, err: run.stderr, code: run.status};
};

const files = [];
const folders = ['tests/golden'];
while (folders.length) {
  const folder = folders.pop();
  for (const name of readdirSync(join(root, folder)).sort()) {
    const file = `${folder}/${name}`;
    if (statSync(join(root, file)).isDirectory()) {
      if (name !== 'Inputs') folders.push(file);
    } else if (name.endsWith('.psi'))
      files.push(file);
  }
}
files.sort();

// The words of a command line, as a shell has them, up to a pipe.
function words(line) {
  const result = [];
  let word = null;
  for (let i = 0, quote = ''; i < line.length; ++i) {
    const c = line[i];
    if (quote) {
      if (c === quote)
        quote = '';
      else
        word += c;
      continue;
    }
    if (c === '"' || c === '\'') {
      quote = c;
      word ??= '';
    } else if (c === ' ') {
      if (word !== null) result.push(word);
      word = null;
    } else if ('|><;&'.includes(c)) {
      break;
    } else
      word = (word ?? '') + c;
  }
  if (word !== null) result.push(word);
  return result.map(w => w.replaceAll('%%', '%'));
}

const counts = {
  opt: 0,
  explore: 0,
  run: 0,
  check: 0
};
const explored = new Set();
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  if (Buffer.compare(Buffer.from(text, 'utf8'), readFileSync(join(root, file))))
    continue;  // no UTF-8: a page cannot hold it
  for (const line of text.match(/RUN:.*/g) || []) {
    const found = /^RUN: (?:not )?%psic (opt|run|check) (?:- < )?%s(?: (.*))?$/.exec(line);
    if (!found) continue;
    const [, command, rest] = found, list = words((rest ?? '').replace('2>&1', ' '));
    const name = `${file}: ${line}`;
    if (command === 'check') {
      if (list.length) continue;
      const theirs = tool('check', file), ours = ask('check', {file, text, passes: ''});
      equal(ours.text, theirs.err, name);
      equal(ours.messages.some(m => m.severity === 'error'), theirs.code !== 0, name);
      ++counts.check;
    } else if (command === 'opt') {
      const passes = list.map(w => /^--passes=(.*)$/s.exec(w)?.[1]).find(p => p !== undefined) ??
          (list.includes('--passes') ? list[list.indexOf('--passes') + 1] : undefined);
      if (passes === undefined || explored.has(file + passes)) continue;
      explored.add(file + passes);
      const theirs = tool('opt', `--passes=${passes}`, file), ours = ask('opt', {file, text, passes});
      if (theirs.code === 0)
        equal(ours.text, theirs.out, `${name}: opt`);
      else
        check(ours.error !== undefined, `${name}: opt does not fail in the page`);
      ++counts.opt;
      const seen = tool('explore', '--json', `--passes=${passes}`, file);
      if (seen.code === 0)
        equal(
            instance.ask('explore', {file, text, passes}).trimEnd(), seen.out.trimEnd(), `${name}: explore`);
      ++counts.explore;
    } else {
      const request = {file, text, arguments: [], fuel: undefined};
      let other = false;
      for (let i = 0; i < list.length; ++i) {
        const w = list[i];
        if (w === '--func')
          request.function = list[++i];
        else if (w.startsWith('--func='))
          request.function = w.slice(7);
        else if (w.startsWith('--fuel='))
          request.fuel = Number(w.slice(7));
        else if (w === '--')
          continue;
        else if (w.startsWith('--') || w === '-o')
          other = true;
        else
          request.arguments.push(w);
      }
      if (other) continue;
      if (request.function === undefined) {
        const all = [...text.matchAll(/^func \$([\w.$-]+)\(.*\{\s*$/gm)].map(m => m[1]);
        request.function = all.includes('main') ? 'main' : all[all.length - 1];
        if (all.length !== 1 && request.function !== 'main') continue;
      }
      const theirs = tool('run', file, ...list), ours = ask('run', request);
      if (theirs.code === 0)
        equal(ours.output + (ours.result ? ours.result + '\n' : ''), theirs.out, `${name}: run`);
      else
        equal((ours.message || ours.error || '') !== '', true, `${name}: run fails in the page, too`);
      ++counts.run;
    }
  }
}
for (const [what, least] of [['opt', 150], ['explore', 150], ['run', 60], ['check', 60]])
  check(counts[what] >= least, `only ${counts[what]} programs for ${what}`);

// Invalid text of any kind gets an answer.
for (const text of ['', 'func', '\0\0', 'func $f() {', '# only a comment', '\u{1F600}', '{'.repeat(10000)]) {
  const answer = ask('check', {file: 'x.psi', text, passes: ''});
  check(Array.isArray(answer.messages), `no answer to ${JSON.stringify(text.slice(0, 20))}`);
}
equal(
    ask('check', {file: 'x', text: '', passes: 'no-such-pass'}).passes.length > 0, true,
    'a pass that is none');
check(JSON.parse(instance.ask('run', 'text')).error !== undefined, 'a request that is no object');
const table = ask('passes', {}).passes.map(p => p.name).sort();
const known = JSON.parse(tool('passes', '--json').out);
equal(table, [...known.passes, ...known.pipelines].map(p => p.name).sort(), 'the table of passes');
const join1 = readFileSync(join(root, 'examples/join.psi'), 'utf8');
const question = 'disjoint(@r, @s)';
for (const [function_, step, block, wanted] of [
         ['branches', 0, '@u', 'yes'], ['branches', 1, '@u', undefined], ['none', 0, '@u', undefined]]) {
  const asked = ask('query', {
    file: 'join.psi',
    text: join1,
    passes: 'if-convert(target=playdoh,mode=all)',
    function: function_,
    step,
    block,
    question
  });
  check(
      asked.answer === wanted && (wanted ? asked.steps.length > 0 : asked.error !== undefined),
      `a question at step ${step}: ${JSON.stringify(asked)}`);
}
finish(`${files.length} files: ${Object.entries(counts).map(([k, v]) => `${v} ${k}`).join(', ')}`);
